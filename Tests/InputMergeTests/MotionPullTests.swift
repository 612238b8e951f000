import Testing
import WireProtocol

@testable import InputMerge

@Suite("Motion pulled and pushed")
struct MotionPullTests {
    private let turnRate = 2.0

    /// Turns about z at 2 rad/s, face up.
    private func turning(_ index: UInt32) -> Sample {
        sample(at: Double(index) * 10, turn: SIMD3(0, 0, Float(turnRate)))
    }

    @Test(
        "Pulled motion is carried on to the moment of asking, by at most 50 ms, and stale beyond",
        arguments: [(0.0, 0.0, false), (30, 30, false), (50, 50, false), (50.001, 50, true), (5_000, 50, true)])
    func extrapolation(age: Double, carried: Double, isStale: Bool) throws {
        var bench = Bench(MergeConfiguration(gestures: []), motion: turning)
        for index in UInt32(0)..<100 { bench.arrive(index, at: Double(index) * 10) }
        let sampled = try #require(bench.merge.motion(of: 1))
        let live = try #require(bench.merge.motion(of: 1, at: ms(990 + age)))
        #expect(live.isStale == isStale)
        #expect(abs(live.age.milliseconds - age) < 1e-3)
        #expect(abs(live.extrapolated.milliseconds - carried) < 1e-3)
        #expect(live.motion.sampledAt == sampled.sampledAt)
        let turned = live.motion.eulerAngles.yaw - sampled.eulerAngles.yaw
        #expect(abs(turned - sampled.rotationRate.z * carried / 1_000) < 1e-9)
    }

    @Test("Asked for a moment before the sample, it is the sample")
    func past() throws {
        var bench = Bench(motion: turning)
        bench.arrive(0, at: 10)
        let live = try #require(bench.merge.motion(of: 1, at: ms(-10)))
        #expect(live.age == .zero)
        #expect(live.motion == bench.merge.motion(of: 1))
        #expect(bench.merge.motion(of: 2, at: ms(0)) == nil)
    }

    @Test("Gravity turns against the device when it is carried on")
    func gravity() throws {
        var bench = Bench(declaration: fused)
        var reading = tilted(0, at: 0)
        reading.rotationRate = SIMD3(0, 1, 0)
        bench.arrive(reading, 0, at: 0)
        let live = try #require(bench.merge.motion(of: 1, at: ms(40)))
        let expected = Quaternion(rotationVector: SIMD3(0, 0.04, 0)).up
        #expect((live.motion.gravity + expected).magnitude < 1e-6)
    }

    @Test("Batches of one second of 800 Hz that come once a second arrive whole, and are fed in order")
    func batchesIn() {
        var bench = Bench(
            MergeConfiguration(gestures: [.keepCalmJump]),
            declaration: StreamDeclaration(measures: .acceleration, nominalRate: 800, batch: .seconds(1)))
        for batch in UInt32(0)..<5 {
            let arrival = Double(batch + 1) * 1_000 + 20
            for place in UInt32(0)..<800 {
                let index = batch * 800 + place
                let time = Double(index) * 1.25
                let push = SIMD3(0, (2_500..<2_700).contains(time) ? 1.0 : 0, 0)
                bench.arrive(sampleOfAcceleration(at: time, push: push), index, at: arrival)
            }
            bench.advance(to: arrival)
        }
        #expect(bench.tally().fed == 4_000)
        #expect(bench.tally().holes == 0)
        #expect(bench.tally().late == 0)
        #expect(bench.seen.first == "keepcalm-jump.began@2500")
    }

    private func sampleOfAcceleration(at time: Double, push: SIMD3<Double>) -> Sample {
        var reading = sample(at: time, push: push)
        reading.measures = .acceleration
        return reading
    }

    @Test("Pushed in batches of one second, no motion is missing, none comes twice or out of order, to the end")
    func batchesOut() {
        var bench = Bench(MergeConfiguration(gestures: []), declaration: StreamDeclaration(nominalRate: 200))
        bench.merge.deliver(.batches(every: .seconds(1)), of: stream(0))
        var batches: [[DeviceMotion]] = []
        for index in 0..<1_002 {
            let time = Double(index) * 5
            // Pairs come in the wrong order.
            let swapped = index ^ 1
            bench.arrive(sample(at: Double(swapped) * 5), UInt32(swapped), at: time)
            for case .motions(let batch) in bench.merge.advance(to: ms(time)) { batches.append(batch.motions) }
        }
        #expect(batches.map(\.count) == [200, 200, 200, 200, 200])
        batches += bench.merge.takeLastBatches(of: stream(0).peer).map(\.motions)
        #expect(batches.map(\.count) == [200, 200, 200, 200, 200, 2])
        #expect(bench.merge.takeLastBatches(of: stream(0).peer) == [])
        #expect(batches.joined().enumerated().allSatisfy { $1.sampledAt.nanoseconds == Int64($0) * 5_000_000 })
    }

