import RoomSimulation
import Testing

@Suite("Whole rooms in simulated evenings")
struct EveningTests {
    @Test("Every law holds in every evening", arguments: 1...12 as ClosedRange<UInt64>)
    func laws(seed: UInt64) {
        let report = Evening.play(seed: seed, size: EveningSize(rate: 50, duration: .seconds(30)))
        #expect(report.violations == [], "seed \(seed)")
        // An evening in which nothing happens proves nothing.
        #expect((report.counts["events"] ?? 0) > 5, "seed \(seed)")
    }

    @Test("21 controllers play a minute with loss, roaming, restarts, contests and operators, twice to the same bytes")
    func manyControllers() {
        let minute = EveningSize(seats: 20, rate: 20, duration: .seconds(30), guests: 1)
        let reports = [21, 21].map { Evening.play(seed: $0, size: minute) }
        #expect(reports[0].controllers == 21)
        #expect(reports[0].violations == [])
        #expect(reports[0] == reports[1])
    }

    @Test("A room that is turned only when it asks to be says the same as one that is turned all the time")
    func wokenInTime() {
        // Seed 70: an operator swaps two while something lasts. `EveningCheck` compares every tenth.
        for seed: UInt64 in [1, 2, 3, 70] {
            #expect(Evening.wakingDifference(seed: seed) == nil, "seed \(seed)")
        }
    }

    @Test("The same seed is the same evening, to the byte; another is another")
    func sameTwice() {
        let digests = [3, 3, 4].map { Evening.play(seed: $0, size: .short).digest }
        #expect(digests[0] == digests[1] && digests[1] != digests[2])
    }
}
