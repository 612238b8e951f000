public import WireProtocol

/// A device's clock: it stands elsewhere than the host's, and runs fast or slow.
public struct SimulatedClock: Sendable {
    /// Nanoseconds.
    public var offset: Int64
    /// 200 ppm is 0.0002.
    public var drift: Double

    public init(offset: Int64, drift: Double) { (self.offset, self.drift) = (offset, drift) }

    /// What it shows at a moment of the host's.
    public func device(_ host: HostTime) -> DeviceTime {
        DeviceTime(nanoseconds: host.nanoseconds + offset + Int64(Double(host.nanoseconds) * drift))
    }

    /// The first moment on the host's clock at which this one shows `time` or later.
    public func host(_ time: DeviceTime) -> HostTime {
        var guess = HostTime(nanoseconds: Int64(Double(time.nanoseconds - offset) / (1 + drift)))
        while device(guess) < time { guess.nanoseconds += 1 }
        while device(HostTime(nanoseconds: guess.nanoseconds - 1)) >= time { guess.nanoseconds -= 1 }
        return guess
    }
}
