package import InputMerge
import WireProtocol

/// Something that happened in a room, in the one form that every interface uses: Swift, JSON lines, the browser.
///
/// `at` is milliseconds since the room opened, on the host's clock. `n` numbers the reliable events without gaps;
/// `hello` and `motion` have none. What is not known is `null`, never 0 and never left out. The JSON Schema is
/// `Documentation/events.schema.json`; fields and types are only ever added.
package enum EventRecord: Hashable, Sendable {
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
    /// The room was locked, unlocked, goes by other terms, or closes.
    case room(Room)
    /// An invitation waits for the operator.
    case asking(Asking)
    /// Somebody came into the queue for a seat, was called to its front, or is in it no more.
    case queue(Queue)
    /// A player's lesson goes on.
    case teaching(Teaching)
    /// A player makes a motion that may become a gesture which it taught.
    case shaping(Shaping)
    /// A sensor of a player's controller came, went, took over, or sends what cannot be right.
    case sensor(Sensor)
    /// So much of what a controller did was not told, as it was more than anybody does.
    case omitted(Omitted)
    /// A controller's battery runs low, or is charged again.
    case battery(Battery)
    /// A player's device came into the water, went deeper or rose, or is out of it again; once a second how deep it is there.
    case submersion(Submersion)
    /// A controller had found a gesture by itself: whether the host saw it, too.
    case local(Local)

    package struct Hello: Hashable, Sendable, Codable {
        /// The schema's version.
        package var v = 1
        /// The last event number before this subscription.
        package var after: Int
        /// How many events since are not remembered any more, and never come; left out by hosts before 2026-11-28.
        package var missing: Int?
        package var at: Double
        package var room: String
        /// ISO 8601, UTC.
        package var openedAt: String
        package var seats: Int
        package var players: [Player]
        /// Who waits for a seat, in order; left out by hosts before 2026-11-22.
        package var queue: [Queued]?

        package init(
            v: Int = 1, after: Int, missing: Int? = 0, at: Double, room: String, openedAt: String, seats: Int,
            players: [Player], queue: [Queued]? = []
        ) {
            self.v = v
            self.after = after
            self.missing = missing
            self.at = at
            self.room = room
            self.openedAt = openedAt
            self.seats = seats
            self.players = players
            self.queue = queue
        }
    }

    package struct Player: Hashable, Sendable, Codable {
        package enum State: String, Hashable, Sendable, Codable { case joined, lost, back, left, renamed }
        package var n: Int?
        package var at: Double
        package var player: Int
        package var state: State
        package var name: String
        /// `#rrggbb`.
        package var color: String
        package var controllers: [String]
    }

    package struct Gesture: Hashable, Sendable, Codable {
        package enum Phase: String, Hashable, Sendable, Codable { case began, changed, ended }
        package var n: Int?
        package var at: Double
        /// ± ms; `nil` only while the controller's clock is `none`.
        @ExplicitNull package var uncertainty: Double? = nil
        package var player: Int
        /// `keepcalm-jump`, `tilt`, `shake` …
        package var gesture: String
        package var phase: Phase
        /// One id from `began` to `ended`.
        package var id: String
        /// 0 … 1.
        package var strength: Double
        /// 0 … 1.
        package var confidence: Double
        package var controllers: [String]
        /// Height, time to contact and the like; left out where the gesture has none of them.
        package var measures: GestureMeasures? = nil
        /// `button` where somebody pressed one instead of moving; left out where everyone moved.
        package var source: String? = nil
        /// Part of ``uncertainty``: for so many ms before ``at`` nobody looked.
        package var unseen: Double? = nil
    }

    package struct Battery: Hashable, Sendable, Codable {
        package var n: Int?
        package var at: Double
        /// 0 when the controller drives nobody.
        package var player: Int
        package var controller: String
        /// 0 … 100.
        package var percent: Int
        /// `nil` where the device does not say.
        @ExplicitNull package var charging: Bool? = nil
    }

    package struct Submersion: Hashable, Sendable, Codable {
        package var n: Int?
        package var at: Double
        /// ± ms; `nil` while the controller's clock is `none`, and where the sensor fell silent.
        @ExplicitNull package var uncertainty: Double? = nil
        /// 0 when the controller drives nobody.
        package var player: Int
        package var controller: String
        package var stream: Int
        /// `unknown`, `notSubmerged`, `submergedShallow`, `submergedDeep`, `approachingMaxDepth`, `pastMaxDepth` or
        /// `sensorDepthError`.
        package var state: String
        /// The state that ends with it; `nil` while it goes on.
        @ExplicitNull package var from: String? = nil
        /// In m below the surface; `nil` where it is not known, like all that follows.
        @ExplicitNull package var depth: Double? = nil
        /// ± m.
        @ExplicitNull package var depthUncertainty: Double? = nil
        /// Of the water around the device, the air's above it included, in kPa.
        @ExplicitNull package var pressure: Double? = nil
        /// Of the air above the water, in kPa.
        @ExplicitNull package var surfacePressure: Double? = nil
        /// Of the water, in °C.
        @ExplicitNull package var temperature: Double? = nil
        /// ± °C.
        @ExplicitNull package var temperatureUncertainty: Double? = nil
    }

    package struct Local: Hashable, Sendable, Codable {
        package var n: Int?
        /// When it occurred, by the controller's word.
        package var at: Double
        package var player: Int
        package var controller: String
        package var gesture: String
        /// The host's own gesture that it was; `nil` where the host saw none.
        @ExplicitNull package var id: String? = nil
        /// In ms after ``at``; `nil` where nothing was played.
        @ExplicitNull package var felt: Double? = nil
    }

    package struct Motion: Hashable, Sendable, Codable {
        /// The moment that is described: now, but at most 50 ms after the newest sample.
        package var at: Double
        package var player: Int
        /// w, x, y, z, body to earth.
        package var attitude: [Double]
        /// g, CoreMotion's sign.
        package var gravity: [Double]
        /// g, CoreMotion's sign.
        package var userAcceleration: [Double]
        /// The same as a mean that fades, of which each sample at 100 Hz makes up `lowPassFactor`.
        package var lowPassedAcceleration: [Double]
        package var lowPassFactor: Double
        /// rad/s.
        package var rotationRate: [Double]
        /// Roll and pitch in rad.
        package var tilt: [Double]
        /// A sample that it rests on is older than the 50 ms by which motion is carried on.
        package var stale: Bool
    }

    package struct Link: Hashable, Sendable, Codable {
        package enum State: String, Hashable, Sendable, Codable { case good, poor, silent }
        package var n: Int?
        package var at: Double
        package var player: Int
        package var controller: String
        package var state: State
        /// The stream from which nothing comes, or something again; `nil` when it is the link as a whole.
        @ExplicitNull package var stream: Int? = nil
        /// `udp`, `wss`, `post`, or `legacy`: frames without numbers.
        package var transport: String
        /// One way, ms; `nil` while the clocks are not known.
        @ExplicitNull package var delay: Double? = nil
        /// `nil` where nothing is numbered.
        @ExplicitNull package var samplesMissing: Int? = nil
        /// `nil` where nothing is numbered, and on a reliable transport: there a loss shows as delay.
        @ExplicitNull package var datagramsMissing: Int? = nil
    }

    package struct Room: Hashable, Sendable, Codable {
        package enum State: String, Hashable, Sendable, Codable { case locked, unlocked, closing, changed }
        package var n: Int?
        package var at: Double
        package var state: State
    }

    package struct Teaching: Hashable, Sendable, Codable {
        package enum State: String, Hashable, Sendable, Codable { case example, unlike, finished, abandoned }
        package var n: Int?
        package var at: Double
        package var player: Int
        package var gesture: String
        package var state: State
        /// How many examples count so far.
        package var shown: Int
        /// How many are wanted; more than were asked for once a fourth and a fifth would help.
        package var times: Int
        /// Which gesture that was taught before is so near that this one might be taken for it.
        @ExplicitNull package var alike: String? = nil
    }

    package struct Shaping: Hashable, Sendable, Codable {
        package struct Candidate: Hashable, Sendable, Codable {
            package var gesture: String
            /// 0 … 1; those of all that the player taught, and that it is none of them, add up to 1.
            package var likelihood: Double
        }
        package var n: Int?
        package var at: Double
        package var player: Int
        package var controller: String
        package var phase: Gesture.Phase
        /// How much of the likeliest is done, 0 … 1.
        package var progress: Double
        /// The likeliest first, three at most; none when it is over.
        package var candidates: [Candidate]
    }

    package struct Sensor: Hashable, Sendable, Codable {
        package enum State: String, Hashable, Sendable, Codable { case connected, disconnected, tookOver, problem }
        package var n: Int?
        package var at: Double
        package var player: Int
        package var controller: String
        package var stream: Int
        /// Where on its person the sensor sits: `default`, `left` or `right`.
        package var location: String
        package var state: State
        /// Of which stream it took over; `nil` for another state, and where none spoke before.
        @ExplicitNull package var from: Int? = nil
        /// `accelerationInG`, `stuck` … ; `nil` for another state.
        @ExplicitNull package var problem: String? = nil
        /// The problem in words, and what to do.
        @ExplicitNull package var explanation: String? = nil
    }

    package struct Omitted: Hashable, Sendable, Codable {
        package var n: Int?
        package var at: Double
        package var player: Int
        package var controller: String
        /// Parts of gestures and notices of sensors.
        package var count: Int
    }

    package struct Asking: Hashable, Sendable, Codable {
        package var n: Int?
        package var at: Double
        package var controller: String
        package var name: String
    }

    /// One of those who wait for a seat.
    package struct Queued: Hashable, Sendable, Codable {
        package var controller: String
        package var name: String
        /// From 1.
        package var place: Int
    }

    package struct Queue: Hashable, Sendable, Codable {
        package enum State: String, Hashable, Sendable, Codable { case queued, called, seated, lost, left }
        package var n: Int?
        package var at: Double
        package var state: State
        package var controller: String
        package var name: String
        /// Where it stands, or stood, from 1.
        package var place: Int
    }
}
