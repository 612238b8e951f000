public import WireProtocol

/// Players who act together: what they do by this rule, their team does.
public struct Team: Hashable, Sendable {
    /// 1 to 63 bytes.
    public var name: String
    /// In any order; at most 1,000.
    public var players: [PlayerNumber]
    /// `any`, `all` or `quorum`, within a time that is longer than two players' uncertainties together.
    public var rule: FusionRule.Gathering
    /// What becomes of a player none of whose controllers is heard.
    public var whenLost: FusionRule.Loss

    /// A team; ``problem`` says whether its rule and its players can be used.
    public init(
        _ name: String, _ players: [PlayerNumber], rule: FusionRule.Gathering, whenLost: FusionRule.Loss = .ignore
    ) {
        self.name = name
        self.players = players
        self.rule = rule
        self.whenLost = whenLost
    }

    /// Why it cannot play, in words for whoever declared it; `nil` when it can.
    public var problem: String? {
        if !(1...63).contains(name.utf8.count) { return "a team's name has 1 to 63 bytes" }
        if !(1...1_000).contains(players.count) { return "team \(name) needs 1 to 1000 players" }
        for (place, player) in players.enumerated() where players[..<place].contains(player) {
            return "P\(player) is twice in team \(name)"
        }
        switch rule {
        case .own, .split: return "team \(name) acts by any, all or quorum"
        case .any, .all, .quorum: return FusionRule(gestures: rule).problem.map { "team \(name): \($0)" }
        }
    }
}

/// A team's gesture, or a part of it.
public struct TeamGestureEvent: Hashable, Sendable {
    /// The team's name, as declared.
    public var team: String
    /// What was done together.
    public var gesture: GestureKind
    /// Which part of it this is.
    public var phase: GestureEvent.Phase
    /// One from `began` to `ended`: `t2-41` is the second team's 41st gesture.
    public var id: String
    /// When enough had done it: the moment of the last one that was needed, on the host's clock.
    public var occurredAt: HostTime
    /// How far ``occurredAt`` may be wrong either way, in ns; `nil` while the clock of one of them was not measured.
    public var uncertaintyNanoseconds: Int64?
    /// The mean of those who made it together.
    public var strength: Double
    /// 0 to 1: as sure as the least sure of those who made it.
    public var confidence: Double
    /// Who did it, in ascending order.
    public var players: [PlayerNumber]
    /// Whether all of them moved, or somebody pressed a button.
    public var source = GestureEvent.Source.motion
}

/// A team as it stands.
struct TeamState: Sendable {
    /// More than this wait for nobody, whatever players do.
    private static let mostHeld = 1_024

    let team: Team
    private var fusions: [Fusion]
    /// What waits until all players are known up to then, in order of occurrence.
    private var held: [Detection] = []
    /// The player who was known least far at the last look.
    private var awaited: PlayerNumber?
    private var lastSerial: UInt64 = 0

    init(_ team: Team, gestures: Int) {
        self.team = team
        fusions = Array(repeating: Fusion(team.rule, .mean), count: gestures + 1)
    }

    /// When the first of what waits occurred.
    var heldSince: HostTime? { held.first?.occurredAt }

    /// Takes what a player did, for ``release(oldest:standing:)``; false when the player is none of the team's.
    ///
    /// - Parameter detection: its `peer` is the player's number.
    mutating func hold(_ detection: Detection) -> Bool {
        guard team.players.contains(detection.peer) else { return false }
        // Mostly it is the latest.
        let before = held.lastIndex { !Detection.isBefore(detection, $0) }
        held.insert(detection, at: before.map { $0 + 1 } ?? 0)
        return true
    }

    /// What the team does because of what waited, as far as every player who is heard is known, or it occurred by `oldest`:
    /// in order of occurrence, whoever's link is faster.
    ///
    /// - Parameter standing: what is known of a player now.
    mutating func release(oldest: HostTime, standing: (PlayerNumber) -> PlayerKnowledge) -> [Fusion.Outcome] {
        guard let first = held.first else { return [] }
        let isWaiting = team.rule.window != nil && team.players.count > 1
        let surplus = held.count - Self.mostHeld
        let oldest = surplus > 0 ? max(oldest, held[surplus - 1].occurredAt) : oldest
        if isWaiting, first.occurredAt > oldest, let awaited,
            standing(awaited).knownUntil.map({ $0 < first.occurredAt }) ?? false
        {
            return []
        }
        var known = HostTime.distantFuture
        var players: [(peer: PeerIndex, isLive: Bool)] = []
        for player in team.players.sorted() {
            let knownUntil = standing(player).knownUntil
            if let knownUntil, knownUntil < known { (known, awaited) = (knownUntil, player) }
            players.append((player, knownUntil != nil))
        }
        let until = isWaiting ? max(known, oldest) : .distantFuture
        let due = Array(held.prefix(while: { $0.occurredAt <= until }))
        if due.isEmpty { return [] }
        held.removeFirst(due.count)
        let votes = Votes(players, whenLost: team.whenLost)
        var outcomes: [Fusion.Outcome] = []
        for detection in due {
            outcomes += count(fusions[detection.gesture].take(detection, votes: votes, nextID: nextID))
        }
        return outcomes
    }

    /// A player is nobody's any more: its part in what the team does ends at `now`, and what only waited for that one is
    /// complete, unless it is older than the rule's window.
    mutating func remove(
        _ player: PlayerNumber, now: HostTime, standing: (PlayerNumber) -> PlayerKnowledge
    ) -> [Fusion.Outcome] {
        guard team.players.contains(player) else { return [] }
        var outcomes = release(oldest: .distantFuture, standing: standing)
        let votes = Votes(team.players.sorted().map { ($0, standing($0).isLive) }, whenLost: team.whenLost)
        for gesture in fusions.indices {
            outcomes += fusions[gesture].remove(player, at: now)
            guard let window = team.rule.window else { continue }
            outcomes += count(fusions[gesture].complete(votes: votes, oldest: now - window, nextID: nextID))
        }
        return outcomes
    }

    private var nextID: GestureID { GestureID(player: 0, serial: lastSerial + 1) }

    private mutating func count(_ outcomes: [Fusion.Outcome]) -> [Fusion.Outcome] {
        for outcome in outcomes where outcome.detection.phase == .began { lastSerial += 1 }
        return outcomes
    }
}

extension PlayerKnowledge {
    /// Until when the player is known, where it is heard; `nil` for one who is not waited for.
    fileprivate var knownUntil: HostTime? { isLive ? watermark ?? HostTime(nanoseconds: .min) : nil }
}
