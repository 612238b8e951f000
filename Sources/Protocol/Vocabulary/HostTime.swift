/// A moment on the host's monotonic clock.
///
/// The zero point is the host's own (its boot, or the start of a simulation) and means nothing to anyone else. Never
/// comparable with a ``DeviceTime``: only a ``ClockMapping`` leads from one to the other, with an uncertainty.
public struct HostTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's zero point.
    public var nanoseconds: Int64

    /// The moment so many nanoseconds after (or, below 0, before) the clock's zero point.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Later than all others: 292 years from the zero point.
    public static let distantFuture = HostTime(nanoseconds: .max)

    public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// This moment moved by a duration; saturates at the ends of the range.
    public static func + (time: HostTime, duration: Duration) -> HostTime {
        HostTime(nanoseconds: time.nanoseconds.saturatingAdd(duration.wholeNanoseconds))
    }

    /// This moment moved back by a duration; saturates at the ends of the range.
    public static func - (time: HostTime, duration: Duration) -> HostTime {
        HostTime(nanoseconds: time.nanoseconds.saturatingSubtract(duration.wholeNanoseconds))
    }

    /// How long after `earlier` this moment lies; negative when it lies before.
    public static func - (time: HostTime, earlier: HostTime) -> Duration {
        .nanoseconds(time.nanoseconds.saturatingSubtract(earlier.nanoseconds))
    }

    /// How far apart the two moments lie.
    package func distance(to other: HostTime) -> Duration { self > other ? self - other : other - self }
}

/// A moment on a controller's own monotonic clock.
///
/// Its zero point and its rate are the controller's: it may stand years away from the host's and drift.
public struct DeviceTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the device clock's zero point.
    public var nanoseconds: Int64

    /// The moment so many nanoseconds after (or, below 0, before) the device clock's zero point.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (a: DeviceTime, b: DeviceTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// This moment moved by a duration; saturates at the ends of the range.
    public static func + (time: DeviceTime, duration: Duration) -> DeviceTime {
        DeviceTime(nanoseconds: time.nanoseconds.saturatingAdd(duration.wholeNanoseconds))
    }

    /// This moment moved back by a duration; saturates at the ends of the range.
    public static func - (time: DeviceTime, duration: Duration) -> DeviceTime {
        DeviceTime(nanoseconds: time.nanoseconds.saturatingSubtract(duration.wholeNanoseconds))
    }

    /// How long after `earlier` this moment lies on the same device's clock; negative when it lies before.
    public static func - (time: DeviceTime, earlier: DeviceTime) -> Duration {
        .nanoseconds(time.nanoseconds.saturatingSubtract(earlier.nanoseconds))
    }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded toward zero; saturates at ± 292 years.
    public var wholeNanoseconds: Int64 {
        // A division of 64 bits costs a tenth of one of 128, and is enough below 9 s: for most of what is waited for.
        if let few = Int64(exactly: attoseconds) { return few / 1_000_000_000 }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds, for people and for JSON.
    public var milliseconds: Double { Double(wholeNanoseconds) / 1e6 }
}

extension Int64 {
    @inlinable
    package func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    @inlinable
    package func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
