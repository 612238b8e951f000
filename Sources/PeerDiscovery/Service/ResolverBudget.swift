/// Decides which announcements are being resolved, so that a flood of forged ones cannot exhaust the daemon.
///
/// A resolver is kept after its first answer, because that is how changes of the TXT record are heard. When there are
/// more announcements than resolvers, the one that has been settled longest makes way for the one that waits longest.
struct ResolverBudget: Sendable {
    enum Action: Sendable, Equatable {
        case open(Sighting)
        case close(Sighting)
    }

    /// Half of what avahi-daemon allows a client by default (`objects-per-client-max=1024`).
    static let standardLimit = 512

    private let limit: Int
    /// Open, and not answered yet.
    private var asking: Set<Sighting> = []
    /// Open, answered or failed, longest settled first.
    private var settled: [Sighting] = []
    private var waiting: [Sighting] = []

    init(limit: Int = standardLimit) {
        precondition(limit > 0, "a budget of no resolvers resolves nothing")
        self.limit = limit
    }

    var openCount: Int { asking.count + settled.count }

    /// An announcement wants to be resolved.
    mutating func request(_ sighting: Sighting) -> [Action] {
        guard !asking.contains(sighting), !settled.contains(sighting), !waiting.contains(sighting) else { return [] }
        waiting.append(sighting)
        return replenish()
    }

    /// A resolver answered or failed, for the first time or again.
    mutating func settle(_ sighting: Sighting) -> [Action] {
        guard asking.remove(sighting) != nil else { return [] }
        settled.append(sighting)
        return replenish()
    }

    /// An announcement is gone.
    mutating func withdraw(_ sighting: Sighting) -> [Action] {
        waiting.removeAll { $0 == sighting }
        guard asking.remove(sighting) != nil || settled.contains(sighting) else { return [] }
        settled.removeAll { $0 == sighting }
        return [.close(sighting)] + replenish()
    }

    private mutating func replenish() -> [Action] {
        var actions: [Action] = []
        while let next = waiting.first {
            if openCount >= limit {
                guard !settled.isEmpty else { break }
                actions.append(.close(settled.removeFirst()))
            }
            waiting.removeFirst()
            asking.insert(next)
            actions.append(.open(next))
        }
        return actions
    }
}
