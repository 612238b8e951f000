import Testing

@testable import RecordingExports

@Suite("What a report reckons")
struct EveningReportTests {
    private func link(_ datagrams: Double, at: Double) -> EveningSurvey.Link {
        EveningSurvey.Link(at: at, unique: datagrams, missing: 1, late: 2, queueing: 0, seat: "active")
    }

    @Test("Stays are told apart by their ends, also where the next one has brought more by the next look")
    func stays() throws {
        var controller = EveningSurvey.Controller(player: 1, name: "Blue", transport: "udp")
        // Each stay, as it stood at every look, and in the end; one came and went between two looks.
        for (place, stay) in [[10.0, 19], [122, 606], [162], [298]].enumerated() {
            for datagrams in stay {
                controller.take(link(datagrams, at: Double(place)), leaves: datagrams == stay.last && place < 3)
            }
        }
        let last = try #require(controller.links.last)
        #expect(controller.past.datagrams + last.unique == 1_085)
        #expect(controller.past.missing + (last.missing ?? 0) == 4 && controller.past.late + last.late == 8)
    }

    @Test(
        "Percentiles are of the nearest rank: of twenty receipts the last but one is the 95th",
        arguments: [
            (50, 1, 0), (50, 2, 0), (50, 3, 1), (95, 1, 0), (95, 19, 18), (95, 20, 18), (95, 21, 19), (95, 100, 94),
        ])
    func percentiles(percent: Int, count: Int, place: Int) {
        #expect(EveningReport.place(of: percent, among: count) == place)
    }

    @Test("A clock's rate is told with how far it may be wrong, and not at all where that is more than the rate")
    func clockRates() {
        #expect(EveningReport.clockRate(-152, sure: 8.7) == "the host's clock runs -152.0 ± 8.7 ppm against it")
        for (rate, sure) in [(-16.8, 1_087.0), (11.9, 3_363.0), (0, 0.1)] {
            #expect(!EveningReport.clockRate(rate, sure: sure).contains("ppm"))
        }
    }
}
