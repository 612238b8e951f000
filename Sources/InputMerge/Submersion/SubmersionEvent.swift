public import WireProtocol

/// A device came into the water, went deeper or rose, or is out of it again; under water also once a second how deep it is.
public struct SubmersionEvent: Hashable, Sendable {
    /// Which sensor, by its controller and number.
    public var sensor: StreamKey
    /// From now on, or still.
    public var state: SubmersionState
    /// The state that ends with it; `nil` while it goes on.
    public var from: SubmersionState?
    /// What it rests on: what does not apply, or cannot be, is absent.
    public var reading: Submersion
    /// When the sensor was read, on the host's clock; for a sensor that fell silent, when that was noticed.
    public var occurredAt: HostTime
    /// How far that may be wrong either way; `nil` while the clock was not measured, and for a sensor that fell silent.
    public var uncertaintyNanoseconds: Int64?

    /// A state that began (`from` the one before) or goes on, of the moment `occurredAt` on the host's clock.
    public init(
        sensor: StreamKey, state: SubmersionState, from: SubmersionState?, reading: Submersion, occurredAt: HostTime,
        uncertaintyNanoseconds: Int64?
    ) {
        self.sensor = sensor
        self.state = state
        self.from = from
        self.reading = reading
        self.occurredAt = occurredAt
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
    }
}
