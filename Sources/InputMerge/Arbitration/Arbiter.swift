import WireProtocol

/// Gives the verdicts of all contests of a room.
struct Arbiter: Sendable {
    /// In the order of the rules' gestures.
    private var contests: [Contest]

    init(_ rules: ContestRules) { contests = rules.gestures.map { Contest($0, rules: rules) } }

    var isOpen: Bool { contests.contains(where: \.isOpen) }

    /// When a verdict falls at the latest.
    var deadline: HostTime? {
        var next: HostTime?
        for contest in contests {
            if let deadline = contest.deadline { next = min(next ?? deadline, deadline) }
        }
        return next
    }

    mutating func take(_ candidate: Candidate, gesture: GestureKind) {
        guard let place = contests.firstIndex(where: { $0.gesture == gesture }) else { return }
        contests[place].take(candidate)
    }

    /// The verdicts that can be given now.
    mutating func decide(
        at now: HostTime, among players: [PlayerNumber], standing: (PlayerNumber) -> Standing
    ) -> [Verdict] {
        var verdicts: [Verdict] = []
        for place in contests.indices where contests[place].isOpen {
            while let verdict = contests[place].decide(at: now, among: players, standing: standing) {
                verdicts.append(verdict)
            }
        }
        return verdicts
    }
}
