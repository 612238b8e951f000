import InputMerge
import Testing
import WireProtocol

@Suite("Streams: epochs, clocks, bad input")
struct StreamTests {
    @Test("A stream that begins anew begins at index 0, with fresh motion")
    func epochRestart() throws {
        var bench = Bench(motion: pushed(at: 3))
        bench.play("0123")
        bench.arrive(0, at: 36)
        #expect(bench.verdicts[0] == .late)
        bench.merge.connect(stream(0), declaration: StreamDeclaration(), now: ms(40))
        bench.arrive(sample(at: 45), 0, at: 50)
        bench.advance(to: 50)
        #expect(bench.verdicts[0] == .delivered)
        #expect(bench.tally().fed == 1)
        #expect(bench.seen == ["keepcalm-jump.began@30", "keepcalm-jump.ended@30"])
    }

    @Test("A mapping that moves back never takes a stream's events back in time")
    func clockUpdate() {
        var bench = Bench(motion: pushed(at: 5))
        bench.merge.updateClock(of: 0, clock(ahead: 40))
        for index in UInt32(0)..<5 { bench.arrive(index, at: Double(index) * 10 + 45) }
        bench.merge.updateClock(of: 0, clock(ahead: 0))
        for index in UInt32(5)..<12 { bench.arrive(index, at: Double(index) * 10 + 45) }
        bench.advance(to: 300)
        // Sample 4 was mapped to 80 ms; by the new mapping sample 5 is 50 ms and sample 6 60 ms.
        #expect(bench.seen == ["keepcalm-jump.began@80", "keepcalm-jump.ended@80"])
    }

    @Test("Where a clock is first measured on a slow way up, times stand still, and their uncertainty holds the truth")
    func firstMeasured() throws {
        // 300 ms up and 10 ms down; device and host show the same time. What is pushed is told from 250 ms on.
        var bench = Bench(
            MergeConfiguration(gestures: [Ensemble.push]),
            motion: { index in sample(at: Double(index) * 10, push: SIMD3(0, [25, 90].contains(index) ? 1 : 0, 0)) })
        let measured = ClockMapping(
            state: .coarse, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: ms(145),
            uncertaintyNanoseconds: 155_000_000)
        bench.merge.updateClock(
            of: 0, ClockMapping(state: .none, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: ms(300)))
        var errors: [Double] = []
        for index in UInt32(0)..<100 {
            let truth = Double(index) * 10
            if index == 21 { bench.merge.updateClock(of: 0, measured) }
            bench.arrive(index, at: truth + 300)
            bench.advance(to: truth + 300)
            let known = try #require(bench.merge.watermarks.first)
            guard let uncertainty = known.uncertaintyNanoseconds, let watermark = known.watermark else { continue }
            errors.append(Double((watermark - ms(truth)).wholeNanoseconds - uncertainty) / 1e6)
        }
        #expect(errors.count == 79 && errors.allSatisfy { $0 <= 0 })
        let pushes = bench.events.filter { $0.phase == .began }
        // Told as what the sample before the measurement was; by the clock it was 105 ms earlier.
        #expect(pushes.map(\.occurredAt) == [ms(500), ms(1_045)])
        #expect(pushes.map(\.uncertaintyNanoseconds) == [270_000_000, 165_000_000])
    }

    @Test("Nothing occurs after it arrived, whatever the device's clock says")
    func clockAhead() {
        var bench = Bench(motion: pushed(at: 2))
        bench.merge.updateClock(of: 0, clock(ahead: 1e9))
        bench.play("01234")
        #expect(bench.seen == ["keepcalm-jump.began@20", "keepcalm-jump.ended@30"])
    }

    @Test("Before a clock was measured, hours of drift call no sample late, and what is really old still is")
    func unmeasuredForHours() {
        var bench = Bench(MergeConfiguration(gestures: []))
        bench.merge.updateClock(
            of: 0, ClockMapping(state: .none, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: ms(0)))
        // After five hours a clock that is 200 ppm slow shows 3.6 s less.
        let hours: Double = 5 * 3_600_000
        bench.arrive(sample(at: hours - 3_600), 0, at: hours)
        bench.arrive(sample(at: hours - 8_000), 1, at: hours + 10)
        #expect(bench.verdicts == [0: .delivered, 1: .late])
    }

    @Test("Uncertainty is the clock's, a sample period and the sensor's latency; unknown without a clock")
    func uncertainty() {
        let declaration = StreamDeclaration(nominalRate: 100, sensorLatency: .milliseconds(3))
        var bench = Bench(declaration: declaration, motion: pushed(at: 2))
        bench.play("0123")
        #expect(bench.events.first?.uncertaintyNanoseconds == 14_000_000)

        var blind = Bench(declaration: declaration, motion: pushed(at: 2))
        let unmeasured = ClockMapping(state: .none, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: ms(0))
        blind.merge.updateClock(of: 0, unmeasured)
        blind.play("0123")
        #expect(blind.events.first?.phase == .began)
        #expect(blind.events.first?.uncertaintyNanoseconds == nil)
    }

    @Test(
        "Axes that are no numbers or beyond their range are counted and skipped; no NaN comes out",
        arguments: [
            Float.nan, .infinity, -.infinity, 1e30, 200,
        ])
    func absurdAxes(value: Float) throws {
        var bench = Bench()
        for index in UInt32(0)..<100 {
            var reading = resting(index)
            if index % 10 == 5 { reading.acceleration.y = value }
            if index % 10 == 7 { reading.rotationRate.z = value }
            bench.arrive(reading, index, at: Double(index) * 10)
        }
        bench.advance(to: 2_000)
        let motion = try #require(bench.merge.motion(of: 1))
        #expect(bench.tally().absurd == 20)
        #expect(bench.tally().interpolated == 20)
        #expect(bench.events.isEmpty)
        #expect(motion.isFinite)
        #expect(motion.userAcceleration.magnitude < 1e-6)
    }

