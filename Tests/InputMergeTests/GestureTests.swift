import InputMerge
import Testing
import WireProtocol

@Suite("Gestures of one controller")
struct GestureTests {
    /// A push along `axis` for each value in g, one every 10 ms, from `start` ms on.
    private func pushes(_ values: [Double], axis: Int = 1, from start: Double = 0) -> [Sample] {
        values.enumerated().map { step, value in
            var push = SIMD3<Double>.zero
            push[axis] = value
            return sample(at: start + Double(step) * 10, push: push)
        }
    }

    private func jumps(_ values: [Double]) -> [String] {
        var bench = Bench(MergeConfiguration(gestures: [.keepCalmJump]))
        bench.send(pushes([0] + values))
        return bench.seen.map { String($0.dropFirst("keepcalm-jump.".count)) }
    }

    @Test("A jump begins above 0.5 g on y and ends below 0.2 g")
    func jump() {
        #expect(jumps([0.4, 0.49]) == [])
        #expect(jumps([0.4, 0.6, 0.3, 0.1]) == ["began@20", "ended@40"])
    }

    @Test("Hovering about the threshold is one jump: it must fall below 0.2 g to begin again")
    func hysteresis() {
        let hovering = Array(repeating: [0.6, 0.3], count: 50).flatMap { $0 }
        #expect(jumps(hovering) == ["began@10"])
    }

    @Test("A jump does not begin again for 0.4 s")
    func refractory() {
        let everyFifth = (0..<100).map { $0 % 5 == 0 ? 0.9 : 0 }
        let began = jumps(everyFifth).filter { $0.hasPrefix("began") }
        #expect(began == ["began@10", "began@410", "began@810"])
    }

    @Test("A jump's strength grows from threshold to full strength")
    func strength() {
        for (push, strength) in [(0.5001, 0.0), (1.25, 0.5), (2, 1), (9, 1)] {
            var bench = Bench(declaration: fused)
            var reading = tilted(0, at: 0)
            reading.acceleration.y = Float(-push * standardGravity)
            bench.arrive(reading, 0, at: 0)
            bench.advance(to: 0)
            #expect(abs((bench.events.first?.strength ?? .nan) - strength) < 1e-3)
        }
    }

    @Test("Tilt begins above 30° and ends below 25°, so that nothing flickers between")
    func tilt() {
        var bench = Bench(MergeConfiguration(gestures: [.tilt]), declaration: fused)
        let angles: [Double] = [0, 29, 31, 29, 26, 31, 24, 26, 29, 60]
        bench.send(angles.enumerated().map { tilted($1, at: Double($0) * 10) })
        #expect(bench.seen == ["tilt.began@20", "tilt.ended@60", "tilt.began@90"])
        #expect(bench.events[0].id == bench.events[1].id)
        #expect(bench.events[1].id < bench.events[2].id)
        #expect(bench.events[2].strength > bench.events[0].strength)
    }

    @Test("After a re-zero the device's present posture is level: attitude, tilt and gesture count from there")
    func rezero() throws {
        var bench = Bench(MergeConfiguration(gestures: [.tilt]), declaration: fused)
        bench.send([tilted(60, at: 0)])
        bench.merge.rezero(player: 1)
        let level = try #require(bench.merge.motion(of: 1))
        #expect(abs(level.attitude.w) > 1 - 1e-12)
        #expect(abs(level.tilt.x) < 1e-6)
        #expect(abs(level.gravity.x - 0.866) < 1e-3)
        bench.send([tilted(60, at: 10), tilted(95, at: 20)], startingAt: 1)
        #expect(bench.seen == ["tilt.began@0", "tilt.ended@10", "tilt.began@20"])
        #expect(abs((try #require(bench.merge.motion(of: 1))).tilt.x * 180 / .pi - 35) < 1e-4)
    }

    private func shakes(_ values: [Double], axis: Int = 0) -> [String] {
        var bench = Bench(MergeConfiguration(gestures: [.shake]))
        bench.send(pushes([0] + values + Array(repeating: 0, count: 100), axis: axis))
        return bench.seen
    }

