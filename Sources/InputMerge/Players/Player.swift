import WireProtocol

/// One player: who drives it, and what it is doing.
struct Player: Sendable {
    /// A controller of the player, as it stands now.
    struct Member: Sendable {
        var peer: PeerIndex
        /// Heard of late.
        var isLive: Bool
        /// Everything that the controller did until then is known.
        var watermark: HostTime?
        var uncertaintyNanoseconds: Int64?
        /// See ``PlayerKnowledge/refusedAt``.
        var refusedAt: HostTime?
    }

    let number: PlayerNumber
    let rule: FusionRule
    /// In ascending order.
    private(set) var controllers: [PeerIndex] = []
    /// One for each of the configuration's gestures, and one for what is taught.
    private var fusions: [Fusion]
    /// The role that each gesture belongs to; `nil` for one that anybody makes.
    private let roles: [Int?]
    private let roleCount: Int
    /// What waits until all controllers are known up to then, in order of occurrence.
    private var held: [Detection] = []
    private var lastSerial: UInt64 = 0
    /// Of the last gestures, the newest last.
    private var origins: [GestureOrigin] = []

    init(number: PlayerNumber, rule: FusionRule, gestures: [GestureKind]) {
        self.number = number
        self.rule = rule
        fusions = Array(repeating: Fusion(rule.gestures, rule.motion), count: gestures.count + 1)
        if case .split(let split) = rule.gestures {
            roles = gestures.map { kind in split.firstIndex { $0.contains(kind) } } + [nil]
            roleCount = split.count
        } else {
            roles = Array(repeating: rule.gestures == .own ? 0 : nil, count: gestures.count + 1)
            roleCount = rule.gestures == .own ? 1 : 0
        }
    }

    /// When the first of the gestures that wait for others' samples occurred.
    var heldSince: HostTime? { held.first?.occurredAt }

    /// Where the gesture came from, for the last 16.
    func origin(of id: GestureID) -> GestureOrigin? { origins.last { $0.gesture == id } }

    mutating func noteTold(_ id: GestureID, at now: HostTime) {
        if let place = origins.lastIndex(where: { $0.gesture == id }) { origins[place].toldAt = now }
    }

    mutating func add(_ peer: PeerIndex) {
        guard !controllers.contains(peer) else { return }
        let place = controllers.firstIndex { $0 > peer } ?? controllers.endIndex
        controllers.insert(peer, at: place)
    }

    /// What the player does because a controller did something.
    ///
    /// Where several must act together, what they do is looked at in order of occurrence, whoever's link is faster:
    /// then it waits for ``release(_:at:)``.
    mutating func take(_ detection: Detection, members: [Member]) -> [Fusion.Outcome] {
        if rule.gestures.window == nil || controllers.count < 2 { return settle(detection, members: members) }
        let place = held.firstIndex { Detection.isBefore(detection, $0) } ?? held.endIndex
        held.insert(detection, at: place)
        return []
    }

    /// Looks at what waited, as far as everyone who is heard is known up to then, or it occurred by `oldest`.
    mutating func release(members: [Member], oldest: HostTime) -> [(gesture: Int, outcome: Fusion.Outcome)] {
        var known = HostTime.distantFuture
        for member in members where member.isLive {
            known = min(known, member.watermark ?? HostTime(nanoseconds: .min))
        }
        known = max(known, oldest)
        var outcomes: [(Int, Fusion.Outcome)] = []
        while let next = held.first, next.occurredAt <= known {
            held.removeFirst()
            outcomes += settle(next, members: members).map { (next.gesture, $0) }
        }
        return outcomes
    }

    /// Forgets a controller at `now`. `members` are those that remain: what only waited for the forgotten one is
    /// complete now, unless it is older than the rule's window.
    mutating func remove(
        _ peer: PeerIndex, members: [Member], now: HostTime
    ) -> [(gesture: Int, outcome: Fusion.Outcome)] {
        var outcomes = release(members: members, oldest: .distantFuture)
        controllers.removeAll { $0 == peer }
        for gesture in fusions.indices {
            outcomes += fusions[gesture].remove(peer, at: now).map { (gesture, $0) }
            guard let window = rule.gestures.window else { continue }
            let completed = fusions[gesture].complete(votes: votes(members), oldest: now - window, nextID: nextID)
            outcomes += count(completed).map { (gesture, $0) }
        }
        return outcomes
    }

    func votes(_ members: [Member]) -> Votes { Votes(members.map { ($0.peer, $0.isLive) }, whenLost: rule.whenLost) }

    /// Whose motion is the player's, and how much each counts; none when nobody is heard.
    func movers(_ members: [Member]) -> [Votes.Share] {
        let role: Int
        switch (rule.gestures, rule.motion) {
        case (.own, _): role = 0
        case (.split(let roles), .first): role = roles.firstIndex { $0.contains(.tilt) } ?? 0
        default: return votes(members).shares
        }
        let holder = holder(of: role, members: members)
        let alone = members.first { holder == nil ? $0.isLive : $0.peer == holder }
        return alone.map { [Votes.Share(peer: $0.peer, weight: 1, isLive: $0.isLive)] } ?? []
    }

    /// Who holds a role now; `nil` when anybody does.
    func holder(of role: Int, members: [Member]) -> PeerIndex? {
        guard !controllers.isEmpty else { return nil }
        let place = role % controllers.count
        let holder = controllers[place]
        // One on which nothing was heard yet, as after a restart of the host, keeps its role no more than one that is lost.
        if members.contains(where: { $0.peer == holder && $0.isLive }) { return holder }
        switch rule.whenLost {
        case .wait: return holder
        // The player is this controller alone: there is nobody else whom its role could fall to.
        case .ignore: return rule.gestures == .own ? holder : nil
        case .handOver:
            let spares = controllers.dropFirst(roleCount)
            let others = controllers[(place + 1)...] + controllers[..<place]
            let isLive = { peer in members.contains { $0.peer == peer && $0.isLive } }
            return spares.first(where: isLive) ?? others.first(where: isLive) ?? holder
        }
    }

    private mutating func settle(_ detection: Detection, members: [Member]) -> [Fusion.Outcome] {
        if detection.phase == .began, let role = roles[detection.gesture],
            let holder = holder(of: role, members: members), holder != detection.peer
        {
            return []
        }
        return count(fusions[detection.gesture].take(detection, votes: votes(members), nextID: nextID))
    }

    private var nextID: GestureID { GestureID(player: number, serial: lastSerial + 1) }

    private mutating func count(_ outcomes: [Fusion.Outcome]) -> [Fusion.Outcome] {
        for outcome in outcomes where outcome.detection.phase == .began {
            lastSerial += 1
            guard let arrivedAt = outcome.detection.arrivedAt else { continue }
            if origins.count >= 16 { origins.removeFirst() }
            origins.append(
                GestureOrigin(
                    gesture: outcome.id, occurredAt: outcome.detection.occurredAt,
                    uncertaintyNanoseconds: outcome.detection.uncertaintyNanoseconds, arrivedAt: arrivedAt,
                    toldAt: arrivedAt, controllers: outcome.controllers))
        }
        return outcomes
    }
}
