public import InputMerge

/// Something that happened in a room, in the one form that every interface uses: Swift, JSON lines, the browser.
///
/// `at` is milliseconds since the room opened, on the host's clock. `n` numbers the reliable events without gaps;
/// `hello` and `motion` have none. What is not known is `null`, never 0 and never left out. The JSON Schema is
/// `Documentation/events.schema.json`; fields and types are only ever added.
public enum EventRecord: Hashable, Sendable {
    /// The first event of every subscription: where the numbering stands.
    case hello(Hello)
    /// A player joined, was lost, came back, left or was renamed.
    case player(Player)
    /// A player's gesture began, changed or ended.
    case gesture(Gesture)
    /// A player's motion, newest wins, at most 60 a second; only for those who asked for it.
    case motion(Motion)
    /// What a team did because its players did.
    case team(Team)
    /// Who was first, with ties, and final.
    case verdict(Verdict)
    /// A controller's link became good, poor or silent.
    case link(Link)
    /// What became of a haptic.
    case haptic(Haptic)
    /// The room was locked, unlocked, or closes.
    case room(Room)
    /// An invitation waits for the operator.
    case asking(Asking)
    /// A player's lesson goes on.
    case teaching(Teaching)
    /// A sensor of a player's controller came, went, took over, or sends what cannot be right.
    case sensor(Sensor)

    public struct Hello: Hashable, Sendable, Codable {
        /// The schema's version.
        public var v = 1
        /// The last event number before this subscription.
        public var after: Int
        public var at: Double
        public var room: String
        /// ISO 8601, UTC.
        public var openedAt: String
        public var seats: Int
        public var players: [Player]
    }

    public struct Player: Hashable, Sendable, Codable {
        public enum State: String, Hashable, Sendable, Codable { case joined, lost, back, left, renamed }
        public var n: Int?
        public var at: Double
        public var player: Int
        public var state: State
        public var name: String
        /// `#rrggbb`.
        public var color: String
        public var controllers: [String]
    }

    public struct Gesture: Hashable, Sendable, Codable {
        public enum Phase: String, Hashable, Sendable, Codable { case began, changed, ended }
        public var n: Int?
        public var at: Double
        /// ± ms; `nil` only while the controller's clock is `none`.
        @ExplicitNull public var uncertainty: Double? = nil
        public var player: Int
        /// `keepcalm-jump`, `tilt`, `shake` …
        public var gesture: String
        public var phase: Phase
        /// One id from `began` to `ended`.
        public var id: String
        /// 0 … 1.
        public var strength: Double
        /// 0 … 1.
        public var confidence: Double
        public var controllers: [String]
        /// Height, time to contact and the like; left out where the gesture has none of them.
        public var measures: GestureMeasures? = nil
    }

    public struct Motion: Hashable, Sendable, Codable {
        /// The moment that is described: now, but at most 50 ms after the newest sample.
        public var at: Double
        public var player: Int
        /// w, x, y, z, body to earth.
        public var attitude: [Double]
        /// g, CoreMotion's sign.
        public var gravity: [Double]
        /// g, CoreMotion's sign.
        public var userAcceleration: [Double]
        /// rad/s.
        public var rotationRate: [Double]
        /// Roll and pitch in rad.
        public var tilt: [Double]
        /// A sample that it rests on is older than the 50 ms by which motion is carried on.
        public var stale: Bool
    }

    public struct Link: Hashable, Sendable, Codable {
        public enum State: String, Hashable, Sendable, Codable { case good, poor, silent }
        public var n: Int?
        public var at: Double
        public var player: Int
        public var controller: String
        public var state: State
        /// The stream from which nothing comes, or something again; `nil` when it is the link as a whole.
        @ExplicitNull public var stream: Int? = nil
        /// `udp`, `wss`, `post`, or `legacy`: frames without numbers.
        public var transport: String
        /// One way, ms; `nil` while the clocks are not known.
        @ExplicitNull public var delay: Double? = nil
        /// `nil` where nothing is numbered.
        @ExplicitNull public var samplesMissing: Int? = nil
        /// `nil` where nothing is numbered, and on a reliable transport: there a loss shows as delay.
        @ExplicitNull public var datagramsMissing: Int? = nil
    }

    public struct Room: Hashable, Sendable, Codable {
        public enum State: String, Hashable, Sendable, Codable { case locked, unlocked, closing }
        public var n: Int?
        public var at: Double
        public var state: State
    }

    public struct Teaching: Hashable, Sendable, Codable {
        public enum State: String, Hashable, Sendable, Codable { case example, unlike, finished, abandoned }
        public var n: Int?
        public var at: Double
        public var player: Int
        public var gesture: String
        public var state: State
        /// How many examples count so far.
        public var shown: Int
        /// How many are wanted.
        public var times: Int
    }

    public struct Sensor: Hashable, Sendable, Codable {
        public enum State: String, Hashable, Sendable, Codable { case connected, disconnected, tookOver, problem }
        public var n: Int?
        public var at: Double
        public var player: Int
        public var controller: String
        public var stream: Int
        /// Where on its person the sensor sits: `default`, `left` or `right`.
        public var location: String
        public var state: State
        /// Of which stream it took over; `nil` for another state, and where none spoke before.
        @ExplicitNull public var from: Int? = nil
        /// `accelerationInG`, `stuck` … ; `nil` for another state.
        @ExplicitNull public var problem: String? = nil
        /// The problem in words, and what to do.
        @ExplicitNull public var explanation: String? = nil
    }

    public struct Asking: Hashable, Sendable, Codable {
        public var n: Int?
        public var at: Double
        public var controller: String
        public var name: String
    }
}
