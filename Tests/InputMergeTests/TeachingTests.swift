import Foundation
import InputMerge
import Testing
import WireProtocol

@Suite("Taught gestures")
struct TeachingTests {
    @Test("Shown three times, a gesture is recognised at once: a third of a second after it is over")
    func threeTimes() throws {
        var room = Classroom()
        room.teach("circle", .circle)
        #expect(room.progress.map(\.step).prefix(2) == [.example(1), .example(2)])
        guard case .finished(let gesture) = try #require(room.progress.last).step else {
            Issue.record("the lesson did not finish: \(room.progress)")
            return
        }
        #expect(gesture.kind == "circle" && gesture.examples.count == 3)
        #expect(room.bench.merge.taught(of: 1) == [gesture])

        let drawn = room.hand.draw(.circle)
        let over = Double(try #require(drawn.last).sampledAt.nanoseconds) / 1e6 - 490
        #expect(room.recognised(drawn) == ["circle"])
        #expect(text(room.bench.events).split(separator: " ").map { $0.prefix(5) } == ["began", "ended"])
        let began = Double(try #require(room.bench.events.first).occurredAt.nanoseconds) / 1e6
        #expect(began - over <= 370)
        #expect(room.bench.events[0].id == room.bench.events[1].id)
        #expect(room.bench.events[0].measures.unlikeness ?? 2 <= 1)
        // From when the hand set out, after half a second, to when this is told.
        let start = Double(try #require(drawn.first).sampledAt.nanoseconds) / 1e6 + 500
        let sinceStart = try #require(room.bench.events[0].measures.sinceStart)
        #expect(abs(began - start - 1_000 * sinceStart) <= 30, "\(sinceStart)")
    }

    @Test(
        "Of sixty-four motions the taught are recognised as what they are, and what is unlike is rejected",
        arguments: [UInt64(1), 2, 3])
    func rejection(seed: UInt64) {
        var room = Classroom(seed: seed)
        room.teach("circle", .circle)
        room.teach("square", .square)
        var (right, wrong, missed, invented) = (0, 0, 0, 0)
        for round in 0..<64 {
            let drawing = Drawing.allCases[round % 4]
            let seen = room.recognised(room.hand.draw(drawing))
            switch drawing {
            case .circle, .square:
                if seen == ["\(drawing)"] { right += 1 } else if seen.isEmpty { missed += 1 } else { wrong += 1 }
            case .zigzag, .stab: invented += seen.count
            }
        }
        #expect(wrong == 0 && invented == 0, "seed \(seed)")
        #expect(missed <= 3, "seed \(seed): \(missed) of \(right + missed) were missed")
    }

    @Test("A device held 25° steeper or flatter than when it was taught still makes the gesture")
    func posture() {
        var room = Classroom()
        room.teach("circle", .circle)
        room.teach("square", .square)
        for posture in [-25.0, 25] {
            room.hand.posture = posture * .pi / 180
            #expect(room.recognised(room.hand.draw(.circle)) == ["circle"], "at \(posture)°")
            #expect(room.recognised(room.hand.draw(.square)) == ["square"], "at \(posture)°")
        }
    }

    @Test("An example that is unlike the first does not count; two that are like each other begin the lesson anew")
    func unlikeExample() {
        var room = Classroom()
        room.bench.merge.teach("circle", times: 3, to: 1)
        room.see(room.hand.draw(.stab))
        room.see(room.hand.draw(.circle))
        #expect(room.progress.map(\.step) == [.example(1), .unlike(shown: 1)])
        room.see(room.hand.draw(.circle))
        #expect(room.progress.last?.step == .example(2))
        // As one was refused, a fourth and a fifth are asked for.
        for _ in 0..<3 { room.see(room.hand.draw(.circle)) }
        #expect(room.progress.last?.times == 5)
        #expect(room.recognised(room.hand.draw(.circle)) == ["circle"])
        #expect(room.recognised(room.hand.draw(.stab)) == [])
    }

    @Test("That was not it: what is like it is refused from then on, and the gesture itself still recognised")
    func notIt() {
        var room = Classroom()
        #expect(room.bench.merge.refuseLatest(of: 1) == nil)
        room.teach("circle", .circle)
        // A circle drawn with half a square is near enough to be taken for one.
        room.bench.merge.setSensitivity(2, of: 1)
        #expect(room.recognised(room.hand.draw(.circle)) == ["circle"])
        #expect(room.bench.merge.refuseLatest(of: 1) == "circle")
        #expect(room.bench.merge.refuseLatest(of: 1) == nil)
        #expect(room.bench.merge.taught(of: 1)[0].counterExamples.count == 1)
        for _ in 0..<20 {
            if room.recognised(room.hand.draw(.circle)) == ["circle"] { _ = room.bench.merge.refuseLatest(of: 1) }
        }
        #expect(room.bench.merge.taught(of: 1)[0].counterExamples.count <= TaughtGesture.mostCounterExamples)
        #expect(room.recognised(room.hand.draw(.stab)) == [])
    }

    @Test("A gesture much like one that was taught before is named at once, and asked for five times; who stops has it")
    func alike() throws {
        var room = Classroom()
        room.teach("circle", .circle)
        room.progress = []
        room.bench.merge.teach("ring", times: 3, to: 1)
        for _ in 0..<3 { room.see(room.hand.draw(.circle)) }
        #expect(room.progress.map(\.alike) == ["circle", "circle", "circle"])
        #expect(room.progress.last?.step == .example(3) && room.progress.last?.times == 5)
        room.bench.merge.cancelLesson(of: 1)
        room.see(room.hand.rest(50))
        guard case .finished(let ring) = try #require(room.progress.last).step else {
            Issue.record("it was called off: \(room.progress)")
            return
        }
        #expect(ring.examples.count == 3 && room.progress.last?.alike == "circle")
    }

    @Test(
        "A lesson is its pupil's: it does not go on with whoever drives the player next",
        arguments: [[[], [1]], [[2], [1]], [[2], [], [1]]] as [[[PlayerNumber]]])
    func pupil(moves: [[PlayerNumber]]) {
        var room = Classroom()
        room.bench.merge.teach("circle", times: 3, to: 1)
        room.bench.merge.teach("square", times: 3, to: 2)
        for _ in 0..<2 { room.see(room.hand.draw(.circle)) }
        #expect(room.progress.map(\.step) == [.example(1), .example(2)])
        for players in moves { room.bench.merge.assign(peer: 0, to: players) }
        room.see(room.hand.draw(.circle))
        room.see(room.hand.draw(.circle))
        #expect(room.bench.merge.taught(of: 1).isEmpty && room.bench.merge.taught(of: 2).isEmpty)
        #expect(room.progress.contains { $0.player == 1 && $0.step == .abandoned })
        #expect(!room.progress.contains { if case .finished = $0.step { true } else { false } })
    }

    @Test("During a lesson nothing taught is recognised; a cancelled one leaves everything as it was")
    func cancelled() {
        var room = Classroom()
        room.teach("circle", .circle)
        room.bench.merge.teach("square", times: 3, to: 1)
        #expect(room.recognised(room.hand.draw(.circle)) == [])
        room.bench.merge.cancelLesson(of: 1)
        #expect(room.recognised(room.hand.draw(.circle)) == ["circle"])
        #expect(room.bench.merge.taught(of: 1).map(\.kind) == ["circle"])
    }

    @Test("Taught again, a gesture replaces the one of its name; taken away, it is not recognised")
    func replaced() {
        var room = Classroom()
        room.teach("mine", .circle)
        room.teach("mine", .square)
        #expect(room.bench.merge.taught(of: 1).count == 1)
        #expect(room.recognised(room.hand.draw(.square)) == ["mine"])
        #expect(room.recognised(room.hand.draw(.circle)) == [])
        room.bench.merge.setTaught([], of: 1)
        #expect(room.recognised(room.hand.draw(.square)) == [])
    }

    @Test("What was taught survives being written and read, and serves the player's next controller")
    func stored() throws {
        var room = Classroom()
        room.teach("circle", .circle)
        let text = try JSONEncoder().encode(room.bench.merge.taught(of: 1))
        #expect(text.count < 40_000)
        var later = Classroom(seed: 9)
        later.bench.merge.setTaught(try JSONDecoder().decode([TaughtGesture].self, from: text), of: 1)
        #expect(later.recognised(later.hand.draw(.circle)) == ["circle"])
    }

    @Test("A hole shorter than a rest costs no gesture, a longer one does: before it another may have begun")
    func holes() {
        for (missing, recognised) in [(20, ["circle"]), (45, [])] {
            var room = Classroom()
            room.teach("circle", .circle)
            let drawn = room.hand.draw(.circle)
            #expect(room.recognised(Array(drawn[..<75] + drawn[(75 + missing)...])) == recognised, "\(10 * missing) ms")
        }
    }

    @Test("An example has a third of a second of rest at either end, or as much as there was since a hole")
    func rests() throws {
        /// A circle of about 0.9 s after so much of rest, which is all that was heard before it.
        func example(after rest: Int, resting earlier: Int = 0) throws -> MotionTrace? {
            var room = Classroom()
            room.bench.merge.teach("circle", times: 1, to: 1)
            var other = Hand(seed: 2)
            room.see(other.rest(Double(earlier)))
            room.hand.time = 2 * other.time
            let drawn = room.hand.draw(.circle)
            room.see(Array(drawn.dropFirst(50 - rest / 10)))
            guard case .finished(let gesture) = try #require(room.progress.last).step else {
                Issue.record("the lesson did not finish: \(room.progress)")
                return nil
            }
            return gesture.examples.first
        }
        let whole = try #require(try example(after: 500)).duration
        #expect((1.4...1.8).contains(whole), "\(whole)")
        for (rest, missing) in [(360, 0.0), (200, 0.15), (20, 0.33)] {
            let found = try #require(try example(after: rest)).duration
            #expect(abs(whole - missing - found) < 0.025, "after \(rest) ms of rest: \(found), not \(whole - missing)")
        }
        let afterHole = try #require(try example(after: 200, resting: 500)).duration
        #expect(abs(whole - 0.15 - afterHole) < 0.025, "\(afterHole)")
    }

