import RoomEngine
import WireProtocol

extension EventRecord {
    /// What became of a haptic, and how long the way to it was.
    public struct Haptic: Hashable, Sendable, Codable {
        public enum Outcome: String, Hashable, Sendable, Codable { case played, refused, lost }
        public var n: Int?
        public var at: Double
        public var player: Int
        public var id: String
        public var outcome: Outcome
        /// ms since the room opened.
        @ExplicitNull public var playedAt: Double? = nil
        /// Why it was refused.
        @ExplicitNull public var reason: String? = nil
        /// Whose motor it was.
        @ExplicitNull public var controller: String? = nil
        /// Where the time went; `nil` unless it was played.
        @ExplicitNull public var latency: Latency? = nil

        /// `sensor > network > fusion > command > played`: from the movement to what is felt of it.
        public struct Latency: Hashable, Sendable, Codable {
            /// The gesture that it answers; `nil` when nobody said: then the first three parts are not known.
            @ExplicitNull public var gesture: String? = nil
            /// From the movement until its sample left the controller.
            @ExplicitNull public var sensor: Span? = nil
            /// From there to the host's socket.
            @ExplicitNull public var network: Span? = nil
            /// Until the gesture was told: earlier samples and other controllers were waited for.
            @ExplicitNull public var fusion: Span? = nil
            /// Until the command left the host; without a gesture, from when it was given.
            @ExplicitNull public var command: Span? = nil
            /// Until the controller began to play it.
            @ExplicitNull public var played: Span? = nil
            /// From the movement, or without a gesture from the command, until it was played.
            @ExplicitNull public var total: Span? = nil
        }

        public struct Span: Hashable, Sendable, Codable {
            /// May be below 0 by as much as it may be wrong.
            public var ms: Double
            /// The truth lies within ± this many ms.
            public var uncertainty: Double
        }
    }
}

extension EventRecord.Haptic {
    init(_ haptic: RoomEvent.Haptic, _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(haptic.at), player: haptic.player, id: "h\(haptic.id)", outcome: .lost,
            controller: haptic.controller.description)
        switch haptic.outcome {
        case .played(let at, let latency):
            outcome = .played
            playedAt = clock.milliseconds(at)
            self.latency = latency.map(Latency.init)
        case .refused(let refusal): (outcome, reason) = (.refused, "\(refusal)")
        case .lost: reason = "no receipt came"
        }
    }
}

extension EventRecord.Haptic.Latency {
    fileprivate init(_ latency: HapticLatency) {
        func span(_ span: HapticLatency.Span?) -> EventRecord.Haptic.Span? {
            span.map {
                .init(ms: RecordClock.milliseconds($0.duration), uncertainty: RecordClock.milliseconds($0.uncertainty))
            }
        }
        self.init(
            gesture: latency.gesture?.description, sensor: span(latency.sensor), network: span(latency.network),
            fusion: span(latency.fusion), command: span(latency.command), played: span(latency.played),
            total: span(latency.total))
    }
}
