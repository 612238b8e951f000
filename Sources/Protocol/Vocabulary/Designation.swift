/// Who is meant by what a person typed: the one rule of it, for peers, newcomers and controllers that wait nearby.
///
/// Names are chosen by strangers: nobody's name stands for somebody else's whole id, for what an id begins with, as it is
/// printed to be pasted, or for a player. Where a name and somebody else's id begin alike, both are meant, and nobody can
/// choose.
package struct Designation: Sendable {
    /// How a text can mean somebody. The first way in which it means anyone decides.
    package enum Way: CaseIterable, Sendable {
        /// All digits of an id.
        case wholeID
        /// A player: `P3`.
        case player
        /// A name, letter by letter.
        case name
        /// A name, whatever its case.
        case nameInAnyCase
        /// At least 4 digits with which an id begins.
        case beginningOfID
    }

    private let text: String
    private let lower: String
    /// Which player it means, if it means one: `P3`.
    package let player: PlayerNumber?

    package init(_ text: String) {
        self.text = text
        lower = text.lowercased()
        player = lower.first == "p" ? PlayerNumber(text.dropFirst()) : nil
    }

    /// Whether somebody is meant in this way.
    ///
    /// - Parameters:
    ///   - id: in lowercase digits.
    ///   - player: `nil` for whoever has no seat.
    package func means(id: some StringProtocol, name: String, player: PlayerNumber? = nil, by way: Way) -> Bool {
        switch way {
        case .wholeID: id == lower
        case .player: player != nil && player == self.player
        case .name: name == text
        case .nameInAnyCase: name.lowercased() == lower
        case .beginningOfID: text.utf8.count >= 4 && id.hasPrefix(lower)
        }
    }

    /// Those who are meant, by the first way in which anyone is: none, one, or several among whom nobody can choose.
    package func choose<Candidate>(
        _ candidates: (_ isMeant: (_ id: String, _ name: String, _ player: PlayerNumber?) -> Bool) -> [Candidate]
    ) -> [Candidate] {
        for way in Way.allCases {
            let ways = way == .name || way == .nameInAnyCase ? [way, .beginningOfID] : [way]
            func chosen(by ways: [Way]) -> [Candidate] {
                candidates { id, name, player in
                    ways.contains { means(id: id, name: name, player: player, by: $0) }
                }
            }
            if !chosen(by: [way]).isEmpty { return chosen(by: ways) }
        }
        return []
    }
}
