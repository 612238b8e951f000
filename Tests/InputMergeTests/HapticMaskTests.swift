import InputMerge
import Testing
import WireProtocol

@Suite("A controller's own haptics are no gestures of its player")
struct HapticMaskTests {
    /// A controller that plays marbles while haptics of 60 ms begin on it, known beforehand, at these times in ms.
    private func play(_ marbles: String, _ gestures: [GestureDefinition], haptics: [Double]) -> Bench {
        var bench = Bench(MergeConfiguration(gestures: gestures), declaration: fused)
        for (id, time) in haptics.enumerated() {
            bench.merge.hapticStarts(
                UInt32(id), on: 0, between: ms(time), and: ms(time), duration: .milliseconds(60))
        }
        bench.send(Marbles(marbles).samples())
        return bench
    }

    private let push = GestureDefinition("push", .threshold(ThresholdRule(refractory: .zero)))

    // The clock is sure to 1 ms, and half a sample period is 5 ms: a haptic at 100 ms masks 94 … 216 ms.
    @Test(
        "A push does not count while the haptic plays, and for 50 ms after, as far as clocks and sampling tell",
        arguments: [(80.0, true), (90, true), (100, false), (150, false), (210, false), (220, true), (400, true)])
    func pushes(at time: Double, counts: Bool) {
        let bench = play("\(time) | y1 20 | 300", [push], haptics: [100])
        #expect(text(bench.events) == (counts ? "began@\(Int(time)) ended@\(Int(time) + 20)" : ""))
        #expect(bench.merge.maskedGestures(of: 0) == (counts ? 0 : 1))
    }