    @Test("Three reversals above 1.2 g within 0.7 s are a shake, across gravity; up and down 1.5 g, and straight back")
    func shake() {
        func swings(_ strength: Double) -> [Double] {
            [strength, -strength, strength, -strength].flatMap { Array(repeating: $0, count: 6) }
        }
        for axis in 0..<2 { #expect(shakes(swings(1.6), axis: axis).count == 2, "axis \(axis)") }
        #expect(shakes(swings(1.4), axis: 2) == [])
        #expect(shakes(swings(1.6), axis: 2).count == 2)
        // Who runs hangs in the air for 120 ms between two steps.
        let steps = [2.4, -2.4, 2.4, -2.4].flatMap { (push: Double) -> [Double] in
            [Double](repeating: push, count: 6) + [Double](repeating: 0, count: 12)
        }
        #expect(shakes(steps, axis: 2) == [])
        #expect(shakes(steps, axis: 0).count == 2)
    }

    @Test("Impacts are no swings: what lasts for a sample is smoothed away")
    func impacts() {
        #expect(shakes((0..<40).map { [2.2, 0, 0, -2.2, 0, 0][$0 % 6] }) == [])
    }

    @Test("A threshold on the low-passed user acceleration sees a lasting push, and no knock")
    func lowPassed() {
        let push = GestureDefinition("lean", .threshold(ThresholdRule(lowPassed: true)))
        func seen(_ marbles: String) -> [String] {
            watch(marbles, for: [push]).map { "\($0.gesture.rawValue).\($0.phase.rawValue)" }
        }
        #expect(seen("300 | y2 20 | 500") == [])
        #expect(seen("300 | y1 300 | 900") == ["lean.began", "lean.ended"])
        #expect(watch("300 | y2 20 | 500", for: [.keepCalmJump]).count == 2)
    }

    @Test("Two reversals, weak ones, or slow ones are no shake")
    func noShake() {
        func swings(_ count: Int, _ strength: Double, _ length: Int) -> [Double] {
            (0..<count).flatMap { Array(repeating: $0 % 2 == 0 ? strength : -strength, count: length) }
        }
        #expect(shakes(swings(3, 2, 5)) == [])
        #expect(shakes(swings(10, 1.1, 5)) == [])
        #expect(shakes(swings(6, 2, 40)) == [])
        #expect(shakes(swings(4, 2, 5)).count == 2)
    }

    @Test("A shake goes on as long as it is shaken: one began, one ended, 0.7 s after the last reversal")
    func longShake() {
        let seen = shakes((0..<60).flatMap { Array(repeating: $0 % 2 == 0 ? 2.0 : -2, count: 5) })
        #expect(seen.count == 2)
        #expect(seen.last?.hasPrefix("shake.ended@36") == true)
    }

    @Test("A device at rest, turning, or carried slowly does nothing")
    func quiet() {
        var bench = Bench()
        bench.send(
            (0..<1_000).map { index in
                let sway = Float(index % 200 < 100 ? 1 : -1)
                return sample(
                    at: Double(index) * 10, push: SIMD3(0.1 * Double(sway), 0.15, -0.1), turn: SIMD3(0, 0, sway))
            })
        #expect(bench.events.isEmpty)
    }

    @Test("A definition out of its range says which value and which range")
    func problems() {
        let deaf = GestureDefinition(.keepCalmJump, .threshold(ThresholdRule(enter: 40)))
        #expect(deaf.problem == "keepcalm-jump: enter is 40.0 g, but must be 0.05 to 16.0 g")
        #expect(GestureDefinition(.keepCalmJump, .threshold(ThresholdRule(exit: 0.4))).problem != nil)
        #expect(GestureDefinition(.tilt, .tilt(TiltRule(enter: .nan))).problem != nil)
        #expect(GestureDefinition(.tilt, .tilt(TiltRule(exit: 27))).problem != nil)
        #expect(GestureDefinition(.shake, .shake(ShakeRule(reversals: 9))).problem != nil)
        #expect(MergeConfiguration(holdback: .milliseconds(251)).problem != nil)
        #expect(MergeConfiguration(fusion: .all(within: .zero)).problem != nil)
        #expect(MergeConfiguration().problem == nil)
    }

    @Test("The paper's jump is watched for where it is asked for, and a contest is about what is watched for")
    func paper() {
        var merge = MergeConfiguration()
        #expect(!merge.gestures.contains { $0.kind == .keepCalmJump })
        #expect(GestureDefinition.all.count == merge.gestures.count + 1)
        merge.contests.gestures = ["circle", .jump]
        #expect(merge.problem == nil)
        merge.contests.gestures = ["circle", .keepCalmJump]
        #expect(merge.problem?.hasPrefix("a contest is about keepcalm-jump") == true)
        merge.gestures.append(.keepCalmJump)
        #expect(merge.problem == nil)
    }

    @Test("A value that is out of its range, however far, can be read, scaled and set right")
    func setRight() {
        for wrong in [-1, 0, 1e9, .infinity, -.infinity, .nan] as [Double] {
            let rules: [(rule: GestureDefinition.Rule, key: String, right: Double)] = [
                (.threshold(ThresholdRule(enter: wrong)), "enter", 0.5),
                (.tilt(TiltRule(enter: wrong)), "enter", 30),
                (.shake(ShakeRule(threshold: wrong)), "threshold", 1.2),
                (.flick(FlickRule(rate: wrong)), "rate", 6),
                (.swing(SwingRule(rate: wrong)), "rate", 5),
                (.tap(TapRule(knock: wrong)), "knock", 0.5),
                (.rhythm(RhythmRule(swing: wrong)), "swing", 0.06),
            ]
            for (rule, key, right) in rules {
                var gesture = GestureDefinition("wrong", rule)
                #expect(gesture.problem?.contains(key) == true)
                #expect(gesture.parameters.contains { $0.key == key })
                #expect(wrong.isNaN || gesture.scaled(by: 2).problem == nil)
                let refusal = gesture.set(key, to: right)
                #expect(refusal == nil && gesture.problem == nil)
            }
        }
    }
}