    @Test("Damaged examples are left out and say why")
    func damaged() throws {
        let json = #"[{"kind":"x","examples":[{"duration":1,"force":[1,2],"rotationRate":[]}]}]"#
        let gestures = try JSONDecoder().decode([TaughtGesture].self, from: Data(json.utf8))
        #expect(gestures[0].problem == "x: an example is damaged")
        var room = Classroom()
        room.bench.merge.setTaught(gestures, of: 1)
        #expect(room.bench.merge.taught(of: 1).isEmpty)
        #expect(TaughtGesture("y", examples: []).problem == "y: there is no example")
    }

    @Test("Walking, twitches, lying still and minutes of waving are none of the taught gestures")
    func everyday() {
        var room = Classroom()
        room.teach("circle", .circle)
        func later(_ marbles: String) -> [Sample] {
            let samples = Marbles(marbles).samples().map { sample in
                var sample = sample
                sample.sampledAt = sample.sampledAt + .nanoseconds(Int64(room.hand.time * 1e6))
                return sample
            }
            room.hand.time += Double(samples.count) * 10
            return samples
        }
        for marbles in [
            "500 | 40*(f1.3 150 | f0.8 p1 200 | f1.1 p-1 150) | 500", "500 | x2 60 | 500", "5000",
            "500 | 100*(x0.5 r2 300 | x-0.5 r-2 300) | 500", "500 | q2 300 | z0.3 100 | 800",
        ] {
            let samples = later(marbles)
            #expect(room.recognised(samples) == [], "\(marbles)")
        }
        #expect(room.recognised(room.hand.draw(.circle)) == ["circle"])
    }

