import InputMerge
import Testing
import WireProtocol

@Suite("Continuous state: the motion of a player with several controllers")
struct FusionMotionTests {
    /// What a controller does all the time.
    private struct Steady {
        var rate = 100.0
        /// Degrees: about the earth's up, about y (right edge down), about x (top edge up).
        var heading = 0.0, roll = 0.0, pitch = 0.0
        var push = SIMD3<Double>.zero
        var turn = SIMD3<Float>.zero
        var until = 1_000.0

        func sample(at time: Double) -> Sample {
            func turned(_ axis: SIMD3<Double>, _ degrees: Double) -> Quaternion {
                Quaternion(rotationVector: axis * degrees * .pi / 180)
            }
            let attitude =
                turned(SIMD3(0, 0, 1), heading) * turned(SIMD3(1, 0, 0), pitch) * turned(SIMD3(0, 1, 0), roll)
            let force = (attitude.up - push) * standardGravity
            return Sample(
                sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: fused.measures,
                acceleration: SIMD3<Float>(force), rotationRate: turn,
                attitude: SIMD4<Float>(SIMD4(attitude.w, attitude.x, attitude.y, attitude.z)))
        }
    }

    /// Controllers of player 1, until 1,000 ms.
    private func play(_ fusion: String, _ controllers: Steady...) -> Bench {
        var bench = Bench(
            MergeConfiguration(silence: .milliseconds(200), gestures: [.tilt], fusion: .of(fusion)),
            controllers: controllers.count, together: true, declaration: fused)
        for (peer, controller) in controllers.enumerated() {
            let declaration = StreamDeclaration(measures: fused.measures, nominalRate: controller.rate)
            bench.merge.connect(stream(peer), declaration: declaration, now: ms(0))
            var index: UInt32 = 0
            while Double(index) * 1_000 / controller.rate <= controller.until {
                let time = Double(index) * 1_000 / controller.rate
                bench.arrive(controller.sample(at: time), index, at: time, from: peer)
                index += 1
            }
        }
        bench.advance(to: 1_000)
        return bench
    }

    private func isNear(_ a: SIMD3<Double>, _ b: SIMD3<Double>, within tolerance: Double = 1e-3) -> Bool {
        ((a - b) * (a - b)).sum().squareRoot() < tolerance
    }

    private func degrees(_ state: PlayerMotion) -> SIMD2<Double> { state.tilt * 180 / .pi }

    @Test(
        "Mean: a phone at 100 Hz does not outvote one at 30 Hz, and neither does one at 1000 Hz",
        arguments: [
            (100.0, 30.0), (30, 100), (1_000, 20),
        ])
    func rates(a: Double, b: Double) throws {
        let bench = play(
            "any,mean", Steady(rate: a, push: SIMD3(1, 0, 0), turn: SIMD3(0, 0, 1)),
            Steady(rate: b, push: SIMD3(-1, 0.5, 0), turn: SIMD3(0, 0, -3)))
        let state = try #require(bench.merge.state(of: 1, at: ms(1_000)))
        #expect(isNear(state.userAcceleration, SIMD3(0, 0.25, 0)))
        #expect(isNear(state.rotationRate, SIMD3(0, 0, -1)))
        #expect(state.controllers == [0, 1])
    }

    @Test(
        "What two phones of different rate feel alike is felt by their player, whatever the moment",
        arguments: [
            "any,mean", "any,strongest",
        ])
    func sameSignal(rule: String) throws {
        // Swings of 2 Hz and ± 1 g, sampled at 100 and at 30 Hz.
        var bench = Bench(
            MergeConfiguration(gestures: [], fusion: .of(rule)), controllers: 2, together: true, declaration: fused)
        var (next, worst) = ([UInt32(0), 0], 0.0)
        for time in stride(from: 0.0, to: 2_000, by: 1) {
            for (peer, rate) in [100.0, 30].enumerated() where Double(next[peer]) * 1_000 / rate <= time {
                let sampled = Double(next[peer]) * 1_000 / rate
                let push = SIMD3(wave(sampled), 0, 0)
                bench.arrive(Steady(push: push).sample(at: sampled), next[peer], at: sampled, from: peer)
                next[peer] += 1
            }
            if time > 500 {
                let state = try #require(bench.merge.state(of: 1, at: ms(time)))
                // Late by what is averaged over and by the slower one's sampling.
                let recent = stride(from: time - 60, through: time, by: 1).map(wave)
                let (low, high) = (recent.min()! - 0.05, recent.max()! + 0.05)
                worst = max(worst, low - state.userAcceleration.x, state.userAcceleration.x - high)
            }
        }
        #expect(worst <= 0)
    }

