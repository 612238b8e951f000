import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

/// Reads a room's events as a game would, and knows what may follow on what.
struct EventLaws: Sendable {
    private enum Presence: Sendable { case here, lost }
    private var players: [PlayerNumber: Presence] = [:]
    private var open: [GestureID: GestureEvent.Phase] = [:]
    private var ended: Set<GestureID> = []
    private var haptics: Set<UInt32> = []
    private(set) var problems: [String] = []

    /// Gestures that began and have not ended.
    var openGestures: Int { open.count }
    var present: [PlayerNumber] { players.keys.sorted() }

    /// The host's process died: seats that were kept are lost, and nothing that had begun will end.
    mutating func hostRestarted(_ leases: [Lease]) {
        players = [:]
        for lease in leases { players[lease.player] = .lost }
        open = [:]
        ended = []
        haptics = []
    }

    mutating func takeProblems() -> [String] {
        defer { problems = [] }
        return problems
    }

    mutating func read(_ event: RoomEvent, now: HostTime) {
        switch event {
        case .player(let change): read(change)
        case .gesture(let gesture, let controllers): read(gesture, controllers, now: now)
        case .haptic(let haptic):
            if !haptics.insert(haptic.id).inserted { problems.append("haptic \(haptic.id) ended twice") }
        case .verdict(let verdict): read(verdict)
        case .motion, .team, .link, .room, .asking, .teaching, .sensor: break
        }
    }

    private mutating func read(_ change: RoomEvent.Player) {
        let before = players[change.player]
        switch (change.state, before) {
        case (.joined, nil), (.back, .lost): players[change.player] = .here
        case (.lost, .here): players[change.player] = .lost
        case (.left, .here), (.left, .lost): players[change.player] = nil
        case (.renamed, .here), (.renamed, .lost): break
        case (.joined, _), (.lost, _), (.back, _), (.left, _), (.renamed, _):
            problems.append(
                "P\(change.player) is told to be \(change.state.rawValue) while \(before.map { "\($0)" } ?? "away")")
        }
    }

    private mutating func read(_ gesture: GestureEvent, _ controllers: [ControllerID], now: HostTime) {
        if gesture.occurredAt > now { problems.append("\(gesture.id) occurs after it is told") }
        if controllers.count != gesture.controllers.count { problems.append("\(gesture.id) names too few controllers") }
        if !(0...1).contains(gesture.strength) || !(0...1).contains(gesture.confidence) {
            problems.append("\(gesture.id) has strength \(gesture.strength), confidence \(gesture.confidence)")
        }
        switch (gesture.phase, open[gesture.id]) {
        case (.began, nil) where !ended.contains(gesture.id): open[gesture.id] = .began
        case (.changed, .some): break
        case (.ended, .some):
            open[gesture.id] = nil
            ended.insert(gesture.id)
        case (.began, _), (.changed, nil), (.ended, nil):
            problems.append("\(gesture.id) \(gesture.phase.rawValue) out of its turn")
        }
    }

    private mutating func read(_ verdict: Verdict) {
        let ranked = verdict.order.flatMap(\.self)
        if Set(ranked).count != ranked.count { problems.append("\(verdict.id) ranks somebody twice") }
        if !Set(verdict.winners).isSubset(of: verdict.order.first ?? []) {
            problems.append("\(verdict.id) has a winner who is not first")
        }
        // Of those ranked one after another, the later's interval lies wholly after the earlier's, or overlaps only with
        // somebody's between: who is certainly before somebody never stands behind them.
        for later in verdict.contenders {
            guard let rank = later.rank, let at = later.occurredAt, let width = later.uncertaintyNanoseconds else {
                continue
            }
            for other in verdict.contenders {
                guard let otherRank = other.rank, let otherAt = other.occurredAt,
                    let otherWidth = other.uncertaintyNanoseconds, otherRank < rank
                else { continue }
                if at + .nanoseconds(width) < otherAt - .nanoseconds(otherWidth) {
                    problems.append(
                        "\(verdict.id): P\(later.player) was surely first, and stands behind P\(other.player)")
                }
            }
        }
    }
}