    @Test("Pushed one by one, each comes with the next advance; asked no more, none does")
    func pushed() {
        var bench = Bench(MergeConfiguration(gestures: []))
        func told(at time: Double) -> Int {
            bench.merge.advance(to: ms(time)).reduce(0) { count, event in
                if case .motions(let batch) = event { count + batch.motions.count } else { count }
            }
        }
        bench.merge.deliver(.each, of: stream(0))
        for index in UInt32(0)..<3 { bench.arrive(index, at: Double(index) * 10) }
        #expect(told(at: 20) == 3)
        #expect(told(at: 25) == 0)
        bench.merge.deliver(.none, of: stream(0))
        bench.arrive(3, at: 30)
        #expect(told(at: 30) == 0)
    }

    @Test("Each comes with how sure its time is: not at all before its clock was measured, less where it was held back")
    func stamped() {
        var merge = Merge(configuration: MergeConfiguration(gestures: []))
        merge.connect(stream(0), declaration: StreamDeclaration(), now: ms(0))
        merge.deliver(.each, of: stream(0))
        func told(_ index: UInt32, at time: Double, arrived: Double) -> [Double?] {
            _ = merge.accept(sample(at: time), index: index, of: stream(0), arrivedAt: ms(arrived))
            let stamps: [MotionStamp] = merge.takeBatches().flatMap(\.stamps)
            return stamps.map { stamp in stamp.uncertaintyNanoseconds.map { Double($0) / 1e6 } }
        }
        var all = [told(0, at: 0, arrived: 40)]
        merge.updateClock(of: 0, clock())
        // Told as 40, as time does not run backwards; by its clock it is 10.
        all.append(told(1, at: 10, arrived: 50))
        all.append(told(2, at: 50, arrived: 90))
        // By a clock that is ahead it has not happened yet when it arrives.
        all.append(told(3, at: 100, arrived: 98))
        #expect(all == [[nil], [31], [1], [3]])
    }

    @Test("Each comes with its index in its stream, also past those that never came")
    func numbered() {
        var bench = Bench(MergeConfiguration(gestures: []))
        bench.merge.deliver(.each, of: stream(0))
        for index in [0, 1, 4, 3, 7] as [UInt32] { bench.arrive(index, at: Double(index) * 10) }
        bench.merge.abandon(below: 8, of: stream(0))
        let told: [UInt64] = bench.merge.takeBatches().flatMap(\.stamps).map(\.index)
        #expect(told == [0, 1, 3, 4, 7])
    }

    @Test("Each comes with how often its sensor was re-zeroed before; a stream begun anew leads to the earth, at 0")
    func rezeroed() throws {
        var bench = Bench(MergeConfiguration(gestures: []), declaration: fused)
        bench.merge.deliver(.each, of: stream(0))
        func told() -> [UInt32] { bench.merge.takeBatches().flatMap(\.stamps).map(\.rezeroes) }
        for index in UInt32(0)..<3 { bench.arrive(tilted(60, at: Double(index) * 10), index, at: Double(index) * 10) }
        bench.merge.rezero(player: 1)
        for index in UInt32(3)..<5 { bench.arrive(tilted(60, at: Double(index) * 10), index, at: Double(index) * 10) }
        let rezeroed = told()
        #expect(rezeroed == [0, 0, 0, 1, 1])
        let there = try #require(bench.merge.motion(of: 1)).attitude
        #expect(abs(there.w) > 0.999)
        bench.merge.connect(stream(0), declaration: fused, now: ms(50))
        bench.arrive(tilted(60, at: 50), 0, at: 50)
        let anew = told()
        #expect(anew == [0])
        let onEarth = try #require(bench.merge.motion(of: 1)).attitude
        #expect(abs(onEarth.y) > 0.49)
    }

    @Test("A batch that a program makes equals the one that it got of the same motion")
    func equality() {
        var bench = Bench(MergeConfiguration(gestures: []), declaration: fused)
        bench.merge.deliver(.each, of: stream(0))
        for index in UInt32(0)..<3 { bench.arrive(tilted(60, at: Double(index) * 10), index, at: Double(index) * 10) }
        let got = bench.merge.takeBatches()
        let made = got.map { MotionBatch(sensor: $0.sensor, motions: $0.motions) }
        #expect(!got.isEmpty)
        #expect(got == made)
        #expect(got.map(\.hashValue) == made.map(\.hashValue))
    }

