import InputMerge
import Testing
import WireProtocol

@Suite("Timeline: samples back in order")
struct HoldbackTests {
    @Test("A stream without holes needs no deadline and is fed at once")
    func wholeStream() {
        var bench = Bench()
        bench.play("0123456789")
        #expect(!bench.awaitsSamples)
        #expect(bench.tally().fed == 10)
    }

    @Test("A missing sample is awaited until holdback after the first later one arrived, not after the last")
    func holdback() {
        var bench = Bench()
        bench.play("01.3456")  // 3 arrived at 30 ms
        #expect(bench.merge.nextDeadline == ms(90))
        #expect(bench.tally().fed == 2)
        bench.advance(to: 89.999)
        #expect(bench.tally().fed == 2)
        bench.advance(to: 90)
        #expect(bench.tally().fed == 6)
        #expect(!bench.awaitsSamples)
    }

    @Test("Amid a backlog nothing is given up that may wait unread: what came in time counts, whenever it is read")
    func backlog() {
        var bench = Bench()
        bench.play("01.3")  // 3 arrived at 30 ms
        // The host stood still until 500 ms, and has read what arrived until 40.
        bench.advance(to: 500, heardUntil: 40)
        #expect(bench.awaitsSamples)
        bench.arrive(2, at: 89.999)
        #expect(bench.verdicts[2] == .delivered)
        #expect(bench.tally().fed == 4)
        // It stays so: what was heard once is not unheard.
        bench.play("5", from: 600)
        bench.advance(to: 660, heardUntil: 40)
        #expect(bench.awaitsSamples)
        bench.advance(to: 660, heardUntil: 700)
        #expect(!bench.awaitsSamples, "nobody has heard what is yet to come")
    }

    @Test("Amid a backlog nobody is lost of whom something may wait unread: neither for contests nor in what is shown")
    func heardAmidBacklog() {
        var bench = Bench(MergeConfiguration(gestures: []), controllers: 2)
        for index in UInt32(0)..<5 {
            for peer in 0..<2 { bench.arrive(index, at: Double(index) * 10 + 5, from: peer) }
        }
        bench.advance(to: 45)
        // The host stood still until 3 s, and reads what the first sent before what the second did.
        bench.arrive(5, at: 55)
        bench.advance(to: 3_000, heardUntil: 55)
        #expect(bench.merge.watermarks.map(\.isLive) == [true, true])
        #expect(bench.merge.watermarks.map(\.clock) == [.locked, .locked])
        bench.advance(to: 3_000)
        #expect(bench.merge.watermarks.map(\.isLive) == [false, false], "now all is read, and nothing came")
    }

    @Test("Amid a backlog what two did together is together, though one's samples are read long after the other's")
    func togetherAmidBacklog() {
        var bench = Bench(
            MergeConfiguration(gestures: [Ensemble.push], fusion: .of("all:20ms")), controllers: 2, together: true)
        func read(_ indices: Range<UInt32>, from peer: PeerIndex, pushedAt pushes: [UInt32], in bench: inout Bench) {
            for index in indices {
                let push = SIMD3(0, pushes.contains(index) ? 1.0 : 0, 0)
                let time = Double(index) * 10
                bench.arrive(sample(at: time, push: push), index, at: time + 5, from: peer)
            }
        }
        for peer in 0..<2 { read(0..<2, from: peer, pushedAt: [], in: &bench) }
        bench.advance(to: 15)
        // The host stood still until 500 ms.
        read(2..<8, from: 0, pushedAt: [2, 6], in: &bench)
        bench.advance(to: 500, heardUntil: 15)
        read(2..<8, from: 1, pushedAt: [3], in: &bench)
        bench.advance(to: 500)
        #expect(bench.events.filter { $0.phase == .began }.map(\.occurredAt) == [ms(30)])
    }

    @Test(
        "A sample is delivered until its timeline passes it, and late from that moment on",
        arguments: [
            (89.999, ArrivalVerdict.delivered), (90, .late), (500, .late),
        ])
    func late(arrival: Double, verdict: ArrivalVerdict) {
        var bench = Bench()
        bench.play("01.3")
        bench.arrive(2, at: arrival)
        #expect(bench.verdicts[2] == verdict)
        #expect(bench.tally().late == (verdict == .late ? 1 : 0))
    }

    @Test("What arrives late is never fed: a push that comes too late is no gesture")
    func lateIsNeverFed() {
        var bench = Bench(motion: pushed(at: 2))
        bench.play("01.345678......2")
        #expect(bench.events.isEmpty)
        #expect(bench.tally().late == 1)
        #expect(bench.tally().fed == 8)
    }

