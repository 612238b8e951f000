import LinkEmulation
import RoomSimulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The estimate of a controller's clock")
struct ClockEstimatorTests {
    /// One exchange of a probe over ways of these lengths in nanoseconds; the device holds it in between.
    private func exchange(
        _ estimator: inout ClockEstimator, _ clock: SimulatedClock, at sentAt: HostTime, there: Int64, held: Int64 = 0,
        back: Int64
    ) -> (taken: Bool, end: HostTime) {
        let id = UInt16(truncatingIfNeeded: estimator.probesSent)
        estimator.probe(id, sentAt: sentAt)
        let reached = HostTime(nanoseconds: sentAt.nanoseconds + there)
        let left = HostTime(nanoseconds: reached.nanoseconds + held)
        let end = HostTime(nanoseconds: left.nanoseconds + back)
        let taken = estimator.answer(
            id: id, receivedAt: clock.device(reached), sentAt: clock.device(left).nanoseconds, arrivedAt: end)
        return (taken != nil, end)
    }

    /// Whether the mapping's interval at that moment holds what the device's clock really shows.
    private func holdsTruth(_ estimator: ClockEstimator, _ clock: SimulatedClock, at now: HostTime) -> Bool {
        guard let mapping = estimator.mapping(now: now), let uncertainty = mapping.uncertaintyNanoseconds
        else { return false }
        return abs((mapping.hostTime(of: clock.device(now)) - now).wholeNanoseconds) <= uncertainty
    }

    @Test("What is said to keep its state without another look would have it after one, whatever answers come")
    func keeping() {
        var random = SeededGenerator(seed: 4)
        var (kept, lookedAt, changes) = (0, 0, 0)
        for _ in 0..<40 {
            var estimator = ClockEstimator()
            let clock = SimulatedClock(offset: 7_000, drift: .random(in: -150e-6...150e-6, using: &random))
            var now = HostTime(nanoseconds: 1_000_000_000)
            var known: ClockMapping?
            for _ in 0..<300 {
                // Answers stay away for a while, or come on bad ways.
                let worst: Int64 = Bool.random(using: &random) ? 4_000_000 : 40_000_000
                if Int.random(in: 0..<4, using: &random) > 0 {
                    let ways = (0..<2).map { _ in Int64.random(in: 100_000...worst, using: &random) }
                    let (taken, end) = exchange(&estimator, clock, at: now, there: ways[0], back: ways[1])
                    now = end
                    if taken { known = estimator.mapping(now: now) }
                }
                for _ in 0..<Int.random(in: 0..<8, using: &random) {
                    now = now + .milliseconds(Int64.random(in: 10...4_000, using: &random))
                    guard let before = known, let after = estimator.mapping(now: now) else { continue }
                    lookedAt += 1
                    if after.state != before.state { changes += 1 }
                    guard estimator.surelyKeeps(before, at: now) else { continue }
                    kept += 1
                    #expect(after.state == before.state)
                }
            }
        }
        #expect(changes > 1_000 && kept > lookedAt / 5, "\(kept) of \(lookedAt) kept, \(changes) changed")
    }

    @Test("The round trip is the RFC's example to the bit: A = b710:8000, DLSR = 0005:4000, LSR = b705:2000 is 6.125 s")
    func example() {
        func nanoseconds(_ compact: UInt32) -> Int64 { Int64(compact) * 1_000_000_000 / 65_536 }
        var estimator = ClockEstimator()
        estimator.probe(9, sentAt: HostTime(nanoseconds: nanoseconds(0xB705_2000)))
        let held = nanoseconds(0x0005_4000)
        let taken = estimator.answer(
            id: 9, receivedAt: DeviceTime(nanoseconds: 77), sentAt: 77 + held,
            arrivedAt: HostTime(nanoseconds: nanoseconds(0xB710_8000)))
        #expect(taken == 0)
        #expect(estimator.roundTrip == 6_125_000_000)
    }