    /// A triangle of 2 Hz between -1 and 1.
    private func wave(_ time: Double) -> Double {
        let phase = (time / 500).truncatingRemainder(dividingBy: 1)
        return 4 * abs(phase - 0.5) - 1
    }

    @Test("Sum: leans, turns and accelerations add up; who is upside down together is no further than that")
    func sum() throws {
        let bench = play(
            "any,sum", Steady(roll: 20, push: SIMD3(0, 0.5, 0)), Steady(rate: 30, roll: 15, push: SIMD3(0, 0.25, 0)))
        let state = try #require(bench.merge.state(of: 1, at: ms(1_000)))
        #expect(isNear(state.userAcceleration, SIMD3(0, 0.75, 0)))
        #expect(abs(degrees(state).x - 35) < 0.01 && abs(degrees(state).y) < 0.01)
        let over = play("any,sum", Steady(roll: 100), Steady(roll: 110))
        let most = try #require(over.merge.state(of: 1, at: ms(1_000)))
        #expect(abs(abs(degrees(most).x) - 180) < 0.01)
    }

    @Test(
        "Mean of leans: the middle, whichever way each player faces, held flat or upright",
        arguments: [
            (10.0, 30.0, 20.0, 0.0), (-40, 40, 0, 180), (10, 30, 20, 90), (80, 100, 90, 135),
        ])
    func meanLean(a: Double, b: Double, middle: Double, heading: Double) throws {
        for upright in [false, true] {
            let (one, other) =
                upright
                ? (Steady(pitch: a), Steady(heading: heading, pitch: b))
                : (Steady(roll: a), Steady(heading: heading, roll: b))
            let state = try #require(play("any,mean", one, other).merge.state(of: 1, at: ms(1_000)))
            let lean = upright ? state.gravity.y : state.gravity.x
            #expect(abs(abs(lean) - abs(Double.sine(middle))) < 1e-3)
            #expect(abs(state.attitude.up.z - Double.cosine(middle)) < 1e-3)
        }
    }

    @Test(
        "Strongest: the motion of whoever has most of it, as it is",
        arguments: [
            ("strongest:acceleration", 0), ("strongest:rotation", 1), ("strongest:tilt", 2),
        ])
    func strongest(blend: String, who: Int) throws {
        let bench = play(
            "any,\(blend)", Steady(rate: 30, push: SIMD3(0, 0, 2)), Steady(turn: SIMD3(0, 4, 0)),
            Steady(roll: 40, push: SIMD3(0, 0.5, 0)))
        let state = try #require(bench.merge.state(of: 1, at: ms(1_000)))
        #expect(state.controllers == [who])
        #expect(abs(state.userAcceleration.z - (who == 0 ? 2 : 0)) < 1e-3)
    }

    @Test(
        "One controller alone is shown as it is, whatever the blend", arguments: ["mean", "sum", "strongest", "first"])
    func alone(blend: String) throws {
        let bench = play("any,\(blend)", Steady(roll: 25, push: SIMD3(0, 0.3, 0)))
        let (state, newest) = (
            try #require(bench.merge.state(of: 1, at: ms(1_000))), try #require(bench.merge.motion(of: 1))
        )
        #expect(state.attitude == newest.attitude && state.userAcceleration == newest.userAcceleration)
    }