    @Test("Before the receipt it may be played at any time until it is worthless; the receipt says when it was")
    func receipt() {
        func events(_ answer: (inout Merge) -> Void) -> String {
            var bench = Bench(MergeConfiguration(gestures: [push]), declaration: fused)
            bench.merge.hapticStarts(7, on: 0, between: ms(50), and: ms(550), duration: .milliseconds(60))
            answer(&bench.merge)
            bench.send(Marbles("100 | y1 20 | 380 | y1 20 | 300 | y1 20 | 50").samples())
            return text(bench.events.filter { $0.phase == .began })
        }
        #expect(events { _ in } == "began@820")
        #expect(events { $0.hapticCancelled(7, on: 0) } == "began@100 began@500 began@820")
        #expect(
            events {
                $0.hapticStarts(7, on: 0, between: ms(80), and: ms(80), duration: .milliseconds(60))
            } == "began@500 began@820")
    }

    @Test("Another controller's haptic shakes nobody else")
    func others() {
        var bench = Bench(MergeConfiguration(gestures: [push]), controllers: 2, declaration: fused)
        bench.merge.hapticStarts(1, on: 1, between: ms(0), and: ms(0), duration: .seconds(5))
        bench.send(Marbles("100 | y1 20 | 100").samples())
        #expect(bench.seen == ["push.began@100", "push.ended@120"])
    }

    @Test("Flights and turns are no motor's work: they count though a haptic plays")
    func noMotor() {
        let haptics = stride(from: 0.0, to: 2_000, by: 50).map(\.self)
        let jump = "f1 400 | f2.5 150 | f0.1 300 | f3 60 | f1 400"
        #expect(text(play(jump, [.jump], haptics: haptics).events) == text(play(jump, [.jump], haptics: []).events))
        let flick = "f1 400 | q9 120 | f1 600"
        let flicks = text(play(flick, [.flick], haptics: haptics).events)
        #expect(!flicks.isEmpty && flicks == text(play(flick, [.flick], haptics: []).events))
    }

    @Test("A shake that goes on after the haptic begins when it is over; one that only the haptic made never does")
    func shake() {
        let real = play("300 | 12*(x2 60 | x-2 60) | 1500", [.shake], haptics: [400])
        #expect(text(real.events).hasPrefix("began@5"))
        let false_ = play("300 | 2*(x2 60 | x-2 60) | 1500", [.shake], haptics: [400])
        #expect(false_.events.isEmpty && false_.merge.maskedGestures(of: 0) == 1)
    }

    @Test("A posture taken under a haptic counts from its end, if it lasts so long")
    func posture() {
        func lean(until end: Double) -> [String] {
            var bench = Bench(MergeConfiguration(gestures: [.tilt]), declaration: fused)
            bench.merge.hapticStarts(1, on: 0, between: ms(100), and: ms(100), duration: .milliseconds(60))
            bench.send(
                (0..<100).map { step in
                    let time = Double(step) * 10
                    return tilted((150..<end).contains(time) ? 50 : 0, at: time)
                })
            return bench.seen
        }
        #expect(lean(until: 600) == ["tilt.began@216", "tilt.ended@600"])
        #expect(lean(until: 200).isEmpty)
    }

    @Test("Contests about what a motor could make, too, are known by the gestures' rules, not by their names")
    func hiddenContests() {
        let lean = GestureDefinition("lean", .tilt(TiltRule()))
        var configuration = MergeConfiguration(gestures: [.jump, .tap, .tilt, lean, .swing, .shake, push])
        configuration.contests.gestures = [.jump, "lean", .shake, .swing, push.kind, "taught:circle"]
        #expect(configuration.contestsHiddenByHaptics == ["lean", .shake, push.kind])
    }

    /// Two players lean by 50° at these times in ms; a haptic was commanded on the first one's controller at 100 ms, to be
    /// played by 600. What is known of it at 160 is said then.
    private func duel(
        _ leans: [Double], about gesture: GestureKind = .tilt, at160 correct: (inout Merge) -> Void = { _ in }
    ) -> (verdicts: [Verdict], gestures: [GestureEvent], watermark: HostTime?) {
        let contests = ContestRules(gestures: [gesture])
        var bench = Bench(
            MergeConfiguration(gestures: [.tilt, push], contests: contests), controllers: 2, declaration: fused)
        bench.merge.hapticStarts(1, on: 0, between: ms(100), and: ms(600), duration: .milliseconds(60))
        var (verdicts, gestures): ([Verdict], [GestureEvent]) = ([], [])
        var watermark: HostTime?
        for step in UInt32(0)..<120 {
            let time = Double(step) * 10
            if step == 16 { correct(&bench.merge) }
            for (peer, lean) in leans.enumerated() {
                var reading = tilted(time >= lean ? 50 : 0, at: time)
                if gesture == push.kind, peer == 1, step == 30 { reading.acceleration.y -= Float(standardGravity) }
                bench.arrive(reading, step, at: time + 5, from: peer)
            }
            for event in bench.merge.advance(to: ms(time + 5)) {
                if case .verdict(let verdict) = event { verdicts.append(verdict) }
                if case .gesture(let gesture) = event, gesture.phase == .began { gestures.append(gesture) }
            }
            if step == 40 { watermark = bench.merge.watermarks.first?.watermark }
        }
        return (verdicts, gestures, watermark)
    }

    @Test("While a haptic leaves open whether a player was first, the contest waits, and names who was not waited for")
    func undecided() throws {
        let evening = duel([150, 300])
        let verdict = try #require(evening.verdicts.first)
        #expect(verdict.winners == [2] && verdict.missed == [1] && verdict.decidedBy == .cap)
        #expect(verdict.contenders.map(\.reason) == [.missed, .placed])
        #expect(evening.watermark == ms(140))
    }

    @Test("The receipt of a haptic ends the waiting for it: whoever leaned first wins")
    func receiptInContest() throws {
        let evening = duel([150, 300]) {
            $0.hapticStarts(1, on: 0, between: ms(110), and: ms(110), duration: .milliseconds(60))
        }
        let verdict = try #require(evening.verdicts.first)
        #expect(verdict.order == [[1], [2]] && verdict.decidedBy == .watermark)
        // It leaned at some time from 140 ms, when it was last seen not to, to the haptic's end: 110 + 60 + 50 + 6.
        let began = try #require(evening.gestures.first)
        #expect(began.occurredAt == ms(226) && began.unseenNanoseconds == 86_000_000)
        #expect(began.uncertaintyNanoseconds == 87_000_000)
        #expect(evening.watermark == ms(400))
    }

    @Test("What began under a haptic that was played elsewhere in time, or not at all, began when it did")
    func noHaptic() throws {
        let corrections: [(inout Merge) -> Void] = [
            { $0.hapticCancelled(1, on: 0) },
            { $0.hapticStarts(1, on: 0, between: ms(400), and: ms(400), duration: .milliseconds(60)) },
        ]
        for correct in corrections {
            let evening = duel([150, 300], at160: correct)
            let verdict = try #require(evening.verdicts.first)
            // The other leaned after the window.
            #expect(verdict.order == [[1]] && verdict.decidedBy == .watermark)
            #expect(evening.gestures.first?.occurredAt == ms(150))
            #expect(evening.gestures.first?.uncertaintyNanoseconds == 11_000_000)
        }
    }

    @Test("A haptic commanded later does not put off what began before it")
    func laterHaptic() throws {
        let evening = duel([150, 300]) {
            $0.hapticStarts(1, on: 0, between: ms(110), and: ms(110), duration: .milliseconds(60))
            $0.hapticStarts(2, on: 0, between: ms(155), and: ms(655), duration: .milliseconds(60))
        }
        #expect(evening.gestures.first?.occurredAt == ms(226))
        #expect(evening.verdicts.first?.order == [[1], [2]])
    }

    @Test("A contest about something else does not wait for it")
    func otherContest() throws {
        let evening = duel([150, .infinity], about: push.kind)
        let verdict = try #require(evening.verdicts.first)
        #expect(verdict.winners == [2] && verdict.missed == [] && verdict.decidedBy == .watermark)
        #expect(verdict.contenders.map(\.reason) == [.idle, .placed])
    }

    @Test("Whatever haptics play meanwhile, every gesture that begins ends once", arguments: [UInt64](1...20))
    func balanced(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let marbles = (0..<60).map { _ in
            ["", "y1", "x2", "x-2", "f0.1", "f3", "q8"][random.below(7)] + " \(20 + 10 * random.below(12))"
        }.joined(separator: " | ")
        let haptics = (0..<20).map { _ in Double(random.below(4_000)) }
        let bench = play(marbles + " | f1 3000", GestureDefinition.all, haptics: haptics)
        var open: [GestureID] = []
        for event in bench.events {
            switch event.phase {
            case .began: open.append(event.id)
            case .changed: #expect(open.contains(event.id), "seed \(seed)")
            case .ended:
                #expect(open.contains(event.id), "seed \(seed)")
                open.removeAll { $0 == event.id }
            }
        }
        let lasting = bench.events.filter { open.contains($0.id) }.map(\.gesture)
        #expect(lasting.allSatisfy { $0 == .holdStill }, "seed \(seed)")
    }
}
