import Testing
import WireProtocol

@Suite("Who is meant by what a person typed")
struct DesignationTests {
    private struct Candidate: Equatable {
        let id: String
        let name: String
        var player: PlayerNumber?
    }

    private let blue = Candidate(id: "aaaa1111222233334444555566667777", name: "Blue", player: 1)
    private let red = Candidate(id: "aaaa9999222233334444555566667777", name: "Red", player: 2)

    private func choose(_ text: String, among candidates: [Candidate]) -> [Candidate] {
        Designation(text).choose { isMeant in candidates.filter { isMeant($0.id, $0.name, $0.player) } }
    }

    @Test(
        "By player, by name whatever its case, by whole id, or by at least 4 of its digits",
        arguments: [
            "P1", "p1", "Blue", "BLUE", "aaaa1111222233334444555566667777", "AAAA1111", "aaaa1",
        ])
    func ways(_ text: String) { #expect(choose(text, among: [blue, red]) == [blue]) }

    @Test(
        "Nobody is meant by too little, or by what nobody is called", arguments: ["", "P", "P3", "P-1", "aaa", "Green"])
    func nobody(_ text: String) { #expect(choose(text, among: [blue, red]).isEmpty) }

    @Test("A name stands neither for another's whole id nor for a player")
    func names() {
        let thief = Candidate(id: "bbbb", name: blue.id, player: 3)
        #expect(choose(blue.id, among: [thief, blue]) == [blue])
        let impostor = Candidate(id: "bbbb", name: "P1", player: 3)
        #expect(choose("P1", among: [impostor, blue]) == [blue])
    }

    @Test(
        "What an id begins with, as it is printed to be pasted, is nobody's name alone",
        arguments: ["aaaa1111", "AAAA1111"])
    func pasted(_ text: String) {
        let thief = Candidate(id: "bbbb", name: "aaaa1111", player: 3)
        #expect(choose(text, among: [thief, blue]) == [thief, blue], "nobody can choose")
        #expect(choose(text, among: [thief, red]) == [thief])
    }

    @Test(
        "What means several is for a person to decide: the same beginning, the same letters, one player's controllers")
    func several() {
        #expect(choose("aaaa", among: [blue, red]) == [blue, red])
        let small = Candidate(id: "bbbb", name: "blue")
        #expect(choose("BLUE", among: [blue, small]) == [blue, small])
        #expect(choose("blue", among: [blue, small]) == [small])
        let second = Candidate(id: "cccc", name: "Green", player: 1)
        #expect(choose("P1", among: [blue, second]) == [blue, second])
    }
}
