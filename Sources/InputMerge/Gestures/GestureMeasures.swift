/// What a gesture came to, in units; each value is there only where the gesture has it and it is known by then.
public struct GestureMeasures: Hashable, Sendable, Codable {
    /// How high the jump was, in m: g T²/8 of its time in the air.
    public var height: Double?
    /// Time in the air so far, in s.
    public var flightTime: Double?
    /// When the landing or the impact is expected, in s from now.
    public var timeToContact: Double?
    /// Nine of ten times it comes within so much of ``timeToContact``, either way, in s.
    public var timeToContactSpread: Double?
    /// How long ago the gesture really started, in s; of a swing that met something, from its start to the impact; of a
    /// rhythm, since its latest step.
    public var sinceStart: Double?
    /// The greatest acceleration of a hit or a tap, in g. Of a jump's landing, and of what ends a fall, it is the force in
    /// the sample that shows it, as both are told at once: no measure of how hard it was.
    public var impact: Double?
    /// Whether the swing met something.
    public var hit: Bool?
    /// True where the sensor is too slow (below 200 Hz) or its range too small (below 8 g) to be sure of ``hit``, and no
    /// faster accelerometer of the same device was there to tell.
    public var hitUncertain: Bool?
    /// How far the device was turned, in rad; for a twist, its sign is the turn's about the axis.
    public var turn: Double?
    /// Repetitions per second.
    public var cadence: Double?
    /// Repetitions since the beginning.
    public var count: Int?
    /// How unlike its nearest example a taught gesture was: 0 is the same, 1 the most that is accepted.
    public var unlikeness: Double?

    /// Only what is given applies; a gesture measures what its own property says.
    public init(
        height: Double? = nil, flightTime: Double? = nil, timeToContact: Double? = nil,
        timeToContactSpread: Double? = nil, sinceStart: Double? = nil, impact: Double? = nil, hit: Bool? = nil,
        hitUncertain: Bool? = nil, turn: Double? = nil, cadence: Double? = nil, count: Int? = nil,
        unlikeness: Double? = nil
    ) {
        self.height = height
        self.flightTime = flightTime
        self.timeToContact = timeToContact
        self.timeToContactSpread = timeToContactSpread
        self.sinceStart = sinceStart
        self.impact = impact
        self.hit = hit
        self.hitUncertain = hitUncertain
        self.turn = turn
        self.cadence = cadence
        self.count = count
        self.unlikeness = unlikeness
    }
}