    @Test("Whoever comes or goes meanwhile, each sensor's motion is pushed whole, and once")
    func comingAndGoing() {
        var merge = Merge(configuration: MergeConfiguration(gestures: []))
        var (sent, told) = ([Int](repeating: 0, count: 6), [Int](repeating: 0, count: 6))
        /// Of each peer that is there, its next sample.
        var next = [UInt32?](repeating: nil, count: 6)
        func take(_ batches: [MotionBatch]) {
            let sensors = batches.map(\.sensor)
            #expect(sensors == sensors.sorted())
            for batch in batches { told[batch.sensor.peer] += batch.motions.count }
        }
        for step in 0..<300 {
            let time = Double(step) * 10
            // From the last to the first, so that the places of the others change.
            let turning = step / 5 * 5 % 6
            if step % 5 == 0, next[turning] != nil {
                take(merge.takeLastBatches(of: turning))
                merge.disconnect(peer: turning)
                next[turning] = nil
            } else if step % 5 == 0 {
                merge.connect(stream(turning), declaration: StreamDeclaration(), now: ms(time))
                merge.deliver(turning % 2 == 0 ? .each : .none, of: stream(turning))
                next[turning] = 0
            }
            for peer in 0..<6 {
                guard let index = next[peer] else { continue }
                _ = merge.accept(sample(at: time), index: index, of: stream(peer), arrivedAt: ms(time))
                next[peer] = index + 1
                if peer % 2 == 0 { sent[peer] += 1 }
            }
            guard step % 3 == 0 else { continue }
            for case .motions(let batch) in merge.advance(to: ms(time)) { take([batch]) }
        }
        take(merge.takeBatches())
        #expect(told == sent && sent[0] > 100)
        // Nobody is looked at again for what was given.
        let rest = merge.takeBatches()
        #expect(rest.isEmpty && merge.ready.keys.isEmpty)
    }

    @Test("Batches that nobody fetches do not grow without bound")
    func unfetched() {
        var bench = Bench(MergeConfiguration(gestures: []))
        bench.merge.deliver(.each, of: stream(0))
        for index in UInt32(0)..<20_000 { bench.arrive(index, at: Double(index) * 10) }
        for case .motions(let batch) in bench.merge.advance(to: ms(200_000)) {
            #expect(batch.motions.count <= 8_192)
            #expect(batch.motions.last?.sampledAt == resting(19_999).sampledAt)
        }
    }

    @Test("Euler angles turn back into the same attitude; each alone has CoreMotion's sign")
    func euler() {
        let roll = EulerAngles(Quaternion(rotationVector: SIMD3(0, 0.3, 0)))
        #expect(abs(roll.roll - 0.3) < 1e-12 && abs(roll.pitch) < 1e-12 && abs(roll.yaw) < 1e-12)
        let pitch = EulerAngles(Quaternion(rotationVector: SIMD3(0.3, 0, 0)))
        #expect(abs(pitch.pitch - 0.3) < 1e-12 && abs(pitch.roll) < 1e-12 && abs(pitch.yaw) < 1e-12)
        let yaw = EulerAngles(Quaternion(rotationVector: SIMD3(0, 0, 0.3)))
        #expect(abs(yaw.yaw - 0.3) < 1e-12 && abs(yaw.roll) < 1e-12 && abs(yaw.pitch) < 1e-12)
        var random = SplitMix64(seed: 5)
        for _ in 0..<1_000 {
            let parts = (0..<4).map { _ in Double(random.below(2_001) - 1_000) / 1_000 }
            guard let q = Quaternion(w: parts[0], x: parts[1], y: parts[2], z: parts[3]).normalized() else { continue }
            let back = Quaternion(EulerAngles(q))
            #expect(abs(abs(q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z) - 1) < 1e-9)
        }
    }

    @Test("The matrix turns the device's axes into the earth's as the quaternion does; its last row is up")
    func matrix() {
        let q = Quaternion(rotationVector: SIMD3(0.4, -1.2, 2))
        let motion = DeviceMotion(
            sampledAt: DeviceTime(nanoseconds: 0), occurredAt: ms(0), attitude: q, gravity: -q.up,
            userAcceleration: .zero, rotationRate: .zero, source: .controller)
        let vector = SIMD3<Double>(1, 2, 3)
        #expect((motion.rotationMatrix * vector - q.rotate(vector)).magnitude < 1e-12)
        #expect((motion.rotationMatrix.z + motion.gravity).magnitude < 1e-12)
    }
}
