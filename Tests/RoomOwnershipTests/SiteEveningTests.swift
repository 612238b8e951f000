import SiteSimulation
import Testing

@Suite("Who owns a room, in simulated evenings")
struct SiteEveningTests {
    @Test("Every law holds in every evening, and rooms are taken over in them")
    func laws() {
        var takeovers = 0
        for seed: UInt64 in 1...20 {
            let report = SiteEvening.play(seed: seed)
            #expect(report.violations == [], "seed \(seed)")
            takeovers += report.counts["takeovers"] ?? 0
        }
        #expect(takeovers > 5, "an evening in which nothing happens proves nothing")
    }

    @Test("The same seed is the same evening, to the byte; another is another")
    func sameTwice() {
        let reports = [3, 3, 4].map { SiteEvening.play(seed: $0) }
        #expect(reports[0] == reports[1] && reports[1].digest != reports[2].digest)
    }

    @Test("What is made wrong on purpose is found", arguments: PlantedFault.all)
    func planted(fault: PlantedFault) {
        #expect(SiteEvening.finding(fault, in: 1...60) != nil, "\(fault)")
    }
}
