import AllocationCount
import Foundation
import InputMerge
import Testing
import WireProtocol

@Suite("Bad input to device motion")
struct MotionBadInputTests {
    private let quiet = MergeConfiguration(gestures: [])

    /// Plays samples at their times, and gives what was said about the sensor.
    private func problems(
        _ samples: [Sample], _ declaration: StreamDeclaration = StreamDeclaration()
    ) -> (bench: Bench, told: [SensorProblem]) {
        var bench = Bench(quiet, declaration: declaration)
        var told: [SensorProblem] = []
        for (index, sample) in samples.enumerated() {
            let time = Double(sample.sampledAt.nanoseconds) / 1e6 + 5
            bench.arrive(sample, UInt32(index), at: time)
            for case .sensor(let event) in bench.merge.advance(to: ms(time)) {
                guard case .problem(let problem) = event.change else { continue }
                told.append(problem)
            }
            if let motion = bench.merge.motion(of: 1) { #expect(motion.isFinite) }
        }
        return (bench, told)
    }

    @Test(
        "Times that leap between the ends of the range, sample by sample, stop nobody, at any rate and with every gesture",
        arguments: [0.1, 50, 100, 4_000], [Int64.max, .min, .max / 1_000 * 1_000, 1 << 62])
    func leapingTimes(rate: Double, far: Int64) {
        let declaration = StreamDeclaration(nominalRate: rate)
        var bench = Bench(MergeConfiguration(), declaration: declaration)
        // 168 of these ended the room's process once (a sum of intervals that grew by 1.375 at each leap).
        for index in UInt32(0)..<1_000 {
            var leaping = sample(at: 0)
            leaping.sampledAt = DeviceTime(nanoseconds: index % 2 == 0 ? 0 : far)
            bench.arrive(leaping, index, at: Double(index) * 10)
            bench.advance(to: Double(index) * 10)
            if let motion = bench.merge.motion(of: 1) { #expect(motion.isFinite) }
        }
        #expect(bench.verdicts.count == 1_000)
        #expect(bench.merge.motion(of: 1) != nil)
    }

    /// `seconds` of samples at `rate` of a device at rest, with a sensor's noise, changed by `change`.
    private func resting(
        _ seconds: Double, rate: Double = 100, noise: Double = 0.02,
        change: (inout Sample, Double) -> Void = { _, _ in }
    ) -> [Sample] {
        var random = SplitMix64(seed: 3)
        return (0..<Int(seconds * rate)).map { index in
            let time = Double(index) / rate
            var reading = sample(at: time * 1_000)
            for axis in 0..<3 {
                reading.acceleration[axis] += Float(noise * random.bell())
                reading.rotationRate[axis] += Float(0.1 * noise * random.bell())
            }
            change(&reading, time)
            return reading
        }
    }

    @Test("A device at rest, held, thrown, or worn by a runner has no problem")
    func innocent() throws {
        #expect(problems(resting(20)).told == [])
        let running = resting(20) { $0.acceleration.z += Float(8 * sin(17 * $1)) }
        #expect(problems(running).told == [])
        let thrown = resting(20) { if (5..<6.2).contains($1) { $0.acceleration *= 0.01 } }
        #expect(problems(thrown).told == [])
        let (_, ios) = problems(try phone("ios_balance"))
        #expect(ios == [])
    }

    @Test("Acceleration sent in g is said within 1.1 s of rest, and within 4 s of motion; nothing is scaled silently")
    func inG() throws {
        let atRest = resting(1.1) { reading, _ in reading.acceleration /= Float(standardGravity) }
        let (bench, told) = problems(atRest)
        #expect(told == [.accelerationInG])
        #expect(abs(try #require(bench.merge.motion(of: 1)).userAcceleration.z - 0.898) < 0.02)
        let moving = try phone("ios_balance").prefix(400).map { reading in
            var reading = reading
            reading.acceleration /= Float(standardGravity)
            return reading
        }
        #expect(problems(moving).told == [.accelerationInG])
    }

    @Test("Acceleration without gravity, of a wrong scale, or beyond its range is said")
    func scales() {
        let none = resting(4) { reading, _ in reading.acceleration.z -= Float(standardGravity) }
        #expect(problems(none).told == [.accelerationWithoutGravity])
        let half = resting(4) { reading, _ in reading.acceleration /= 2 }
        #expect(problems(half).told == [.accelerationScale])
        let milli = resting(4) { reading, _ in reading.acceleration *= 1_000 / Float(standardGravity) }
        #expect(problems(milli).told == [.outOfRange])
    }

    @Test("A sensor at its range is said; while the gyroscope is, the motion is degraded, and it recovers")
    func saturated() throws {
        let declaration = StreamDeclaration(accelerationRange: 19.6, rotationRange: 4.36)
        let samples = resting(6) { reading, time in
            if (1..<1.5).contains(time) { reading.rotationRate.x = 4.36 }
            if (2..<2.5).contains(time) { reading.acceleration.y = -19.6 }
        }
        let early = problems(Array(samples.prefix(150)), declaration)
        #expect(try #require(early.bench.merge.motion(of: 1)).isDegraded)
        let late = problems(samples, declaration)
        #expect(late.told == [.saturatedRotation, .saturatedAcceleration])
        #expect(try #require(late.bench.merge.motion(of: 1)).isDegraded == false)
    }

    @Test("A stuck sensor is said after five seconds of the same bits; a silent gyroscope when gravity has turned")
    func stuck() {
        #expect(problems(resting(4, noise: 0)).told == [])
        #expect(problems(resting(7, noise: 0)).told == [.stuck])
        let turned = resting(10) { reading, time in
            reading.rotationRate = .zero
            if time > 5 { reading.acceleration = SIMD3(reading.acceleration.z, 0, reading.acceleration.x) }
        }
        #expect(problems(turned).told == [.silentGyroscope])
    }

    @Test("Without gyroscope, accelerometer or both now and then, nothing breaks", arguments: [UInt8](1...7))
    func missingAxes(bits: UInt8) throws {
        let measures = Sample.Measures(rawValue: bits)
        let samples = resting(5) { reading, time in
            reading.measures = Int(time * 10) % 7 == 3 ? Sample.Measures(rawValue: (bits &+ 3) & 7) : measures
        }
        let (bench, _) = problems(samples)
        #expect(try #require(bench.merge.motion(of: 1)).isFinite)
    }

    @Test(
        "Turned by 90° at 5 Hz, 100 Hz or 1000 Hz, declared right or wrong, it is turned by 90°",
        arguments: [5.0, 100, 1_000], [5.0, 100, 1_000])
    func rates(rate: Double, declared: Double) throws {
        let samples = resting(12, rate: rate, noise: 0.002) { reading, time in
            // The sample's rate is that of the interval before it.
            if time > 8, time <= 10.0001 { reading.rotationRate.z += Float(Double.pi / 4) }
        }
        let (bench, told) = problems(samples, StreamDeclaration(nominalRate: declared))
        #expect(told == [])
        let yaw = try #require(bench.merge.motion(of: 1)).eulerAngles.yaw
        #expect(abs(yaw - .pi / 2) < 0.03, "\(yaw)")
        #expect(bench.tally().fed == UInt64(samples.count))
    }

    /// A runner from the third second on: leans by 4° to and fro, and is pushed by up to 1 g; true leaning beside.
    private func runner(_ seconds: Double) -> [(sample: Sample, lean: Double)] {
        (0..<Int(100 * seconds)).map { index in
            let time = Double(index) / 100
            guard time >= 2 else { return (sample(at: time * 1_000), 0) }
            let stride = 2 * Double.pi * 1.4 * time
            let lean = 4 * Double.pi / 180 * sin(stride)
            let up = standardGravity + 9 * sin(2 * stride)
            let across: SIMD3<Double> = SIMD3(5 * sin(stride + 0.7), 3 * cos(2 * stride), 0)
            let force: SIMD3<Double> = across + SIMD3(0, sin(lean) * up, cos(lean) * up)
            let rate: Double = 4 * Double.pi / 180 * 2 * Double.pi * 1.4 * cos(stride)
            let reading = Sample(
                sampledAt: DeviceTime(nanoseconds: Int64(index) * 10_000_000), acceleration: SIMD3<Float>(force),
                rotationRate: SIMD3<Float>(Float(rate), 0, 0))
            return (reading, lean)
        }
    }

    @Test("Holes of 0.2 s in a run tip nothing: what one sample shows after them is a push")
    func holesInARun() {
        var bench = Bench(MergeConfiguration(gestures: [.tilt]))
        var (index, worst) = (UInt32(0), 0.0)
        for (reading, lean) in runner(40) {
            let time = Double(reading.sampledAt.nanoseconds) / 1e6
            // Each hole begins elsewhere in the stride.
            if time > 5_000, (time - 5_000).truncatingRemainder(dividingBy: 2_670) < 200 { continue }
            bench.arrive(reading, index, at: time + 5)
            bench.advance(to: time + 5)
            index += 1
            guard let gravity = bench.merge.motion(of: 1)?.gravity else { continue }
            let truth: SIMD3<Double> = SIMD3(0, -sin(lean), -cos(lean))
            worst = max(worst, acos(min(1, (gravity * truth).sum())) * 180 / .pi)
        }
        #expect(bench.tally().holes == 14)
        #expect(worst < 15, "\(worst)°")
        #expect(bench.seen == [])
    }

    @Test("Who holds it still and turns it in a hole is believed at once, as after a long hole", arguments: [0.2, 1.5])
    func turnedInAHole(length: Double) throws {
        let samples = resting(8) { reading, time in
            if time >= 4 { reading.acceleration = SIMD3(0, reading.acceleration.z, 0) }
        }
        var bench = Bench(quiet)
        let seen = samples.filter { !(3.99...4 + length).contains(Double($0.sampledAt.nanoseconds) / 1e9) }
        bench.send(Array(seen.prefix(410)))
        #expect(bench.tally().holes == 1)
        #expect(try #require(bench.merge.motion(of: 1)).gravity.y < -0.99)
    }

    @Test("Who ran, and turns it in a hole, is believed once it lies still for 0.1 s, though more holes follow")
    func turnedInAHoleOfARun() throws {
        let lean = 80 * Double.pi / 180
        let up: SIMD3<Double> = SIMD3(0, sin(lean), cos(lean))
        var bench = Bench(quiet)
        bench.send(runner(15).map { $0.sample })
        var (index, worst) = (UInt32(1_500), 0.0)
        // Eleven samples, then a hole of 0.2 s.
        for step in 0..<400 where step % 31 < 11 {
            let reading = Sample(
                sampledAt: DeviceTime(nanoseconds: 15_400_000_000 + Int64(step) * 10_000_000),
                acceleration: SIMD3<Float>(standardGravity * up))
            bench.send([reading], startingAt: index)
            index += 1
            guard step >= 11 else { continue }
            let gravity = try #require(bench.merge.motion(of: 1)).gravity
            worst = max(worst, acos(min(1, -(gravity * up).sum())) * 180 / .pi)
        }
        #expect(bench.tally().holes == 13)
        #expect(worst < 5, "\(worst)°")
    }

    @Test("A clock that is 10 % wrong turns by 10 % too much or too little, and nothing worse", arguments: [0.9, 1.1])
    func wrongClock(speed: Double) throws {
        let samples = resting(12, noise: 0.002) { reading, time in
            if time > 8, time <= 10.0001 { reading.rotationRate.z += Float(Double.pi / 4) }
            reading.sampledAt = DeviceTime(nanoseconds: Int64(time * speed * 1e9))
        }
        let (bench, told) = problems(samples)
        #expect(told == [])
        let motion = try #require(bench.merge.motion(of: 1))
        #expect(abs(motion.eulerAngles.yaw - speed * .pi / 2) < 0.03)
        #expect(motion.userAcceleration.magnitude < 0.01)
    }

    @Test("Two hours of rest: level, still, without drift of tilt, and no memory that grows")
    func hoursOfRest() throws {
        var bench = Bench(quiet, declaration: StreamDeclaration(nominalRate: 10))
        var random = SplitMix64(seed: 9)
        var alive: [Int64] = []
        alive.reserveCapacity(4)
        // Two hours at 10 Hz. The bench's own notes would grow: samples go past them.
        for index in UInt32(0)..<72_000 {
            if index % 18_000 == 600 { alive.append(bytes_alive()) }
            var reading = sample(at: Double(index) * 100)
            reading.rotationRate = SIMD3(0.01, -0.02, 0.015) + Float(0.002 * random.bell())
            let now = ms(Double(index) * 100)
            _ = bench.merge.accept(reading, index: index, of: stream(0), arrivedAt: now)
            _ = bench.merge.advance(to: now)
        }
        if allocations_are_counted() { #expect(Set(alive).count == 1, "bytes alive each half hour: \(alive)") }
        let motion = try #require(bench.merge.motion(of: 1))
        #expect(abs(motion.tilt.x) < 0.002 && abs(motion.tilt.y) < 0.002)
        #expect(abs(motion.eulerAngles.yaw) < 0.1)
        #expect(motion.rotationRate.magnitude < 0.01)
    }

    @Test("The same input gives the same motion, to the bit")
    func sameBits() throws {
        func hash() throws -> UInt64 {
            var bench = Bench(quiet)
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for (index, reading) in try phone("ios_balance").enumerated() where index % 17 != 5 {
                bench.arrive(reading, UInt32(index), at: Double(reading.sampledAt.nanoseconds) / 1e6)
                guard let motion = bench.merge.motion(of: 1) else { continue }
                let q = motion.attitude
                for part in [q.w, q.x, q.y, q.z, motion.gravity.x, motion.userAcceleration.y, motion.rotationRate.z] {
                    hash = (hash ^ part.bitPattern) &* 0x100_0000_01B3
                }
            }
            return hash
        }
        let first = try hash()
        #expect(try hash() == first)
        print("hash of the motion of ios_balance: \(String(first, radix: 16))")
    }

    /// What the raw axes of an iPhone's recording must have been.
    private func phone(_ name: String) throws -> [Sample] {
        let table = try Table("coremotion/\(name).csv")
        return table.rows.indices.map { row in
            Sample(
                sampledAt: DeviceTime(nanoseconds: Int64((table[row, "t_s"] * 1e9).rounded())),
                acceleration: SIMD3<Float>(-(table.vector(row, "grav") + table.vector(row, "user")) * standardGravity),
                rotationRate: SIMD3<Float>(table.vector(row, "rot")))
        }
    }

    @Test("A gyroscope that shows no turn at rest is not silent where it showed how the device turned in between")
    func calmGyroscope() {
        for showsTurn in [true, false] {
            let samples = resting(12) { reading, time in
                let isTurning = (5..<6).contains(time)
                reading.rotationRate = isTurning && showsTurn ? SIMD3(0, 1.57, 0) : .zero
                if time >= 6 { reading.acceleration = SIMD3(reading.acceleration.z, 0, reading.acceleration.x) }
            }
            #expect(problems(samples).told == (showsTurn ? [] : [.silentGyroscope]))
        }
    }
}

extension SplitMix64 {
    /// Roughly normal, variance 1: the sum of twelve even lots (Irwin & Hall).
    mutating func bell() -> Double { (0..<12).reduce(-6) { sum, _ in sum + Double(below(1_000_000)) / 1e6 } }
}
