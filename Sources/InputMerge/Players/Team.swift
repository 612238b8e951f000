public import WireProtocol

/// Players who act together: what they do by this rule, their team does.
public struct Team: Hashable, Sendable {
    /// 1 to 63 bytes.
    public var name: String
    /// In any order; at most 1,000.
    public var players: [PlayerNumber]
    /// `any`, `all` or `quorum`.
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
    let team: Team
    private var fusions: [Fusion]
    private var lastSerial: UInt64 = 0

    init(_ team: Team, gestures: Int) {
        self.team = team
        fusions = Array(repeating: Fusion(team.rule, .mean), count: gestures + 1)
    }

    /// What the team does because one of its players did something.
    ///
    /// - Parameters:
    ///   - detection: its `peer` is the player's number.
    ///   - live: whether a player is heard.
    mutating func take(_ detection: Detection, live: (PlayerNumber) -> Bool) -> [Fusion.Outcome] {
        guard team.players.contains(detection.peer) else { return [] }
        let votes = Votes(team.players.sorted().map { ($0, live($0)) }, whenLost: team.whenLost)
        let id = GestureID(player: 0, serial: lastSerial + 1)
        let outcomes = fusions[detection.gesture].take(detection, votes: votes, nextID: id)
        for outcome in outcomes where outcome.detection.phase == .began { lastSerial += 1 }
        return outcomes
    }
}
