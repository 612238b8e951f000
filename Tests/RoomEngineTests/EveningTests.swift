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

    @Test("The same seed is the same evening, to the byte; another is another")
    func sameTwice() {
        let size = EveningSize(rate: 50, duration: .seconds(20))
        let digests = [3, 3, 4].map { Evening.play(seed: $0, size: size).digest }
        #expect(digests[0] == digests[1] && digests[1] != digests[2])
    }
}
