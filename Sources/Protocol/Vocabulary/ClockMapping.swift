/// How a controller's clock stands to the host's: a straight line, and how far it may be wrong.
public struct ClockMapping: Hashable, Sendable {
    /// How much the mapping can be trusted.
    public enum State: String, Hashable, Sendable, Codable {
        /// Nothing was measured: times are arrival times in disguise, and their uncertainty is unknown.
        case none
        /// Measured, but with few answers or a wide interval.
        case coarse
        /// At least 6 answers in the last 10 s and at most ± 10 ms.
        case locked
        /// It was measured once; since then the answers stopped.
        case stale
    }

    /// How well the clock is known, and so which of the other fields mean anything.
    public var state: State
    /// A moment on the device's clock …
    public var deviceAnchor: DeviceTime
    /// … and the same moment on the host's.
    public var hostAnchor: HostTime
    /// Host nanoseconds that pass for each device nanosecond, minus one (200 ppm is 0.0002).
    public var rateOffset: Double
    /// Half the width of the interval that holds the truth, in nanoseconds, at the moment ``measuredAt``; `nil` only
    /// while the state is `none`.
    public var uncertaintyNanoseconds: Int64?
    /// The moment on the host's clock for which the uncertainty was worked out.
    public var measuredAt: HostTime
    /// How much the uncertainty grows with each nanosecond before or after that moment.
    public var uncertaintyGrowth: Double

    /// A mapping by one moment on both clocks and the rate between them; `measuredAt` is `hostAnchor` where it is left
    /// out.
    public init(
        state: State, deviceAnchor: DeviceTime, hostAnchor: HostTime, rateOffset: Double = 0,
        uncertaintyNanoseconds: Int64? = nil, measuredAt: HostTime? = nil, uncertaintyGrowth: Double = 0
    ) {
        self.state = state
        self.deviceAnchor = deviceAnchor
        self.hostAnchor = hostAnchor
        self.rateOffset = rateOffset
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.measuredAt = measuredAt ?? hostAnchor
        self.uncertaintyGrowth = uncertaintyGrowth
    }

    /// Half the width of the interval that holds the truth at some moment, in nanoseconds; `nil` while the state is
    /// `none`.
    public func uncertaintyNanoseconds(at time: HostTime) -> Int64? {
        guard let uncertaintyNanoseconds else { return nil }
        let age = time.nanoseconds.saturatingSubtract(measuredAt.nanoseconds)
        return uncertaintyNanoseconds.saturatingAdd(Int64(saturating: abs(Double(age)) * uncertaintyGrowth))
    }

    /// The host's time at which the device's clock showed `time`.
    public func hostTime(of time: DeviceTime) -> HostTime {
        let elapsed = time.nanoseconds.saturatingSubtract(deviceAnchor.nanoseconds)
        let drift = Int64(saturating: Double(elapsed) * rateOffset)
        return HostTime(nanoseconds: hostAnchor.nanoseconds.saturatingAdd(elapsed).saturatingAdd(drift))
    }
}

extension Int64 {
    /// The nearest whole number; the ends of the range for what lies beyond them, 0 for what is no number.
    package init(saturating value: Double) {
        // Where a Double has fractions at all, by the processor's own conversion: it has none that rounds like this.
        if value.magnitude < 0x1p52 {
            let whole = Int64(value)
            let fraction = value - Double(whole)
            self = fraction >= 0.5 ? whole + 1 : fraction <= -0.5 ? whole - 1 : whole
            return
        }
        self = Int64(exactly: value.rounded()) ?? (value.isNaN ? 0 : value < 0 ? .min : .max)
    }
}