    @Test("Each hole has its own deadline")
    func twoHoles() {
        var bench = Bench()
        bench.play("0.2..5")  // 2 at 20 ms waits for 1; 5 at 50 ms waits for 3 and 4
        #expect(bench.merge.nextDeadline == ms(80))
        bench.advance(to: 80)
        #expect(bench.tally().fed == 2)
        #expect(bench.merge.nextDeadline == ms(110))
        bench.arrive(3, at: 100)
        bench.arrive(4, at: 100)
        #expect(!bench.awaitsSamples)
        #expect(bench.tally().fed == 5)
    }

    @Test("The first samples of an epoch are awaited too, unless the sender says that they are gone")
    func beginning() {
        var bench = Bench()
        bench.arrive(1_000_000, at: 0)
        #expect(bench.tally().fed == 0)
        bench.merge.abandon(below: 1_000_000, of: stream(0))
        #expect(bench.tally().fed == 1)
        bench.arrive(1_000_001, at: 10)
        #expect(bench.tally().fed == 2)
    }

    @Test("What the sender abandoned is not waited for; what lies above the floor still is")
    func abandon() {
        var bench = Bench()
        bench.play("01.3.5")
        bench.merge.abandon(below: 3, of: stream(0))
        #expect(bench.tally().fed == 3)
        #expect(bench.merge.nextDeadline == ms(110))
        bench.arrive(2, at: 55)
        #expect(bench.verdicts[2] == .late)
        bench.merge.abandon(below: 1, of: stream(0))
        #expect(bench.tally().fed == 3)
    }

    @Test("A duplicate changes nothing, whether it waits or was fed")
    func duplicate() {
        var bench = Bench(motion: pushed(at: 4))
        bench.play("01.3344.2")
        bench.arrive(4, at: 90)
        bench.advance(to: 200)
        #expect(bench.tally().fed == 5)
        #expect(bench.seen == ["keepcalm-jump.began@40"])
    }

    @Test("Arrivals shuffled inside holdback give the same events, to the bit")
    func shuffled() {
        var tidy = Bench(motion: pushed(at: 8))
        tidy.play("0123456789abcdef.....")
        var untidy = Bench(motion: pushed(at: 8))
        untidy.play("10.2543.86a97.bfedc..")
        #expect(tidy.events == untidy.events)
        #expect(tidy.seen == ["keepcalm-jump.began@80", "keepcalm-jump.ended@90"])
        #expect(tidy.merge.motion(of: 1) == untidy.merge.motion(of: 1))
        #expect(untidy.tally().late == 0)
    }

    @Test(
        "A gap of at most 150 ms is filled, a longer one degrades the motion for a second",
        arguments: [
            (UInt32(14), false), (UInt32(15), true),
        ])
    func gap(missing: UInt32, degraded: Bool) throws {
        var bench = Bench()
        bench.send((0..<50).map(resting))
        let next = 50 + missing
        let later = (next..<next + 20).map(resting)
        bench.send(later, startingAt: next)
        bench.advance(to: Double(next + 20) * 10 + 100)
        #expect(bench.tally().interpolated == (degraded ? 0 : UInt64(missing)))
        #expect(bench.tally().holes == (degraded ? 1 : 0))
        #expect(try #require(bench.merge.motion(of: 1)).isDegraded == degraded)
        bench.send((next + 20..<next + 130).map(resting), startingAt: next + 20)
        #expect(try #require(bench.merge.motion(of: 1)).isDegraded == false)
    }

    @Test("A filled gap keeps the orientation of a steady turn; an ignored one would lose it")
    func bridgedTurn() throws {
        func turning(_ index: UInt32) -> Sample { sample(at: Double(index) * 10, turn: SIMD3(0, 0, 1)) }
        var whole = Bench(motion: turning)
        whole.send((0..<100).map(turning))
        var holed = Bench(motion: turning)
        for index in UInt32(0)..<100 where !(40..<52).contains(index) { holed.arrive(index, at: Double(index) * 10) }
        holed.advance(to: 2_000)
        let expected = try #require(whole.merge.motion(of: 1))
        let bridged = try #require(holed.merge.motion(of: 1))
        #expect(holed.tally().interpolated == 12)
        let difference = (expected.attitude.inverse * bridged.attitude)
        #expect(SIMD3(difference.x, difference.y, difference.z).magnitude < 1e-9)
    }

    @Test("The newest motion does not wait for a missing sample, and looking at it changes nothing")
    func pull() throws {
        var bench = Bench()
        bench.play("01.3")
        #expect(try #require(bench.merge.motion(of: 1)).sampledAt == resting(3).sampledAt)
        #expect(bench.tally().fed == 2)
        bench.arrive(2, at: 35)
        #expect(bench.tally().fed == 4)
    }
}

extension SIMD3<Double> {
    var magnitude: Double { (self * self).sum().squareRoot() }
}
