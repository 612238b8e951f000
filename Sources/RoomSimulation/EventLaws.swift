import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

/// Reads a room's events as a game would, and knows what may follow on what.
struct EventLaws: Law, Sendable {
    private enum Presence: Sendable { case here, lost }
    private struct Seat: Sendable {
        var player: PlayerNumber
        var presence = Presence.here
    }
    private var seats: [ControllerID: Seat] = [:]
    private var open: [GestureID: GestureEvent.Phase] = [:]
    private var ended: Set<GestureID> = []
    private var haptics: Set<UInt32> = []
    /// Who makes a motion, as far as was told, that may become a taught gesture.
    private var shaped: Set<ControllerID> = []
    /// How deep each is, by what was told alone.
    private var submersions: [ControllerID: SubmersionState] = [:]
    /// Who waits for a seat, in order, by what was told alone.
    private(set) var queue: [ControllerID] = []
    var problems: [String] = []

    /// Gestures that began and have not ended.
    var openGestures: Int { open.count }
    /// Their ids, for words.
    var openNames: [String] { open.keys.map { "\($0)" }.sorted() }
    var present: Set<ControllerID> { Set(seats.keys) }

    /// The host's process died: seats that were kept are lost, and nothing that had begun will end.
    mutating func hostRestarted(_ leases: [Lease]) {
        seats = [:]
        queue = []
        for lease in leases { seats[lease.controller] = Seat(player: lease.player, presence: .lost) }
        open = [:]
        ended = []
        haptics = []
        shaped = []
        submersions = [:]
    }

    mutating func read(_ event: RoomEvent, now: HostTime) {
        switch event {
        case .player(let change): read(change)
        case .gesture(let gesture, let controllers): read(gesture, controllers, now: now)
        case .haptic(let haptic):
            if !haptics.insert(haptic.id).inserted { problems.append("haptic \(haptic.id) ended twice") }
        case .verdict(let verdict): read(verdict)
        case .queue(let change, _): read(change)
        case .shaping(let event, let controller): read(event, controller)
        case .submersion(let event, _, let controller): read(event, controller)
        case .motion, .team, .link, .room, .asking, .teaching, .sensor, .omitted, .battery, .local: break
        }
    }

    /// Each state ends where the next begins, and nothing is told of one that nobody knows.
    private mutating func read(_ event: SubmersionEvent, _ controller: ControllerID) {
        let known = submersions[controller] ?? .unknown
        if (event.from ?? event.state) != known || event.from == event.state {
            problems.append("\(controller) is \(event.state), from \(event.from as Any), after \(known)")
        }
        if event.from == nil, event.state == .unknown || event.state == .notSubmerged {
            problems.append("\(controller) tells again that it is \(event.state)")
        }
        submersions[controller] = event.state
    }

    private mutating func read(_ shaping: ShapingEvent, _ controller: ControllerID) {
        if (shaping.phase == .began) == shaped.contains(controller) {
            problems.append("a motion of \(controller) \(shaping.phase.rawValue) out of its turn")
        }
        if shaping.phase == .ended { shaped.remove(controller) } else { shaped.insert(controller) }
        let likelihoods = shaping.candidates.map(\.likelihood)
        let isOrdered = likelihoods == likelihoods.sorted(by: >) && likelihoods.reduce(0, +) < 1
        if !isOrdered || likelihoods.isEmpty != (shaping.phase == .ended) {
            problems.append("a motion of \(controller) may become \(shaping.candidates)")
        }
    }

    private mutating func read(_ change: Occurrence.QueueChange) {
        let before = queue.firstIndex(of: change.controller)
        if let before { queue.remove(at: before) }
        switch change.state {
        case .queued, .called:
            if (change.state == .called) != (before != nil) || !(1...queue.count + 1).contains(change.place) {
                return problems.append("\(change.name) is \(change.state.rawValue) from place \(before ?? -1)")
            }
            queue.insert(change.controller, at: change.place - 1)
        case .seated, .lost, .left:
            if before != change.place - 1 {
                problems.append(
                    "\(change.name) is \(change.state.rawValue) at place \(change.place), not where it stood")
            }
        }
    }

    private mutating func read(_ change: RoomEvent.Player) {
        guard let controller = change.controllers.first, change.controllers.count == 1 else {
            return problems.append("P\(change.player) changes, and nobody says whose controller it is")
        }
        let before = seats[controller]?.presence
        switch (change.state, before) {
        case (.joined, nil): seats[controller] = Seat(player: change.player)
        case (.back, .lost): seats[controller]?.presence = .here
        case (.lost, .here): seats[controller]?.presence = .lost
        case (.left, .here), (.left, .lost): leave(controller, change.player)
        case (.renamed, .here), (.renamed, .lost): break
        case (.joined, _), (.lost, _), (.back, _), (.left, _), (.renamed, _):
            problems.append(
                "P\(change.player) is told to be \(change.state.rawValue) while \(before.map { "\($0)" } ?? "away")")
        }
    }

    /// What a player has begun ends before the last of its controllers is told to have left.
    private mutating func leave(_ controller: ControllerID, _ player: PlayerNumber) {
        seats[controller] = nil
        guard !seats.values.contains(where: { $0.player == player }) else { return }
        for gesture in open.keys.filter({ $0.player == player }).sorted() {
            problems.append("P\(player) has left, and \(gesture) goes on")
        }
    }

    private mutating func read(_ gesture: GestureEvent, _ controllers: [ControllerID], now: HostTime) {
        if gesture.occurredAt > now { problems.append("\(gesture.id) occurs after it is told") }
        if controllers.count != gesture.controllers.count { problems.append("\(gesture.id) names too few controllers") }
        if controllers.contains(where: { seats[$0]?.player != gesture.player }) {
            problems.append("\(gesture.id) \(gesture.phase.rawValue), and not all who made it are P\(gesture.player)")
        }
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
