/// Decides which announcements are being resolved, so that a flood of forged ones cannot exhaust the daemon.
///
/// A resolver is kept after its first answer, because that is how changes of the TXT record are heard. When there are
/// more announcements than resolvers, the one that has been settled longest makes way for the one that waits longest, and
/// is resolved again once there is a resolver to spare.
struct ResolverBudget: Sendable {
    enum Action: Sendable, Equatable {
        case open(Sighting)
        case close(Sighting)
    }

    private enum Standing: Sendable {
        /// Open, and not answered yet.
        case asking
        /// Open, answered or failed.
        case settled
        case waiting
        /// Had its answer, and made way.
        case displaced
    }

    /// Half of what avahi-daemon allows a client by default (`objects-per-client-max=1024`).
    static let standardLimit = 512

    private let limit: Int
    /// Only ever looked up; a storm of thousands must not search the lists below for each.
    private var standings: [Sighting: Standing] = [:]
    /// Each in the order in which they came to stand so.
    private var settled: [Sighting] = []
    private var waiting: [Sighting] = []
    private var displaced: [Sighting] = []
    private(set) var openCount = 0

    init(limit: Int = standardLimit) {
        precondition(limit > 0, "a budget of no resolvers resolves nothing")
        self.limit = limit
    }

    /// An announcement wants to be resolved.
    mutating func request(_ sighting: Sighting) -> [Action] {
        switch standings[sighting] {
        case .asking, .settled, .waiting: return []
        case .displaced: displaced.removeAll { $0 == sighting }
        case nil: break
        }
        standings[sighting] = .waiting
        waiting.append(sighting)
        return replenish()
    }

    /// A resolver answered or failed, for the first time or again.
    mutating func settle(_ sighting: Sighting) -> [Action] {
        guard standings[sighting] == .asking else { return [] }
        standings[sighting] = .settled
        settled.append(sighting)
        return replenish()
    }

    /// An announcement is gone.
    mutating func withdraw(_ sighting: Sighting) -> [Action] {
        switch standings.removeValue(forKey: sighting) {
        case nil: return []
        case .waiting:
            waiting.removeAll { $0 == sighting }
            return []
        case .displaced:
            displaced.removeAll { $0 == sighting }
            return []
        case .settled: settled.removeAll { $0 == sighting }
        case .asking: break
        }
        openCount -= 1
        return [.close(sighting)] + replenish()
    }

    private mutating func replenish() -> [Action] {
        var actions: [Action] = []
        while let next = waiting.first {
            if openCount >= limit {
                guard !settled.isEmpty else { break }
                actions.append(displaceFirst())
            }
            waiting.removeFirst()
            actions.append(open(next))
        }
        while waiting.isEmpty, openCount < limit, !displaced.isEmpty {
            actions.append(open(displaced.removeFirst()))
        }
        return actions
    }

    private mutating func open(_ sighting: Sighting) -> Action {
        standings[sighting] = .asking
        openCount += 1
        return .open(sighting)
    }

    private mutating func displaceFirst() -> Action {
        let sighting = settled.removeFirst()
        standings[sighting] = .displaced
        displaced.append(sighting)
        openCount -= 1
        return .close(sighting)
    }
}
