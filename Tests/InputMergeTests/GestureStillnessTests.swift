import InputMerge
import Testing
import WireProtocol

@Suite("Taps, stillness and rhythm")
struct GestureStillnessTests {
    @Test("A tap is a knock out of the quiet and back into it, told 50 ms after")
    func tap() {
        let events = watch("300 | z1.2 10 | z-0.6 10 | 300", for: [.tap])
        #expect(text(events) == "began@360 ended@370")
        #expect(abs((events.first?.measures.impact ?? 0) - 1.2) < 1e-6)
        #expect(events.first?.measures.count == 1)
        // The knock began at 300 ms.
        #expect(abs((events.first?.measures.sinceStart ?? 0) - 0.06) < 1e-9)
        #expect(abs((events.last?.measures.sinceStart ?? 0) - 0.07) < 1e-9)
    }

    @Test("Two taps within 0.4 s are a double tap, a third later is a single one")
    func doubleTap() {
        let events = watch("300 | z1 20 | 200 | z1 20 | 900 | z1 20 | 300", for: [.tap]).filter { $0.phase == .began }
        #expect(events.map(\.measures.count) == [1, 2, 1])
    }

    @Test("A slow sensor's samples show a double tap, too", arguments: [20.0, 25, 30])
    func slowDoubleTap(rate: Double) {
        let events = watch("300 | z1 50 | 150 | z1 50 | 500", for: [.tap], rate: rate).filter { $0.phase == .began }
        #expect(events.map(\.measures.count) == [1, 2])
    }

    @Test(
        "What is no tap makes none",
        arguments: [
            ("a push", "300 | y1 100 | 300"), ("soft", "300 | z0.4 20 | 300"),
            ("a step", "5*(f1.4 100 | f0.7 150 | 200)"),
            ("setting it down", "300 | z0.1 q2 300 | z1.5 20 | 500"), ("a turn", "300 | z1 q4 20 | 300"),
            ("a shake", "10*(x2 60 | x-2 60) | 300"),
            ("a dropped phone", "300 | f0.05 400 | f8 20 | 200 | f3 20 | 300"),
        ])
    func noTap(what: String, marbles: String) {
        #expect(watch(marbles, for: [.tap]).isEmpty, "\(what)")
    }

    @Test("Held still for a second, it begins; the first movement ends it; a tremor does not")
    func still() {
        #expect(
            text(watch("x0.5 100 | x0.02 p0.05 1500 | x0.1 50 | x0.02 300 | x0.3 100", for: [.holdStill]))
                == "began@1100 ended@1950")
        #expect(watch("x0.5 100 | 900 | x0.1 20 | 900 | x0.5 99", for: [.holdStill]).isEmpty)
    }

    @Test("Four steps make a rhythm; each further one changes it, with count and cadence; a pause ends it")
    func rhythm() throws {
        let events = watch("500 | 10*(f1.3 250 | f0.7 250) | 3000", for: [.rhythm])
        #expect(events.map(\.phase) == [.began] + Array(repeating: .changed, count: 6) + [.ended])
        #expect(events.map(\.measures.count) == [4, 5, 6, 7, 8, 9, 10, 10])
        #expect(abs(try #require(events.last?.measures.cadence) - 2) < 0.1)
        // Since the latest step, one each half second, not since the first.
        for event in events.dropLast() { #expect((0..<0.5).contains(event.measures.sinceStart ?? -1)) }
    }

    @Test("Steps are counted alike at every rate", arguments: [20.0, 50, 100, 400, 1_000])
    func rates(rate: Double) {
        let events = watch("500 | 20*(f1.3 250 | f0.7 250) | 3000", for: [.rhythm], rate: rate)
        #expect(events.last?.measures.count == 20)
    }

    @Test(
        "Three steps, a nudge, sitting down and standing still are no rhythm",
        arguments: [
            "500 | 3*(f1.3 250 | f0.7 250) | 3000", "500 | f1.2 200 | 3000", "500 | f0.6 300 | f1.5 200 | 3000", "5000",
        ])
    func noRhythm(marbles: String) {
        #expect(watch(marbles, for: [.rhythm]).isEmpty)
    }

    @Test("No gesture at all in a device that lies still, and none but stillness and rhythm in a walker's pocket")
    func quiet() {
        let still = watch("5000", for: GestureDefinition.all)
        #expect(text(still, named: true) == "hold-still.began@1000")
        let walker = watch("f1 500 | 40*(f1.3 150 | f0.8 p1 200 | f1.1 p-1 150)", for: GestureDefinition.all)
        #expect(Set(walker.map(\.gesture)) == [.rhythm])
    }
}