    @Test(
        "With 5 ms there and 120 ms back, or all of the way on one side, the truth lies inside the interval",
        arguments: [(5, 120), (120, 5), (0, 120), (120, 0), (0, 0)] as [(Int64, Int64)], [-0.0002, 0, 0.0002])
    func asymmetry(ways: (there: Int64, back: Int64), drift: Double) throws {
        let clock = SimulatedClock(offset: -31_557_600_000_000_000, drift: drift)
        var estimator = ClockEstimator()
        var now = HostTime.ms(0)
        for _ in 0..<30 {
            let end = exchange(
                &estimator, clock, at: now, there: ways.there * 1_000_000, held: 5_000_000, back: ways.back * 1_000_000)
            #expect(end.taken)
            for late in [0.0, 0.1, 0.5, 0.999] {
                let later = end.end + .nanoseconds(Int64(late * 1e9))
                #expect(holdsTruth(estimator, clock, at: later), "\(ways), \(drift)")
            }
            now = end.end + .seconds(1)
        }
        // And 60 s after the last answer, though nobody claims to be locked any more.
        #expect(holdsTruth(estimator, clock, at: now + .seconds(60)))
        #expect(estimator.mapping(now: now + .seconds(60))?.state == .stale)
    }

    @Test("The truth stays inside whatever ways and waits the network draws", arguments: 1...10)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = SimulatedClock(
            offset: Int64(truncatingIfNeeded: random.next() >> 8), drift: (random.fraction() * 2 - 1) * 0.0002)
        var estimator = ClockEstimator()
        var now = HostTime.ms(0)
        for _ in 0..<200 {
            func way() -> Int64 { Int64(random.fraction() * random.fraction() * 3e8) }
            let end = exchange(&estimator, clock, at: now, there: way(), held: way(), back: way())
            #expect(end.taken && holdsTruth(estimator, clock, at: end.end), "seed \(seed)")
            now = end.end + .nanoseconds(Int64(random.fraction() * 3e9))
            #expect(holdsTruth(estimator, clock, at: now), "seed \(seed)")
        }
    }

    @Test("It is locked with 6 answers of the last 10 s and at most ± 10 ms; with fewer or wider ones it is coarse")
    func states() {
        let clock = SimulatedClock(offset: 1, drift: 0)
        var (narrow, wide) = (ClockEstimator(), ClockEstimator())
        #expect(narrow.mapping(now: .ms(0)) == nil)
        for number in 1...6 {
            let now = HostTime.ms(Double(number) * 100)
            let end = exchange(&narrow, clock, at: now, there: 9_000_000, back: 9_000_000).end
            #expect(narrow.mapping(now: end)?.state == (number < 6 ? .coarse : .locked))
            _ = exchange(&wide, clock, at: now, there: 11_000_000, back: 11_000_000)
        }
        #expect(wide.mapping(now: .s(1))?.state == .coarse)
        #expect(narrow.mapping(now: .s(11))?.state == .stale)
    }

    @Test("Until an answer comes, arrival stands in for the truth, without a word about its error")
    func firstContact() {
        var estimator = ClockEstimator()
        let changes = [(50, 9), (60, 19), (70, 20)].map {
            estimator.noteArrival(sentAt: $0.0, arrivedAt: .ms(Double($0.1)))
        }
        #expect(changes == [true, false, false])
        #expect(estimator.mapping(now: .s(1))?.state == ClockMapping.State.none)
        #expect(estimator.mapping(now: .s(1))?.uncertaintyNanoseconds == nil)
    }

    @Test("Once a probe was answered, no arrival changes what is known, however quick it seems")
    func answered() {
        let clock = SimulatedClock(offset: 5_000_000_000, drift: 0)
        var estimator = ClockEstimator()
        #expect(exchange(&estimator, clock, at: .ms(10), there: 4_000_000, back: 4_000_000).taken)
        let changes = [40.0, 50, 60].map {
            estimator.noteArrival(sentAt: clock.device(.ms($0)).nanoseconds, arrivedAt: .ms($0))
        }
        #expect(changes == [false, false, false])
    }

    @Test(
        "After a clock was set back, a datagram that was overtaken and bears a stamp of before says nothing of the new one"
    )
    func overtaken() {
        var estimator = ClockEstimator()
        _ = estimator.noteArrival(sentAt: 100_000_000_000, arrivedAt: .ms(105))
        // Set back by 10 s; this one took 5 ms.
        let set = estimator.noteArrival(sentAt: 90_010_000_000, arrivedAt: .ms(115))
        let mapping = estimator.mapping(now: .ms(115))
        let late = estimator.noteArrival(sentAt: 100_005_000_000, arrivedAt: .ms(120), isNewest: false)
        #expect(set && !late)
        #expect(estimator.mapping(now: .ms(120)) == mapping)
        // One that was overtaken since may still be the quickest.
        let quicker = estimator.noteArrival(sentAt: 90_009_000_000, arrivedAt: .ms(110), isNewest: false)
        #expect(quicker)
    }

    @Test("The host's own wall clock, set while datagrams wait in the socket, makes no device's clock void")
    func hostClockSet() throws {
        let clock = SimulatedClock(offset: 5_000, drift: 0)
        var estimator = ClockEstimator()
        for number in 1...8 {
            _ = exchange(&estimator, clock, at: .ms(Double(number) * 100), there: 2_000_000, back: 2_000_000)
        }
        let known = try #require(estimator.mapping(now: .s(1)))
        // They came at 1 s; by the kernel's stamps they came 200 ms before.
        let early = HostTime.ms(800)
        let sentAt = clock.device(.ms(998)).nanoseconds
        _ = estimator.noteArrival(sentAt: sentAt, arrivedAt: early, seenAt: .ms(1_000), known: known)
        #expect(estimator.mapping(now: .s(1)) == known)
        // An answer's stamp that contradicts what is known: it came between that and when it was looked at.
        estimator.probe(99, sentAt: .ms(700))
        let answer = estimator.answer(
            id: 99, receivedAt: clock.device(.ms(740)), sentAt: clock.device(.ms(938)).nanoseconds,
            arrivedAt: .ms(902), seenAt: .ms(1_000))
        #expect(answer != nil && holdsTruth(estimator, clock, at: .s(1)))
        #expect(estimator.mapping(now: .s(1))?.state == .locked)
        // A device's clock that is really ahead is seen by when it is looked at, too.
        _ = estimator.noteArrival(
            sentAt: clock.device(.ms(1_300)).nanoseconds, arrivedAt: .ms(1_002), seenAt: .ms(1_002),
            known: estimator.mapping(now: .ms(1_002)))
        #expect(estimator.mapping(now: .ms(1_002))?.uncertaintyNanoseconds == nil)
    }

    @Test(
        "A clock that is set by an hour, either way, makes all earlier answers void at the next one",
        arguments: [-3_600, 3_600] as [Int64])
    func clockSet(seconds: Int64) {
        let (before, after) = (
            SimulatedClock(offset: 5_000, drift: 0.0001),
            SimulatedClock(offset: 5_000 + seconds * 1_000_000_000, drift: 0.0001)
        )
        var estimator = ClockEstimator()
        for number in 0..<10 {
            _ = exchange(&estimator, before, at: .ms(Double(number) * 100), there: 1_000_000, back: 1_000_000)
        }
        let end = exchange(&estimator, after, at: .s(2), there: 30_000_000, back: 30_000_000)
        #expect(end.taken)
        #expect(holdsTruth(estimator, after, at: end.end))
        #expect(estimator.mapping(now: end.end)?.state == .coarse)
    }

    @Test("On a quick network a clock that runs by 500 ppm is not taken for one that is set with each answer")
    func fast() {
        let clock = SimulatedClock(offset: 5_000, drift: 0.0005)
        var estimator = ClockEstimator()
        for number in 0..<60 {
            let end = exchange(
                &estimator, clock, at: .ms(Double(number) * 1_000), there: 50_000, back: 50_000
            ).end
            if number > 0 { #expect(holdsTruth(estimator, clock, at: end + .milliseconds(900)), "\(number)") }
        }
        #expect(estimator.timesSet == 1)
        // A pause makes it no slower.
        estimator.restart()
        let end = exchange(&estimator, clock, at: .ms(70_000), there: 50_000, back: 50_000).end
        #expect(holdsTruth(estimator, clock, at: end + .seconds(20)))
    }

    /// What a clock shows that moves in steps: of some browsers the next one from a moment on that is drawn for each step.
    private func shown(_ time: HostTime, by clock: SimulatedClock, step: Int64, roundsUp: Bool) -> DeviceTime {
        let exact = clock.device(time).nanoseconds
        let start = exact / step * step
        var random = SeededGenerator(seed: UInt64(start))
        let edge = roundsUp ? Int64(random.next() % UInt64(step)) : step
        return DeviceTime(nanoseconds: exact - start < edge ? start : start + step)
    }

    @Test(
        "Of a clock that moves in steps, and says so, the truth stays inside, however quick the network",
        arguments: [1_000_000, 16_666_667] as [Int64], [false, true])
    func grain(step: Int64, roundsUp: Bool) {
        var random = SeededGenerator(seed: UInt64(step))
        let clock = SimulatedClock(offset: 86_400_000_000_000, drift: 0.0001)
        var (estimator, silent, outside) = (ClockEstimator(), ClockEstimator(), 0)
        var now = HostTime.ms(0)
        for id: UInt16 in 0..<200 {
            let reached = now + .nanoseconds(Int64(50_000 + random.fraction() * 3e6))
            let left = reached + .nanoseconds(Int64(random.fraction() * 5e6))
            let end = left + .nanoseconds(Int64(50_000 + random.fraction() * 3e6))
            let (received, sent) = (
                shown(reached, by: clock, step: step, roundsUp: roundsUp),
                shown(left, by: clock, step: step, roundsUp: roundsUp).nanoseconds
            )
            estimator.probe(id, sentAt: now)
            silent.probe(id, sentAt: now)
            let taken = estimator.answer(
                id: id, receivedAt: received, sentAt: sent, arrivedAt: end, grain: roundsUp ? 2 * step : step)
            _ = silent.answer(id: id, receivedAt: received, sentAt: sent, arrivedAt: end)
            #expect(taken != nil)
            for part in 0..<7 {
                let time = end + .milliseconds(part * 13)
                let stamp = shown(time, by: clock, step: step, roundsUp: roundsUp)
                func excess(_ estimator: ClockEstimator) -> Int64? {
                    estimator.mapping(now: time).flatMap { mapping in
                        mapping.uncertaintyNanoseconds.map {
                            abs((mapping.hostTime(of: stamp) - time).wholeNanoseconds) - $0
                        }
                    }
                }
                #expect(excess(estimator).map { $0 <= 0 } == true)
                outside += excess(silent).map { $0 > 0 } == true ? 1 : 0
            }
            now = end + .milliseconds(Int64(random.fraction() * 200))
        }
        #expect(estimator.timesSet == 0)
        #expect(outside > 0, "what is not said cannot be known")
    }

    @Test("An answer that a clock which runs by 500 ppm held for long is taken for no surer than it is")
    func heldByFastClock() {
        let clock = SimulatedClock(offset: 5_000, drift: 0.0005)
        var known = ClockEstimator()
        for number in 0..<10 {
            _ = exchange(&known, clock, at: .ms(Double(number) * 1_000), there: 50_000, back: 50_000)
        }
        for (way, held) in [(70_000, 400_000_000), (50_000, 2_000_000_000)] as [(Int64, Int64)] {
            known.restart()
            let end = exchange(&known, clock, at: .ms(20_000), there: way, held: held, back: way)
            #expect(end.taken && holdsTruth(known, clock, at: end.end), "\(held)")
        }
        // It shows by this answer alone.
        var unknown = ClockEstimator()
        let end = exchange(&unknown, clock, at: .ms(0), there: 50_000, held: 400_000_000, back: 50_000)
        #expect(end.taken && holdsTruth(unknown, clock, at: end.end))
    }

    @Test("Answers to nothing, a second time, or that were sent before they came, are not believed")
    func unbelievable() {
        let clock = SimulatedClock(offset: 0, drift: 0)
        var estimator = ClockEstimator()
        let id: UInt16 = 7
        estimator.probe(id, sentAt: .ms(0))
        let time = clock.device(.ms(5))
        let verdicts = [
            estimator.answer(id: id &+ 1, receivedAt: time, sentAt: time.nanoseconds, arrivedAt: .ms(10)),
            estimator.answer(id: id, receivedAt: time, sentAt: time.nanoseconds, arrivedAt: .ms(10)),
            estimator.answer(id: id, receivedAt: time, sentAt: time.nanoseconds, arrivedAt: .ms(10)),
        ]
        #expect(verdicts == [nil, 0, nil])
        for (received, sent) in [(5, 4), (Int64.max, .min), (.min, .max), (0, 3_600_000_000_000)] as [(Int64, Int64)] {
            estimator.probe(id, sentAt: .ms(20))
            let taken = estimator.answer(
                id: id, receivedAt: DeviceTime(nanoseconds: received), sentAt: sent, arrivedAt: .ms(30))
            #expect(taken == nil)
        }
    }

    @Test("Eight probes leave 64 ms apart, then one a second: a probe that is lost does not make the others hurry")
    func pace() {
        let clock = SimulatedClock(offset: 0, drift: 0)
        var estimator = ClockEstimator()
        var sent: [HostTime] = []
        var now = HostTime.ms(0)
        while now < .s(10) {
            if estimator.nextProbeDue() <= now.nanoseconds {
                sent.append(now)
                if sent.count == 4 {
                    estimator.probe(UInt16(sent.count), sentAt: now)
                } else {
                    _ = exchange(&estimator, clock, at: now, there: 1_000_000, back: 1_000_000)
                }
            }
            now = now + .milliseconds(1)
        }
        let gaps = zip(sent, sent.dropFirst()).map { ($1 - $0).milliseconds }
        #expect(gaps.prefix(7).allSatisfy { $0 == 64 })
        #expect(gaps.dropFirst(7).allSatisfy { $0 == 1_000 })
    }

    @Test("Once its clock was set, the answer to a probe of before is not taken; the next one is")
    func probesOfBefore() {
        var estimator = ClockEstimator()
        estimator.probe(1, sentAt: .ms(0))
        _ = estimator.noteArrival(sentAt: 10_000_000_000, arrivedAt: .ms(10))
        _ = estimator.noteArrival(sentAt: 5_000_000_000, arrivedAt: .ms(20))
        #expect(estimator.changes == 1)
        let old = estimator.answer(
            id: 1, receivedAt: DeviceTime(nanoseconds: 5_000_000_000), sentAt: 5_000_000_000, arrivedAt: .ms(30))
        #expect(old == nil)
        estimator.probe(2, sentAt: .ms(40))
        let new = estimator.answer(
            id: 2, receivedAt: DeviceTime(nanoseconds: 5_010_000_000), sentAt: 5_010_000_000, arrivedAt: .ms(50))
        #expect(new == 1)
    }

    @Test("A good answer of a minute ago tells more than all the bad ones since, and is not forgotten for them")
    func goodOldAnswer() throws {
        let clock = SimulatedClock(offset: 77_000, drift: 0.000_01)
        for isGood in [true, false] {
            var estimator = ClockEstimator()
            let way: Int64 = isGood ? 500_000 : 100_000_000
            var now = exchange(&estimator, clock, at: .ms(0), there: way, back: way).end
            for _ in 0..<20 {
                now = exchange(&estimator, clock, at: now + .seconds(3), there: 100_000_000, back: 100_000_000).end
            }
            let uncertainty = try #require(estimator.mapping(now: now)?.uncertaintyNanoseconds)
            #expect((uncertainty < 20_000_000) == isGood, "\(uncertainty)")
            #expect(holdsTruth(estimator, clock, at: now))
        }
    }
}
