/// Rules that may change while people play.
extension Merge {
    /// From now on gestures are recognised by these thresholds, and contests judged by these rules.
    ///
    /// Gestures that had begun by other thresholds end with the change. A contest that has begun gets its verdict, by the
    /// new rules; one that is not wanted any more, too. Who taught something keeps it.
    ///
    /// - Precondition: the gestures are those that there were, by kind and in their order, and nothing has a problem.
    public mutating func adopt(gestures: [GestureDefinition], contests: ContestRules) {
        precondition(
            gestures.map(\.kind) == configuration.gestures.map(\.kind), "players keep their gestures by these numbers")
        let recognises = gestures != configuration.gestures
        configuration.gestures = gestures
        if contests != configuration.contests || recognises { arbiter.adopt(contests, among: gestures) }
        configuration.contests = contests
        precondition(configuration.problem == nil, configuration.problem ?? "")
        guard recognises else { return }
        for peer in peers.keys { equip(peer) }
        settle()
    }
}
