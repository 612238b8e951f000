import InputMerge
import RoomEngine
import WireProtocol

extension EventRecord {
    /// What became of a haptic, and how long the way to it was.
    package struct Haptic: Hashable, Sendable, Codable {
        package enum Outcome: String, Hashable, Sendable, Codable { case played, refused, lost }
        package var n: Int?
        package var at: Double
        package var player: Int
        package var id: String
        package var outcome: Outcome
        /// ms since the room opened.
        @ExplicitNull package var playedAt: Double? = nil
        /// Why it was refused.
        @ExplicitNull package var reason: String? = nil
        /// Whose motor it was.
        @ExplicitNull package var controller: String? = nil
        /// Where the time went; `nil` unless it was played.
        @ExplicitNull package var latency: Latency? = nil

        /// `sensor > network > fusion > command > played`: from the movement to what is felt of it.
        package struct Latency: Hashable, Sendable, Codable {
            /// The gesture that it answers; `nil` when nobody said: then the first three parts are not known.
            @ExplicitNull package var gesture: String? = nil
            /// From the movement until its sample left the controller.
            @ExplicitNull package var sensor: Span? = nil
            /// From there to the host's socket.
            @ExplicitNull package var network: Span? = nil
            /// Until the gesture was told: earlier samples and other controllers were waited for.
            @ExplicitNull package var fusion: Span? = nil
            /// Until the command left the host; without a gesture, from when it was given.
            @ExplicitNull package var command: Span? = nil
            /// Until the controller began to play it.
            @ExplicitNull package var played: Span? = nil
            /// From the movement, or without a gesture from the command, until it was played.
            @ExplicitNull package var total: Span? = nil
        }

        package struct Span: Hashable, Sendable, Codable {
            /// May be below 0 by as much as it may be wrong.
            package var ms: Double
            /// The truth lies within ± this many ms.
            package var uncertainty: Double
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
