import Roomful
import Synchronization
import WireProtocol

/// Which controllers of a fleet are silent, and why, in the words that they were told.
final class FleetSilences: Sendable {
    /// A reason, and how many controllers were silent for it, one of them by name.
    struct Reason: Sendable, Encodable, Equatable {
        var reason: String
        var controllers: Int
        var example: String
    }

    private struct State {
        /// Why each is silent now, by name.
        var now: [String: String] = [:]
        /// Whoever was ever silent for a reason.
        var ever: [String: Set<String>] = [:]
        /// What ``news()`` told last.
        var told: [Reason] = []
    }

    /// Reasons may hold addresses and times; of more than these the rest is one.
    private static let mostReasons = 16
    private static let another = "another reason"

    private let state = Mutex(State())

    /// Follows a controller until nothing is told of it any more, or the task is cancelled.
    func follow(_ controller: Controller) async {
        for await event in controller.events { note(event, of: controller.name) }
    }

    func note(_ event: ControllerEvent, of name: String) {
        switch event {
        case .reconnecting(let reason): begin(reason, name)
        case .refused(let refusal): begin("it was refused: \(refusal.message)", name)
        case .ended(let ending): begin("it has ended: \(ending)", name)
        case .seated, .recovered: state.withLock { $0.now[name] = nil }
        case .haptic, .identify, .message, .data, .moving, .stays: break
        }
    }

    /// Why controllers were silent, the commonest reason first.
    var reasons: [Reason] { state.withLock { Self.ranked($0.ever) } }

    /// Who is silent now, as lines; none when that is what was told last.
    func news() -> [String] {
        state.withLock { state in
            var groups: [String: Set<String>] = [:]
            for (name, reason) in state.now { groups[reason, default: []].insert(name) }
            let now = Self.ranked(groups)
            guard now != state.told else { return [] }
            defer { state.told = now }
            return now.isEmpty ? ["  all are heard again"] : now.map(Self.line)
        }
    }

    /// `3 silent, Fleet 0002 and others: the host has not been heard for a second`
    static func line(_ reason: Reason) -> String {
        let who = reason.example + (reason.controllers > 1 ? " and others" : "")
        return "  \(reason.controllers) silent, \(who): \(reason.reason)"
    }

    private func begin(_ reason: String, _ name: String) {
        state.withLock { state in
            let isKnown = state.ever[reason] != nil || state.ever.count < Self.mostReasons
            let kept = isKnown ? reason : Self.another
            state.now[name] = kept
            state.ever[kept, default: []].insert(name)
        }
    }

    private static func ranked(_ groups: [String: Set<String>]) -> [Reason] {
        groups.map { Reason(reason: $0, controllers: $1.count, example: $1.min() ?? "") }
            .sorted { ($1.controllers, $0.reason) < ($0.controllers, $1.reason) }
    }
}
