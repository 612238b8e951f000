import Testing
import WireProtocol

@testable import InputMerge

@Suite("Flicks, swings and twists")
struct GestureTurningTests {
    private let rest = " 300 "

    /// A swing of half a sine, `peak` rad/s at most, in steps of 10 ms; `extra` is said at the fastest moment.
    private func swing(_ peak: Double, lasting: Int, extra: String = "") -> String {
        let steps = lasting / 10
        return (1..<steps).map { step in
            let share = Double(step) / Double(steps)
            let bend = 4 * share * (1 - share)
            return "r\(peak * bend) \(step == steps / 2 ? extra : "") 10"
        }.joined(separator: "|")
    }

    @Test("A flick is a turn above 6 rad/s for less than 250 ms, told when it is over")
    func flick() throws {
        let events = watch("300 | r9 120 | 300", for: [.flick])
        #expect(text(events) == "began@420 ended@430")
        #expect(abs(try #require(events.first?.measures.turn) - 9 * 0.12) < 0.1)
        // It turned from 300 ms on.
        #expect(abs((events.first?.measures.sinceStart ?? 0) - 0.12) < 1e-9)
        #expect(abs(try #require(events.first).strength - 3.0 / 9) < 1e-9)
    }

    @Test("The hand that comes back is not a second flick")
    func flickBack() {
        #expect(
            text(watch("300 | q9 100 | 50 | q-9 100 | 600 | q9 100 | 300", for: [.flick]))
                == "began@400 ended@410 began@1250 ended@1260")
    }

    @Test(
        "What is no flick makes none",
        arguments: [
            ("slow", "300 | r5 120 | 300"), ("long", "300 | r9 300 | 300"), ("a twitch", "300 | r7 20 | 300"),
            ("turning around", "300 | r3 1000 | 300"),
        ])
    func noFlick(what: String, marbles: String) {
        #expect(watch(marbles, for: [.flick]).isEmpty, "\(what)")
    }

    @Test("A swing begins 80 ms above 5 rad/s, and a miss says so at its end", arguments: [100.0, 200, 1_000])
    func miss(rate: Double) throws {
        let events = watch("300 | \(swing(12, lasting: 400)) | 1200", for: [.swing], rate: rate)
        #expect(events.map(\.phase) == [.began, .changed, .ended])
        #expect(events.last?.measures.hit == false)
        #expect(events.last?.measures.impact == nil)
        let began = try #require(events.first)
        let atFastest = Double(began.occurredAt.nanoseconds) / 1e6 + (began.measures.timeToContact ?? .nan) * 1_000
        #expect(abs(atFastest - 500) < 80, "the fastest moment is announced for \(atFastest) ms, and is at 500")
        let start = Double(began.occurredAt.nanoseconds) / 1e6 - (began.measures.sinceStart ?? .nan) * 1_000
        #expect(abs(start - 310) < 20)
    }

    @Test(
        "A gyroscope at the end of its range may turn however fast: that is a swing; as fast with a wider range is none"
    )
    func saturated() {
        let samples = Marbles("300 | r4.36 300 | 1200").samples()
        var narrow = fused
        narrow.rotationRange = 4.363
        #expect(watch(samples, for: [.swing], declaration: narrow).map(\.phase) == [.began, .changed, .ended])
        #expect(watch(samples, for: [.swing], declaration: fused).isEmpty)
    }

    @Test("A hit is told when it happens, with how hard, and how long after the start")
    func hit() throws {
        let events = watch("300 | \(swing(12, lasting: 400, extra: "x6")) | 1200", for: [.swing])
        #expect(events.map(\.phase) == [.began, .changed, .changed, .ended])
        let hit = try #require(events.dropFirst().first)
        #expect(hit.occurredAt == ms(490))
        #expect(hit.measures.hit == true && events.last?.measures.hit == true)
        #expect(abs((hit.measures.impact ?? 0) - 6) < 0.1)
        #expect(abs((hit.measures.sinceStart ?? 0) - 0.18) < 0.02)
        #expect(events.last?.measures.sinceStart == hit.measures.sinceStart)
    }

    @Test("One stroke is one swing: a slower return is none, a faster one within 0.8 s corrects what was told")
    func stroke() throws {
        let back = watch("300 | \(swing(14, lasting: 400)) | 100 | \(swing(8, lasting: 400)) | 1200", for: [.swing])
        #expect(back.map(\.phase) == [.began, .changed, .ended])
        let forth = watch("300 | \(swing(8, lasting: 400)) | 100 | \(swing(14, lasting: 400)) | 1200", for: [.swing])
        #expect(forth.map(\.phase) == [.began, .changed, .changed, .ended])
        #expect(try #require(forth.last).strength > forth[1].strength)
        let two = watch("300 | \(swing(12, lasting: 400)) | 900 | \(swing(12, lasting: 400)) | 1200", for: [.swing])
        #expect(two.count { $0.phase == .began } == 2)
    }

    @Test("A hit is certain only where rate and range can show one")
    func certainty() {
        func uncertain(_ declaration: StreamDeclaration, rate: Double) -> Bool? {
            let samples = Marbles("300 | \(swing(12, lasting: 400, extra: "x6")) | 1200").samples(rate: rate)
            return watch(samples, for: [.swing], declaration: declaration).last?.measures.hitUncertain
        }
        #expect(uncertain(StreamDeclaration(nominalRate: 100), rate: 100) == true)
        #expect(uncertain(StreamDeclaration(accelerationRange: 40, nominalRate: 400), rate: 400) == true)
        #expect(uncertain(StreamDeclaration(nominalRate: 400), rate: 400) == nil)
    }

    @Test(
        "A knock outside of a swing is no hit, turning slowly or briefly is no swing",
        arguments: [
            "300 | x6 20 | 300", "300 | r4 500 | 300", "300 | r9 60 | 300", "300 | r9 60 | x6 20 | 300",
        ])
    func noSwing(marbles: String) {
        #expect(watch(marbles, for: [.swing]).isEmpty)
    }

    @Test("A twist is 60° about the long axis within 0.7 s; its turn tells the way; it ends with the turning")
    func twist() throws {
        let left = watch("300 | q3 500 | 300", for: [.twist])
        #expect(text(left) == "began@640 ended@800")
        #expect(try #require(left.first?.measures.turn) > 1)
        let right = watch("300 | q-3 500 | 300", for: [.twist])
        #expect(try #require(right.first?.measures.turn) < -1)
        #expect(abs(try #require(right.last?.measures.turn) + 1.5) < 0.05)
    }

    @Test(
        "Other axes, slow turns, small turns, and to and fro are no twist",
        arguments: [
            "300 | p3 500 | 300", "300 | q3 r3 500 | 300", "300 | q1.2 1000 | 300", "300 | q3 300 | 300",
            "300 | 5*(q3 200 | q-3 200) | 300",
        ])
    func noTwist(marbles: String) {
        #expect(watch(marbles, for: [.twist]).isEmpty)
    }

    @Test("About an upright axis bodies turn as well: there a twist takes half as long at most")
    func uprightTwist() {
        let upright = GestureDefinition(.twist, .twist(TwistRule(axis: .z)))
        #expect(watch("300 | r2.5 600 | 300", for: [upright]).isEmpty)
        #expect(!watch("300 | r4 400 | 300", for: [upright]).isEmpty)
        #expect(!watch("300 | q2.5 600 | 300", for: [.twist]).isEmpty)
    }

    @Test("A hand that turned slowly for long before it swung swings as any other: it hits, and is over once")
    func swingFromTurning() throws {
        let stroke = "\(swing(12, lasting: 400, extra: "x6")) | 1200"
        let fromRest = watch("300 | \(stroke)", for: [.swing])
        let turning = watch("300 | r2 2500 | \(stroke)", for: [.swing])
        #expect(turning.map(\.phase) == fromRest.map(\.phase))
        #expect(turning.last?.measures.hit == true && turning.last?.measures.impact == fromRest.last?.measures.impact)
    }

    @Test("How far it turned about another axis before a swing began is no part of the swing", arguments: [3.0, 5])
    func turnBefore(rate: Double) {
        var tail = SwingTail(rate: 100)
        for step in 0..<30 { tail.add(rate: 8, along: 0, at: DeviceTime(nanoseconds: Int64(step) * 10_000_000)) }
        for step in 30..<39 { tail.add(rate: rate, along: rate, at: DeviceTime(nanoseconds: Int64(step) * 10_000_000)) }
        let peak = DeviceTime(nanoseconds: 390_000_000)
        tail.add(rate: rate + 0.5, along: rate + 0.5, at: peak)
        // 16° are too few to have been a swing, 26° are not.
        #expect(tail.start(before: peak) == (rate == 3 ? nil : DeviceTime(nanoseconds: 300_000_000)))
    }

    @Test("A whirl that speeds up for seconds does not flood the game")
    func whirl() {
        let faster = (0..<500).map { "r\(6 + Double($0) / 50) 10" }.joined(separator: "|")
        let events = watch("300 | \(faster) | 1500", for: [.swing])
        #expect(events.first?.phase == .began && events.last?.phase == .ended)
        #expect(events.count < 12, "\(events.count) events")
    }

    @Test("What a controller does not say of its rotation rate, its attitudes do", arguments: [30.0, 100])
    func rateByAttitude(rate: Double) throws {
        var attitudes = StreamDeclaration(measures: [.attitude], nominalRate: rate)
        attitudes.rotationRange = 35
        var bench = Bench(MergeConfiguration(gestures: [.holdStill]), declaration: attitudes)
        let axis = SIMD3(0.36, 0.48, 0.8)
        bench.send(
            (0..<Int(3 * rate)).map { index in
                let time = Double(index) / rate
                let q = Quaternion(rotationVector: 3 * time * axis)
                return Sample(
                    sampledAt: DeviceTime(nanoseconds: Int64(time * 1e9)), measures: [.attitude],
                    attitude: SIMD4<Float>(SIMD4(q.w, q.x, q.y, q.z)))
            })
        let found = try #require(bench.merge.motion(of: 1)?.rotationRate)
        let error = found - 3 * axis
        #expect((error * error).sum().squareRoot() < 0.001, "\(found)")
        #expect(bench.events.isEmpty, "it does not hold still")
    }
}
