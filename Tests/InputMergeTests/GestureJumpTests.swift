import Foundation
import InputMerge
import Testing
import WireProtocol

@Suite("Jumps and falls")
struct GestureJumpTests {
    /// Stand, push off, fly for `air` ms, land, stand.
    private func jump(_ air: Int, push: Double = 2.5) -> String {
        "f1 500 | f\(push) 200 | f0.2 \(air) | f3 60 | f1 300"
    }

    private func jumps(_ marbles: String, rate: Double = 100, sensitivity: Double = 1) -> String {
        text(watch(marbles, for: [.jump.scaled(by: sensitivity)], rate: rate))
    }

    @Test("A jump begins while it flies, 170 ms after take-off, and ends when it lands")
    func jump() {
        #expect(jumps(jump(300)) == "began@870 ended@1000")
    }

    @Test("Who crouches before a jump has not flown yet: it is told as soon as any other")
    func crouch() {
        #expect(jumps("f1 500 | f0.5 100 | f2.5 200 | f0.2 300 | f3 60 | f1 300") == "began@970 ended@1100")
    }

    @Test("A small jump from standing counts; among steps whoever jumps flies for longer than a runner")
    func standing() {
        #expect(jumps(jump(180)) == "began@870 ended@880")
        let steps = "f1 500 | 5*(f1.6 250 | f0.8 150)"
        #expect(jumps(steps + " | f2.5 250 | f0.3 300 | f3 60 | f1 300") == "began@3000 ended@3050")
    }

    @Test("Its height is g T²/8 of the time in the air, known when it lands, and its strength follows")
    func height() throws {
        let events = watch(jump(400), for: [.jump])
        let landing = try #require(events.last)
        let height = try #require(landing.measures.height)
        #expect(abs(height - 9.80665 * 0.4 * 0.4 / 8) < 0.01)
        #expect(abs(landing.strength - height / 0.4) < 1e-9)
        #expect(landing.measures.impact ?? 0 > 1.5)
        #expect(events.first?.measures.height ?? 1 < height)
    }

    @Test(
        "The rate of the sensor changes neither whether nor, by more than two samples, when",
        arguments: [
            20.0, 50, 100, 200, 400, 1_000,
        ])
    func rates(rate: Double) throws {
        let events = watch(jump(400), for: [.jump], rate: rate)
        #expect(events.map(\.phase) == [.began, .ended])
        #expect(abs(Double(try #require(events.first).occurredAt.nanoseconds) / 1e6 - 870) <= 2_000 / rate)
        #expect(abs(Double(try #require(events.last).occurredAt.nanoseconds) / 1e6 - 1_100) <= 2_000 / rate)
        let height = try #require(events.last?.measures.height)
        #expect(abs(height - 0.196) < 0.05)
    }

    @Test(
        "What is no jump makes none",
        arguments: [
            ("a hop of 150 ms", "f1 500 | f2.5 200 | f0.2 150 | f3 60 | f1 300"),
            ("flight without push-off", "f1 500 | f1.5 200 | f0.2 300 | f3 60 | f1 300"),
            ("a push long before the flight", "f1 500 | f2.5 100 | f1 700 | f0.2 300 | f3 60 | f1 300"),
            ("a push without flight", "f1 500 | f3 200 | f0.8 300 | f3 60 | f1 300"),
            ("rising from a chair", "f1 500 | f2.2 250 | f0.45 220 | f1.2 100 | f1 300"),
            ("a leap among steps", "f1 500 | 5*(f1.6 250 | f0.8 150) | f2 250 | f0.3 200 | f3 60 | f1 300"),
            ("a dropped phone", "f1 500 | f0.05 450 | f9 20 | f1 300"),
            ("a dropped phone that bounces", "f1 500 | f0.05 400 | f9 20 | f1.5 60 | f0.1 250 | f5 20 | f1 300"),
            ("a tossed, spinning phone", "f1 500 | f2.8 150 | f0.1 p9 400 | f4 20 | f1 300"),
            ("fast walking", "f1 500 | 20*(f1.8 200 | f0.5 150 | f1 150)"),
            ("jogging", "f1 500 | 20*(f3.5 180 | f0.5 190)"),
            ("stairs", "f1 500 | 10*(f2.2 200 | f0.5 160 | f1 200)"),
            ("setting the phone down", "f1 500 | f0.9 300 | f1.1 200 | f2.6 20 | f1 500"),
            ("passing the phone on", "f1 300 | f1.2 p2 300 | f0.8 p-2 300 | f1.3 100 | f1 300"),
        ])
    func noJump(what: String, marbles: String) {
        #expect(jumps(marbles) == "", "\(what)")
    }

