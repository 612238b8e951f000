import Roomful

/// A verdict in words, whoever its players are: of one room by number, or of several by name.
enum VerdictWords {
    /// `in order: P1, P2 = P3; not waited for: P4`: ranks, best first; ties with an equals sign.
    ///
    /// - Parameters:
    ///   - placed: how one is shown who has a rank.
    ///   - name: how all others are.
    static func text<Who>(
        order: [[Who]], isReplayed: Bool, ties: String, winners: [Who], unranked: [Who], missed: [Who],
        placed: (Who) -> String, name: (Who) -> String
    ) -> String {
        let ranks = order.map { $0.map(placed).joined(separator: " = ") }.joined(separator: ", ")
        func list(_ all: [Who]) -> String { all.map(name).joined(separator: ", ") }
        var text = order.isEmpty ? "nobody can be ranked" : "in order: \(ranks)"
        if isReplayed { text += "; a tie, to be played again" }
        if ties == ContestRules.Ties.draw.rawValue, let winner = winners.first, (order.first?.count ?? 0) > 1 {
            text += "; drawn: \(name(winner))"
        }
        if !unranked.isEmpty { text += "; no claim for \(list(unranked)) (clock)" }
        if !missed.isEmpty { text += "; not waited for: \(list(missed))" }
        return text
    }
}