    @Test(
        "A quaternion that is none counts as not sent: the axes carry on",
        arguments: [
            SIMD4<Float>(.nan, 0, 0, 0), SIMD4(0, 0, 0, 0), SIMD4(0.1, 0, 0, 0), SIMD4(3, 0, 0, 0),
            SIMD4(1e38, 1e38, 0, 0),
        ])
    func absurdAttitude(attitude: SIMD4<Float>) throws {
        var bench = Bench(declaration: fused)
        for index in UInt32(0)..<100 {
            var reading = tilted(20, at: Double(index) * 10)
            if index > 50 { reading.attitude = attitude }
            bench.arrive(reading, index, at: Double(index) * 10)
        }
        let motion = try #require(bench.merge.motion(of: 1))
        #expect(motion.source == .sixAxis)
        #expect(motion.isFinite)
        #expect(abs(motion.tilt.x * 180 / .pi - 20) < 0.01)
    }

    @Test("A quaternion of length 1.2 is taken for its direction")
    func unnormalised() throws {
        var bench = Bench(declaration: fused)
        var reading = tilted(20, at: 0)
        reading.attitude *= 1.2
        bench.arrive(reading, 0, at: 0)
        let motion = try #require(bench.merge.motion(of: 1))
        #expect(motion.source == .controller)
        #expect(abs(motion.gravity.magnitude - 1) < 1e-12)
    }

    @Test("A sample not later than the one before is skipped; a clock set back by a second starts over")
    func timeBackwards() {
        var bench = Bench()
        bench.arrive(sample(at: 5_000), 0, at: 0)
        bench.arrive(sample(at: 5_000), 1, at: 10)
        bench.arrive(sample(at: 4_500), 2, at: 20)
        bench.arrive(sample(at: 1_000), 3, at: 30)
        bench.arrive(sample(at: 1_010, push: SIMD3(0, 1, 0)), 4, at: 40)
        bench.advance(to: 50)
        #expect(bench.tally().backwards == 2)
        #expect(bench.tally().holes == 1)
        #expect(bench.tally().fed == 3)
        #expect(bench.events.map(\.phase) == [.began])
    }

    @Test("A clock set back by less than a second costs one sample, and the motion goes on")
    func clockSetBackALittle() {
        var bench = Bench()
        for index in UInt32(0)..<10 {
            bench.arrive(sample(at: 5_000 + Double(index) * 10), index, at: Double(index) * 10)
        }
        for index in UInt32(10)..<40 {
            bench.arrive(sample(at: 4_600 + Double(index) * 10), index, at: Double(index) * 10)
        }
        bench.advance(to: 400)
        #expect(bench.tally().backwards == 1)
        #expect(bench.tally().holes == 1)
        #expect(bench.tally().fed == 39)
    }

    @Test("Streams of 5 Hz and of 1000 Hz give the same jump", arguments: [5.0, 1_000])
    func rates(rate: Double) {
        var bench = Bench(
            MergeConfiguration(gestures: [.keepCalmJump]), declaration: StreamDeclaration(nominalRate: rate))
        let step = 1_000 / rate
        bench.send(
            (0..<Int(3 * rate)).map { index in
                let time = Double(index) * step
                return sample(at: time, push: SIMD3(0, (1_000..<1_200).contains(time) ? 1 : 0, 0))
            })
        #expect(bench.seen == ["keepcalm-jump.began@1000", "keepcalm-jump.ended@1200"])
        #expect(bench.tally().holes == 0)
        #expect(bench.events.first?.uncertaintyNanoseconds == Int64(1_000_000 + 1e9 / rate))
    }

    @Test("Unknown streams, index jumps and the last index of all are harmless")
    func extremes() {
        var bench = Bench()
        #expect(bench.merge.accept(resting(0), index: 0, of: stream(7), arrivedAt: ms(0)) == .late)
        bench.merge.abandon(below: .max, of: stream(7))
        bench.merge.disconnect(peer: 7)
        bench.arrive(0, at: 0)
        bench.arrive(resting(1), .max, at: 10)
        bench.arrive(resting(2), .max, at: 20)
        bench.arrive(resting(3), .max - 1, at: 25)
        bench.merge.abandon(below: .max, of: stream(0))
        bench.advance(to: 100)
        bench.arrive(resting(4), 5, at: 110)
        #expect(bench.verdicts[5] == .late)
        #expect(!bench.awaitsSamples)
    }

    @Test("The lowest stream that can show gestures speaks for a controller with several sensors")
    func speaker() {
        var bench = Bench(motion: pushed(at: 2))
        let second = StreamKey(peer: 0, stream: 1)
        bench.merge.connect(second, declaration: StreamDeclaration(stream: 1), now: ms(0))
        for index in UInt32(0)..<5 {
            bench.arrive(index, at: Double(index) * 10)
            _ = bench.merge.accept(bench.motion(index), index: index, of: second, arrivedAt: ms(Double(index) * 10))
        }
        bench.advance(to: 100)
        #expect(bench.seen == ["keepcalm-jump.began@20", "keepcalm-jump.ended@30"])
    }
}

extension DeviceMotion {
    var isFinite: Bool {
        let parts = [attitude.w, attitude.x, attitude.y, attitude.z, tilt.x, tilt.y]
        let vectors = [gravity, userAcceleration, rotationRate]
        return parts.allSatisfy(\.isFinite) && vectors.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }
    }
}
