import Testing
import WireProtocol

@testable import InputMerge

@Suite("One contest after another")
struct ContestTests {
    private func rules(_ gestures: [GestureKind] = [.jump]) -> ContestRules {
        ContestRules(gestures: gestures, window: .milliseconds(100), cap: .milliseconds(250), pause: .zero)
    }

    private func move(_ serial: UInt64, at time: Double) -> Candidate {
        Candidate(
            player: 1, id: GestureID(player: 1, serial: serial), shownAt: ms(time), uncertaintyNanoseconds: 1_000_000,
            unseenNanoseconds: 0, clock: .locked, rules: rules())
    }

    @Test("Who moves twice within the window is judged once, also where no pause follows")
    func twiceWithinTheWindow() {
        var contest = Contest(.jump, rules: rules())
        for (serial, time) in [(1, 0.0), (2, 50), (3, 150)] as [(UInt64, Double)] {
            contest.take(move(serial, at: time))
        }
        var told: [UInt64?] = []
        while let verdict = contest.decide(at: ms(1_000), among: [1], standing: { _ in .gone }) {
            told.append(verdict.contenders.first?.gesture?.serial)
        }
        #expect(told == [1, 3])
        #expect(!contest.isOpen)
    }

    @Test("A contest that is not wanted for a while, open then or not, gives no verdict the number of an earlier one")
    func numbers() {
        for isOpen in [false, true] {
            var arbiter = Arbiter(rules(), among: [])
            func decided(at time: Double) -> [String] {
                arbiter.decide(at: ms(time), among: [1], standing: { _, _ in .gone }).map(\.id.description)
            }
            arbiter.take(move(1, at: 0), gesture: .jump)
            if !isOpen { #expect(decided(at: 1_000) == ["v1-jump"]) }
            arbiter.adopt(rules([]), among: [])
            if isOpen { #expect(decided(at: 1_000) == ["v1-jump"]) }
            #expect(!arbiter.isOpen)
            arbiter.adopt(rules(), among: [])
            arbiter.take(move(2, at: 2_000), gesture: .jump)
            #expect(decided(at: 3_000) == ["v2-jump"])
        }
    }
}
