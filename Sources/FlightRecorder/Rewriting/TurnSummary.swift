import InputMerge
import RoomEngine
import SessionCoordinator
package import WireProtocol

extension TapeRewriter {
    /// Where a new tape parts from the old one.
    package struct Difference: Hashable, Sendable {
        /// When that turn was.
        package var at: HostTime
        /// What the old tape told then, without names and ids; where both are the same, the players' motion differs.
        package var was: [String]
        /// What the new one tells.
        package var told: [String]
    }
}

/// Gestures that one of two evenings has told, and the other has not, yet: one of the two is empty.
struct Untold {
    var was: [String] = []
    var told: [String] = []

    /// What both have told by now.
    mutating func takePair() -> (was: String, told: String)? {
        guard !was.isEmpty, !told.isEmpty else { return nil }
        return (was.removeFirst(), told.removeFirst())
    }
}

/// What a turn told, without what labels change.
struct TurnSummary: Hashable {
    private(set) var events: [String] = []
    private var motion = MotionDigest()

    /// - Parameter still: whose motion was left out; while it is nobody's, all motion counts.
    init(_ outputs: [RoomOutput], of still: Set<ControllerID>) {
        for output in outputs {
            if still.isEmpty { motion.take(output) }
            guard case .event(let event) = output, let word = Self.word(for: event) else { continue }
            events.append(word)
        }
    }

    private static func word(for event: RoomEvent) -> String? {
        switch event {
        case .motion: nil
        // Whoever takes another name keeps the label.
        case .player(let change):
            change.state == .renamed ? nil : "player \(change.player) \(change.state) at \(change.at.nanoseconds)"
        case .gesture(let gesture, _): "gesture \(gesture)"
        case .shaping(let shaping, _): "shaping \(shaping)"
        case .team(let gesture): "team \(gesture)"
        case .verdict(let verdict): "verdict \(verdict)"
        case .link(let change, _, let at): "link \(change) at \(at.nanoseconds)"
        case .haptic(let haptic): "haptic \(haptic.id) of \(haptic.player): \(haptic.outcome)"
        case .room(let change, let at): "room \(change) at \(at.nanoseconds)"
        case .asking(_, _, let at): "asking at \(at.nanoseconds)"
        case .queue(let change, let at): "queue \(change.state) at \(at.nanoseconds)"
        case .teaching(let progress, let at): "teaching \(progress) at \(at.nanoseconds)"
        case .sensor(let sensor, let player, _): "sensor \(sensor) of \(player)"
        case .submersion(let event, let player, _): "submersion \(event) of \(player)"
        case .omitted(let omission, let player, _): "omitted \(omission) of \(player)"
        case .local(let verdict):
            "local \(verdict.gesture) of \(verdict.player) at \(verdict.occurredAt.nanoseconds), felt "
                + "\(verdict.feltAt as Any), \(verdict.confirmedBy as Any)"
        case .battery(let notice): "battery \(notice.percent) \(notice.isCharging as Any) of \(notice.player)"
        }
    }
}