    @Test("Up to 60 ms of force within the flight, as from a loose pocket, do not hide a jump")
    func looseDevice() {
        #expect(jumps("f1 500 | f2.5 200 | f0.2 100 | f0.9 50 | f0.2 150 | f3 60 | f1 300") == "began@870 ended@1000")
        #expect(jumps("f1 500 | f2.5 200 | f0.2 100 | f0.9 80 | f0.2 150 | f3 60 | f1 300") == "")
    }

    @Test("Jumping again and again counts each, as over a rope, but nobody jumps twice within 0.4 s")
    func again() {
        func count(_ marbles: String) -> Int { watch(marbles, for: [.jump]).count { $0.phase == .began } }
        #expect(count("f1 500 | 3*(f2.5 400 | f0.2 300) | f3 60 | f1 300") == 3)
        #expect(count("f1 500 | 4*(f2.5 150 | f0.2 300) | f3 60 | f1 300") == 4)
        #expect(count("f1 500 | 4*(f2.5 120 | f0.2 260) | f3 60 | f1 300") == 3)
    }

    @Test("Who does not land within 0.7 s has not jumped: the end says so, without a height")
    func noLanding() {
        let events = watch("f1 500 | f2.5 200 | f0.2 900 | f1 300", for: [.jump])
        #expect(text(events) == "began@870 ended@1400")
        #expect(events.last?.confidence == 0)
        #expect(events.last?.measures.height == nil)
    }

    @Test("A player of sensitivity 2 jumps with little hops, one of 0.5 must really fly")
    func sensitivity() {
        #expect(jumps(jump(150, push: 1.5)) == "")
        #expect(jumps(jump(150, push: 1.5), sensitivity: 2) == "began@780 ended@850")
        #expect(jumps(jump(300, push: 5), sensitivity: 0.5) == "")
        #expect(jumps(jump(450, push: 5), sensitivity: 0.5).hasPrefix("began@1040"))
    }

    @Test("A fall begins 50 ms after the release and ends at the impact, once")
    func fall() throws {
        let events = watch("f1 500 | f0.05 400 | f8 20 | f1 300", for: [.freeFall])
        #expect(text(events) == "began@550 ended@900")
        // By a straight line it fell below 0.3 g at 497.4 ms; something held it between 890 and 900 ms.
        #expect(abs(try #require(events.last?.measures.flightTime) - (0.895 - 0.49737)) < 1e-4)
        #expect(events.last?.measures.impact ?? 0 > 7)
    }

    @Test(
        "A fall's time errs by half an interval at most at every rate; what ends in a hole fell as long as it was seen",
        arguments: [20.0, 50, 100, 400])
    func fallTime(rate: Double) throws {
        var declaration = fused
        declaration.nominalRate = rate
        let samples = Marbles("f1 500 | f0.05 400 | f8 50 | f1 300").samples(rate: rate)
        let end = try #require(watch(samples, for: [.freeFall], declaration: declaration).last)
        let time = try #require(end.measures.flightTime)
        #expect(end.phase == .ended && abs(time - 0.4) <= 0.5 / rate, "\(time) s")
        let cut = samples.filter { !(800...960).contains($0.sampledAt.nanoseconds / 1_000_000) }
        let seen = try #require(watch(cut, for: [.freeFall], declaration: declaration).last?.measures.flightTime)
        #expect(seen <= 0.3 && seen > 0.3 - 1 / rate, "\(seen) s")
    }

