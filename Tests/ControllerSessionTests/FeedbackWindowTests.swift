import LinkEmulation
import Testing

@testable import ControllerSession

@Suite("The window of the host's datagram numbers")
struct FeedbackWindowTests {
    @Test("Each number is fresh once, a duplicate then, and stale once it is 1,024 behind")
    func verdicts() {
        var window = FeedbackWindow()
        #expect(window.admit(5) == .fresh)
        #expect(window.admit(5) == .duplicate)
        #expect(window.admit(3) == .fresh)
        #expect(window.admit(3) == .duplicate)
        #expect(window.admit(1_026) == .fresh)
        #expect(window.admit(4) == .fresh)
        #expect(window.admit(2) == .stale)
        #expect(window.admit(.max) == .fresh)
        #expect(window.admit(.max) == .duplicate)
        #expect(window.admit(.max - 1_023) == .fresh)
        #expect(window.admit(.max - 1_024) == .stale)
    }

    @Test("It agrees with a plain set of all numbers on any trace", arguments: UInt64(1)...20)
    func model(seed: UInt64) throws {
        var chooser = SeededGenerator(seed: seed)
        var window = FeedbackWindow()
        var seen = Set<UInt32>()
        var highest: UInt32 = 0
        var base: UInt32 = 0
        for _ in 0..<5_000 {
            if chooser.chance(0.01) { base += UInt32(chooser.next() % 3_000) }
            base += UInt32(chooser.next() % 3)
            let number = base + UInt32(chooser.next() % 1_500)
            let verdict = window.admit(number)
            if !seen.isEmpty, number <= highest, highest - number >= 1_024 {
                try #require(verdict == .stale, "seed \(seed)")
            } else {
                try #require(verdict == (seen.insert(number).inserted ? .fresh : .duplicate), "seed \(seed)")
                highest = max(highest, number)
            }
        }
    }
}
