import LinkEmulation
import Testing

@testable import SessionCoordinator

@Suite("The replay window")
struct ReplayWindowTests {
    @Test("It judges as a set of all numbers ever seen would, which forgets what lies 1,024 behind", arguments: 1...20)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = ReplayWindow()
        var seen: Set<UInt32> = []
        var highest: UInt32?
        // Some traces begin just below the end of the numbers.
        var top = seed % 4 == 0 ? UInt32.max - 3_000 : UInt32(random.next() % 5_000)
        for step in 0..<2_000 {
            let number = Self.choose(near: top, &random)
            let expected: ReplayWindow.Verdict
            if let highest, number <= highest {
                expected =
                    highest - number >= 1_024 ? .tooOld : seen.contains(number) ? .duplicate : .reordered
            } else {
                expected = .newest
            }
            let verdict = window.admit(number)
            #expect(verdict == expected, "seed \(seed), step \(step), number \(number)")
            seen.insert(number)
            highest = max(highest ?? 0, number)
            top = max(top, number)
            #expect(window.highest == highest, "seed \(seed), step \(step)")
        }
    }

    /// Mostly a little above or below the top, at times far away or at the edge of a word or of the window.
    private static func choose(near top: UInt32, _ random: inout SeededGenerator) -> UInt32 {
        let draw = UInt32(truncatingIfNeeded: random.next())
        switch random.next() % 16 {
        case 0..<7: return top.addingClamped(draw % 3)
        case 7..<11: return top - min(top, draw % 80)
        case 11: return top - min(top, 1_022 + draw % 4)
        case 12: return top.addingClamped(62 + draw % 4)
        case 13: return top.addingClamped(1_022 + draw % 4)
        case 14: return top.addingClamped(draw % 200)
        default: return top - min(top, draw % 2_000)
        }
    }

    @Test("The last number of all is a number like the others")
    func lastNumber() {
        var window = ReplayWindow()
        let verdicts = [.max - 1, .max, .max, .max - 2, 0].map { window.admit($0) }
        #expect(verdicts == [.newest, .newest, .duplicate, .reordered, .tooOld])
    }
}

extension UInt32 {
    fileprivate func addingClamped(_ other: UInt32) -> UInt32 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