    @Test("A taught gesture that is open when its controller leaves ends under its own name")
    func leaving() {
        var room = Classroom()
        room.teach("circle", .circle)
        let drawn = room.hand.draw(.circle)
        room.bench.events = []
        for sample in drawn {
            room.see([sample])
            if !room.bench.events.isEmpty { break }
        }
        room.bench.merge.disconnect(peer: 0)
        for case .gesture(let event) in room.bench.merge.advance(to: ms(room.hand.time + 100)) {
            room.bench.events.append(event)
        }
        #expect(room.bench.events.map(\.phase) == [.began, .ended])
        #expect(Set(room.bench.events.map(\.gesture)) == ["circle"])
    }

    @Test("Sensitivity belongs to the player: the next controller has it too")
    func sensitivity() {
        var bench = Bench(MergeConfiguration(gestures: [.keepCalmJump]), declaration: fused)
        bench.merge.setSensitivity(2, of: 1)
        bench.send(Marbles("100 | y0.3 50 | 100").samples())
        #expect(bench.seen == ["keepcalm-jump.began@100", "keepcalm-jump.ended@150"])
        bench.merge.setSensitivity(.nan, of: 1)
        #expect(bench.merge.sensitivity(of: 1) == 1)
        bench.merge.setSensitivity(100, of: 1)
        #expect(bench.merge.sensitivity(of: 1) == 2)
    }
}
