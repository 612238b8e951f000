package import ControllerSession
public import WireProtocol

/// A device's clock: it stands elsewhere than the host's, runs fast or slow, and may move in steps.
public struct SimulatedClock: Sendable {
    /// Nanoseconds.
    public var offset: Int64
    /// 200 ppm is 0.0002.
    public var drift: Double
    /// Nanoseconds in which it moves.
    public let step: Int64

    public init(offset: Int64, drift: Double, step: Int64 = 1) {
        (self.offset, self.drift, self.step) = (offset, drift, step)
    }

    /// What it shows at a moment of the host's.
    public func device(_ host: HostTime) -> DeviceTime {
        DeviceTime(nanoseconds: roundedDown(smooth(host.nanoseconds)))
    }

    /// The first moment on the host's clock at which this one shows `time` or later.
    public func host(_ time: DeviceTime) -> HostTime {
        let shown = roundedDown(time.nanoseconds + step - 1)
        var guess = Int64(Double(shown - offset) / (1 + drift))
        while smooth(guess) < shown { guess += 1 }
        while smooth(guess - 1) >= shown { guess -= 1 }
        return HostTime(nanoseconds: guess)
    }

    /// What a controller with this clock says of it.
    package var configuration: ControllerLink.Configuration {
        var configuration = ControllerLink.Configuration()
        configuration.clockGrain = step > 1 ? .nanoseconds(step) : .zero
        return configuration
    }

    /// Without its steps.
    private func smooth(_ host: Int64) -> Int64 { host + offset + Int64(Double(host) * drift) }

    private func roundedDown(_ time: Int64) -> Int64 {
        let rest = time % step
        return time - (rest < 0 ? rest + step : rest)
    }
}
