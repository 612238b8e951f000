import Testing
import WireProtocol

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

    @Test("A clock's rate is that of its longest stretch: a page that was loaded anew begins at zero")
    func clockPieces() {
        func looks(_ seconds: Range<Int>, from offset: Double, by rate: Double) -> [EveningReport.Look] {
            seconds.map { second in
                let passed = Double(second - seconds.lowerBound)
                return EveningReport.Look(at: Double(second), offset: offset + rate * passed, sure: 0.05)
            }
        }
        let first = looks(0..<40, from: 5_000, by: 0.15)
        let second = looks(42..<142, from: -37_000, by: -0.03)
        let third = looks(143..<160, from: 1.5, by: 0.03)
        let (known, cuts) = EveningReport.longestSteady(first + second + third)
        #expect(Array(known) == second && cuts == 2)
        let whole = EveningReport.longestSteady(second)
        #expect(Array(whole.looks) == second && whole.cuts == 0)
        let fast = looks(0..<40, from: 0, by: 0.5)
        #expect(Array(EveningReport.longestSteady(fast).looks) == fast)
        #expect(EveningReport.longestSteady([]).looks.isEmpty)
    }

    @Test("A clock's rate is told with how far it may be wrong, and not at all where that is more than the rate")
    func clockRates() {
        #expect(EveningReport.clockRate(-152, sure: 8.7) == "the host's clock runs -152.0 ± 8.7 ppm against it")
        for (rate, sure) in [(-16.8, 1_087.0), (11.9, 3_363.0), (0, 0.1)] {
            #expect(!EveningReport.clockRate(rate, sure: sure).contains("ppm"))
        }
    }

    @Test("Tables tell a clock's rate by the same rule, and never as -0")
    func clockRatesOfLinks() {
        func told(_ rate: Double, sure: Double, _ state: ClockMapping.State = .locked) -> Double? {
            ClockMapping(
                state: state, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: HostTime(nanoseconds: 0),
                rateOffset: rate / 1e6, uncertaintyGrowth: sure / 1e6
            ).rateInMillionths
        }
        #expect(told(-0.0, sure: 200) == nil && told(11.9, sure: 12) == nil && told(0, sure: 0, .none) == nil)
        #expect(abs((told(-152, sure: 8.7) ?? 0) + 152) < 1e-9)
        #expect(told(-0.0, sure: 0)?.sign == .plus)
    }
}
