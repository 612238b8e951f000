import WireProtocol

/// Gives the verdicts of all contests of a room.
struct Arbiter: Sendable {
    /// In the order of the rules' gestures.
    private var contests: [Contest]
    /// The highest number of a verdict of contests that are gone.
    private var lastSerial: UInt64 = 0

    init(_ rules: ContestRules, among definitions: [GestureDefinition]) {
        contests = rules.gestures.map { Contest($0, rules: rules, longestOnset: definitions.longestOnset(of: $0)) }
    }

    /// Judges by these rules from now on. What has begun is judged by them too, also where nothing more is to begin.
    ///
    /// No verdict has the number of an earlier one: a contest that is new, or wanted again, counts on from the highest.
    mutating func adopt(_ rules: ContestRules, among definitions: [GestureDefinition]) {
        let former = contests
        for contest in former { lastSerial = max(lastSerial, contest.serial) }
        contests = rules.gestures.map { gesture in
            guard var known = former.first(where: { $0.gesture == gesture }) else {
                return Contest(
                    gesture, rules: rules, longestOnset: definitions.longestOnset(of: gesture), after: lastSerial)
            }
            known.rules = rules
            known.isEnding = false
            // What is open was placed by the former.
            let longest = definitions.longestOnset(of: gesture)
            known.longestOnset = known.isOpen ? max(known.longestOnset, longest) : longest
            return known
        }
        for var contest in former where contest.isOpen && !rules.gestures.contains(contest.gesture) {
            contest.rules = rules
            contest.isEnding = true
            contests.append(contest)
        }
    }

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
        guard let place = contests.firstIndex(where: { $0.gesture == gesture && !$0.isEnding }) else { return }
        contests[place].take(candidate)
    }

    /// The verdicts that can be given now.
    mutating func decide(
        at now: HostTime, among players: [PlayerNumber], standing: (PlayerNumber, GestureKind) -> PlayerKnowledge
    ) -> [Verdict] {
        var verdicts: [Verdict] = []
        for place in contests.indices where contests[place].isOpen {
            let gesture = contests[place].gesture
            while let verdict = contests[place].decide(
                at: now, among: players, standing: { standing($0, gesture) })
            {
                verdicts.append(verdict)
            }
            if contests[place].isEnding { lastSerial = max(lastSerial, contests[place].serial) }
        }
        contests.removeAll { $0.isEnding && !$0.isOpen }
        return verdicts
    }
}