    @Test("A fall is told by slow sensors too", arguments: [20.0, 25, 48, 50, 60, 200])
    func slowFall(rate: Double) {
        var declaration = fused
        declaration.nominalRate = rate
        let samples = Marbles("f1 500 | f0.05 400 | f8 50 | f1 300").samples(rate: rate)
        let events = watch(samples, for: [.freeFall], declaration: declaration)
        #expect(events.map(\.phase) == [.began, .ended])
        #expect(watch(Marbles("f1 900").samples(rate: rate), for: [.freeFall], declaration: declaration).isEmpty)
    }

    @Test("A spin of 20 ms within the fall does not make it two")
    func spinningFall() {
        #expect(
            text(watch("f1 300 | f0.1 60 | f0.7 20 | f0.1 300 | f5 20 | f1 99", for: [.freeFall]))
                == "began@350 ended@680")
    }

    @Test("A step's dip is a V however deep it is, and no fall; a flat of the same depth is one")
    func dips() {
        let dip =
            "f1 300 | 8*(f0.6 10 | f0.4 10 | f0.25 10 | f0.1 10 | f0.02 20 | f0.1 10 | f0.28 10 | f0.6 10 | f1.4 300)"
        #expect(watch(dip, for: [.freeFall]).isEmpty)
        #expect(!watch("f1 300 | f0.2 80 | f1.4 300", for: [.freeFall]).isEmpty)
    }

    @Test("Who takes off faster is said to land later; what of a push catches a fall lifts nobody")
    func takeOffSpeed() throws {
        func announced(_ marbles: String) throws -> Double {
            let began = try #require(watch(marbles, for: [.jump]).first { $0.phase == .began })
            let (flown, left) = (began.measures.flightTime, began.measures.timeToContact)
            return try #require(flown) + (try #require(left))
        }
        let (slow, fast) = (try announced("f1 500 | f2 200 | f0.2 300"), try announced("f1 500 | f3 200 | f0.2 300"))
        #expect(abs(slow - 0.303) < 0.002 && abs(fast - 0.457) < 0.002, "\(slow), \(fast)")
        // The first flight spins, and is not told.
        let fromRest = try announced("f1 500 | f2.5 300 | f0.2 300")
        let fromFall = try announced("f1 500 | f2.5 200 | f0.2 p6 300 | f2.5 300 | f0.2 300")
        #expect(fromFall < fromRest - 0.05, "\(fromFall), \(fromRest)")
    }

    @Test("A push as hard as a sensor can tell announces no later touchdown than any jump's")
    func monstrousPush() throws {
        let began = try #require(watch("f1 500 | f15 200 | f0.2 300", for: [.jump]).first)
        #expect(try #require(began.measures.timeToContact) < 0.7)
    }

    @Test("What is announced is learnt: a player who flies longer than most is told so from the second jump on")
    func airtimes() throws {
        let long = "f1 700 | f2.5 150 | f0.1 390 | f3 60 | f1 400"
        let events = watch(long + " | " + long + " | " + long, for: [.jump]).filter { $0.phase == .began }
        let announced = try events.map { try #require($0.measures.timeToContact) }
        let spreads = try events.map { try #require($0.measures.timeToContactSpread) }
        try #require(announced.count == 3)
        // Each jump takes more of what the first is off by away.
        let truth = 0.390 - (events[0].measures.flightTime ?? 0)
        let errors = announced.map { abs($0 - truth) }
        #expect(errors[0] > errors[1] && errors[1] > errors[2], "\(errors)")
        #expect(spreads[0] > spreads[1] && spreads[1] >= spreads[2])
    }

    @Test("Airtimes forget what is old, and no jump or file says more than 80 ms")
    func airtimesBounds() throws {
        var airtimes = Airtimes()
        #expect(airtimes.shift == 0 && airtimes.count == 0)
        for difference in [9, -0.01, .nan, 0.02, 0.02, 0.02, 0.02, 0.02] { airtimes.note(difference) }
        #expect(airtimes.count == 5 && abs(airtimes.shift - 0.02 * 5 / 6) < 1e-12)
        let many = "{\"differences\":[" + Array(repeating: "7", count: 9_000).joined(separator: ",") + "]}"
        let read = try JSONDecoder().decode(Airtimes.self, from: Data(many.utf8))
        #expect(read.count == 5 && abs(read.shift - 0.08 * 5 / 6) < 1e-12)
    }

    @Test("What wobbles in the air as no dropped phone does is no fall, unless it falls for longer than anybody runs")
    func wobble() {
        func fall(_ times: Int) -> String { "f1 300 | \(times)*(f0.17 10 | f0.25 10) | f1.4 300" }
        #expect(watch(fall(6), for: [.freeFall]).isEmpty)
        #expect(text(watch(fall(15), for: [.freeFall])).hasPrefix("began@"))
    }

    @Test("Steps, pushes and shakes are no falls")
    func noFall() {
        let marbles =
            "f1 300 | 20*(f1.8 200 | f0.6 150) | 20*(f3.5 180 | f0.55 190) | 20*(x2 60 | x-2 60) | f0.3 40 | f1 99"
        #expect(watch(marbles, for: [.freeFall]).isEmpty)
    }

    @Test("A device without accelerometer neither jumps nor falls")
    func noAccelerometer() {
        let samples = Marbles(jump(300)).samples().map { sample in
            var sample = sample
            sample.measures = [.rotationRate]
            return sample
        }
        #expect(watch(samples, for: [.jump, .freeFall], declaration: StreamDeclaration()).isEmpty)
    }

    @Test("A hole in the stream ends a jump that flew into it")
    func hole() {
        let samples = Marbles(jump(400)).samples().filter { sample in
            let time = sample.sampledAt.nanoseconds / 1_000_000
            return time < 950 || time > 1_250
        }
        let events = watch(samples, for: [.jump], declaration: fused)
        #expect(events.map(\.phase) == [.began, .ended])
    }

    @Test("A landing in a hole is one, of no height that anybody saw, and teaches nothing; a flight beyond it has one")
    func landingInHole() throws {
        func events(without hole: ClosedRange<Int64>) -> [GestureEvent] {
            let samples = Marbles(jump(400) + " | " + jump(400)).samples().filter { sample in
                !hole.contains(sample.sampledAt.nanoseconds / 1_000_000)
            }
            return watch(samples, for: [.jump], declaration: fused)
        }
        let unseen = events(without: 950...1_120)
        try #require(unseen.map(\.phase) == [.began, .ended, .began, .ended])
        #expect(unseen[1].occurredAt == ms(1_130) && unseen[1].strength == 0)
        #expect(unseen[1].measures == GestureMeasures(impact: unseen[1].measures.impact))
        #expect(unseen[1].measures.impact ?? 0 > 1.5)
        #expect(unseen[2].measures.timeToContactSpread == unseen[0].measures.timeToContactSpread)
        #expect(unseen[3].measures.height != nil)
        let seen = events(without: 900...1_060)
        try #require(seen.map(\.phase) == [.began, .ended, .began, .ended])
        let height = try #require(seen[1].measures.height)
        #expect(abs(height - 0.196) < 0.01)
    }

    @Test("After a landing in a hole, the dip before the next push-off is not the flight that goes on")
    func dipAfterHole() throws {
        let marbles = "f1 500 | f2.5 200 | f0.2 300 | f3 60 | f1 90 | f0.5 60 | f2.5 100 | f1 300"
        let samples = Marbles(marbles).samples().filter { sample in
            !(930...1_090).contains(sample.sampledAt.nanoseconds / 1_000_000)
        }
        let events = watch(samples, for: [.jump], declaration: fused)
        #expect(text(events) == "began@870 ended@1210")
        let landing = try #require(events.last)
        #expect(landing.measures == GestureMeasures(impact: landing.measures.impact))
    }
}