    @Test("First: own shows the player's controller, split whoever tilts, else the first that is heard")
    func first() throws {
        func shown(_ rule: String) throws -> [PeerIndex] {
            try #require(play(rule, Steady(), Steady(roll: 10), Steady()).merge.state(of: 1, at: ms(1_000))).controllers
        }
        #expect(try shown("own") == [0])
        #expect(try shown("split:jump/tilt") == [1])
        #expect(try shown("split:jump/shake") == [0])
        #expect(try shown("any,first") == [0])
    }

    @Test(
        "Who is lost: its last motion stays and is stale, is left out, or its share is handed over",
        arguments: [
            ("any,mean,wait", 20.0, true), ("any,mean,ignore", 10, false), ("any,mean,hand-over", 10, false),
            ("any,sum,wait", 40, true), ("any,sum,ignore", 10, false), ("any,sum,hand-over", 20, false),
            ("any,first,wait", 30, true), ("any,first,ignore", 10, false), ("own,hand-over", 10, false),
        ])
    func lost(rule: String, roll: Double, isStale: Bool) throws {
        let bench = play(rule, Steady(roll: 30, until: 500), Steady(roll: 10))
        let state = try #require(bench.merge.state(of: 1, at: ms(1_000)))
        #expect(abs(degrees(state).x - roll) < 0.01)
        #expect(state.isStale == isStale)
    }

    @Test(
        "Who sends nothing any more moves nobody, though it is no lost one yet; who sends seldom does",
        arguments: [
            ("any,strongest", [1], 10.0), ("any,mean", [0, 1], 20), ("any,mean,wait", [0, 1], 20),
            ("any,sum", [0, 1], 40),
        ])
    func fallenBehind(rule: String, controllers: [PeerIndex], roll: Double) throws {
        let steady = Steady(roll: 10, push: SIMD3(0.3, 0, 0), turn: SIMD3(0, 0, 1))
        var other = Steady(roll: 30, push: SIMD3(0.9, 0, 0), until: 850)
        let state = try #require(play(rule, other, steady).merge.state(of: 1, at: ms(1_000)))
        #expect(isNear(state.userAcceleration, SIMD3(0.3, 0, 0)) && isNear(state.rotationRate, SIMD3(0, 0, 1)))
        #expect(state.controllers == controllers && abs(degrees(state).x - roll) < 0.01)
        // Its last sample but 125 ms ago, one at 8 Hz is as present as ever.
        (other.rate, other.until) = (8, 900)
        let seldom = try #require(play(rule, other, steady).merge.state(of: 1, at: ms(1_000)))
        #expect(seldom.userAcceleration.x > 0.59)
    }

    @Test("Nobody is heard any more: the last motion, stale")
    func everyoneLost() throws {
        var bench = play("any,mean", Steady(roll: 30, until: 500), Steady(roll: 30, until: 500))
        bench.advance(to: 2_000)
        let state = try #require(bench.merge.state(of: 1, at: ms(2_000)))
        #expect(state.isStale && abs(degrees(state).x - 30) < 0.01)
        #expect(bench.merge.state(of: 2, at: ms(2_000)) == nil)
    }

    @Test(
        "It is carried on to the moment of asking by 50 ms at most, and tells which moment it describes",
        arguments: [
            (0.0, 1_000.0, false), (30, 1_030, false), (50, 1_050, false), (80, 1_050, true),
        ])
    func carriedOn(age: Double, described: Double, isStale: Bool) throws {
        let bench = play("any,mean", Steady(turn: SIMD3(0, 2, 0)), Steady(rate: 50, turn: SIMD3(0, 2, 0)))
        let state = try #require(bench.merge.state(of: 1, at: ms(1_000 + age)))
        #expect(state.occurredAt == ms(described) && state.isStale == isStale)
        #expect(abs(state.tilt.x - 2 * min(age, 50) / 1_000) < 1e-6)
    }
}

extension Double {
    /// Of degrees, to a few digits.
    fileprivate static func sine(_ degrees: Double) -> Double {
        -Quaternion(rotationVector: SIMD3(0, degrees * .pi / 180, 0)).up.x
    }
    fileprivate static func cosine(_ degrees: Double) -> Double {
        Quaternion(rotationVector: SIMD3(0, degrees * .pi / 180, 0)).up.z
    }
}
