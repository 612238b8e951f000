import Foundation
import InputMerge
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Roomful

@Suite(
    "Acceleration at 800 Hz and motion at 200 Hz of one device, in batches of a second, over real sockets", .serialized,
    .timeLimit(.minutes(3)))
struct CombinedStreamsTests {
    private static let motion = StreamDeclaration(
        stream: 0, accelerationRange: 4 * standardGravity, nominalRate: 200, batch: .seconds(1))
    private static let fast = StreamDeclaration(
        stream: 1, measures: .acceleration, nominalRate: 800, batch: .seconds(1))
    private static let seconds = 5
    /// A clock that is on the microsecond: what travels is whole ones.
    private static let step = 1_250_000 as Int64

    /// Three strokes; the first hits for 2 ms between two samples of the motion, the third over the head.
    private static func sample(_ declaration: StreamDeclaration, _ index: Int, from start: DeviceTime) -> Sample {
        let tick = declaration.stream == 0 ? 4 * index : index
        let time = 1.25 * Double(tick)
        var rate = 0.0
        var force = SIMD3<Double>(0, 0.05 * Double(tick % 7), 9.81)
        for (place, begin) in [700.0, 2_150, 3_600].enumerated() where time >= begin && time < begin + 400 {
            rate = 14 * sin(.pi * (time - begin) / 400) * (place == 2 ? -1 : 1)
            if place == 0, abs(time - begin - 202.5) < 1.3 { force.x = 80 }
            force.y += rate * rate / 20
        }
        return Sample(
            sampledAt: start + .nanoseconds(step * Int64(tick)), measures: declaration.measures,
            acceleration: SIMD3<Float>(force), rotationRate: SIMD3(0.3, Float(rate / 4), Float(rate)))
    }

    /// What travels of it, as both ends know it.
    private static func travelled(_ sample: Sample, _ declaration: StreamDeclaration) -> Sample {
        func onGrid(_ axes: SIMD3<Float>, _ range: Double) -> SIMD3<Float> {
            let step = Float(range) / 32_767
            var steps = axes / step
            for axis in 0..<3 { steps[axis] = max(-32_767, min(32_767, steps[axis].rounded(.toNearestOrEven))) }
            return steps * step
        }
        var sample = sample
        sample.acceleration = onGrid(sample.acceleration, declaration.accelerationRange)
        sample.rotationRate = onGrid(sample.rotationRate, declaration.rotationRange)
        if !declaration.measures.contains(.rotationRate) { sample.rotationRate = .zero }
        return sample
    }

    /// What a swing is to the bit: all but its moment, which is a matter of two clocks.
    private struct Seen: Hashable {
        var phase: GestureEvent.Phase
        var strength: Double
        var confidence: Double
        var measures: GestureMeasures

        init(_ event: GestureEvent) {
            (phase, strength, confidence) = (event.phase, event.strength, event.confidence)
            measures = event.measures
        }
    }

    private struct Moved: Hashable {
        var sampledAt: DeviceTime
        var attitude: Quaternion
        var gravity, userAcceleration, rotationRate: SIMD3<Double>

        init(_ motion: DeviceMotion) {
            (sampledAt, attitude, gravity) = (motion.sampledAt, motion.attitude, motion.gravity)
            (userAcceleration, rotationRate) = (motion.userAcceleration, motion.rotationRate)
        }
    }

    /// The other witness: the same samples, merged here.
    private func merged(
        _ configuration: MergeConfiguration, from start: DeviceTime
    ) -> (swings: [Seen], motions: [[Moved]]) {
        var merge = Merge(configuration: configuration)
        merge.assign(peer: 0, to: [1])
        var (swings, motions) = ([Seen](), [[Moved](), []])
        for declaration in [Self.motion, Self.fast] {
            let key = StreamKey(peer: 0, stream: declaration.stream)
            merge.connect(key, declaration: declaration, now: HostTime(nanoseconds: 0))
            merge.deliver(.batches(every: .seconds(1)), of: key)
        }
        func take(_ batch: MotionBatch) { motions[Int(batch.sensor.stream)] += batch.motions.map(Moved.init) }
        func take(_ events: [MergeEvent]) {
            for event in events {
                if case .gesture(let gesture) = event { swings.append(Seen(gesture)) }
                if case .motions(let batch) = event { take(batch) }
            }
        }
        for second in 0..<Self.seconds {
            let now = HostTime(nanoseconds: Int64(second + 1) * 1_000_000_000)
            // The other way round than they are sent.
            for declaration in [Self.fast, Self.motion] {
                let rate = Int(declaration.nominalRate)
                for index in second * rate..<(second + 1) * rate {
                    let sample = Self.travelled(Self.sample(declaration, index, from: start), declaration)
                    let key = StreamKey(peer: 0, stream: declaration.stream)
                    _ = merge.accept(sample, index: UInt32(index), of: key, arrivedAt: now)
                }
            }
            take(merge.advance(to: now))
        }
        for batch in merge.takeLastBatches(of: 0) { take(batch) }
        return (swings, motions)
    }

    @Test("The same recording merged in memory and over sockets gives the same swings and the same motion, to the bit")
    func twoWitnesses() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var hosted = try house.options()
        hosted.merge.gestures = [.swing]
        hosted.merge.holdback = .milliseconds(250)
        hosted.merge.longestWait = .seconds(30)
        hosted.merge.oldest = .seconds(30)
        // The motor would shake nothing here, but what it masks is told otherwise.
        hosted.answersGesturesWithHaptics = false
        let (told, moved) = (Heard<Seen>(), [Heard<Moved>(), Heard<Moved>()])
        var options = try house.controller("Racket")
        options.streams = [Self.motion, Self.fast]
        let begun = try await withRoom(hosted) { room in
            let events = await room.events()
            let listening = Task {
                for await case .gesture(let gesture, _) in events { told.note(Seen(gesture)) }
            }
            defer { listening.cancel() }
            return try await withController(options, joining: room.local) { controller in
                let now = Controller.deviceTimeNow()
                let start = DeviceTime(nanoseconds: now.nanoseconds / 1_000_000 * 1_000_000)
                var delivering: [Task<Void, any Error>] = []
                for second in 0..<Self.seconds {
                    let due = start + .seconds(second + 1)
                    try await Task.sleep(for: max(.zero, due - Controller.deviceTimeNow()))
                    for declaration in [Self.motion, Self.fast] {
                        let rate = Int(declaration.nominalRate)
                        for index in second * rate..<(second + 1) * rate {
                            #expect(
                                controller.send(
                                    Self.sample(declaration, index, from: start), on: declaration.stream))
                        }
                    }
                    guard second == 0 else { continue }
                    try await until("both sensors are there") {
                        (try? await room.peers(matching: "Racket").first?.detail?.streams.count) == 2
                    }
                    for (place, declaration) in [Self.motion, Self.fast].enumerated() {
                        let batches = try await room.motions(
                            of: "Racket", stream: declaration.stream, .batches(every: .seconds(1)))
                        delivering.append(
                            Task {
                                for await batch in batches {
                                    for motion in batch.motions { moved[place].note(Moved(motion)) }
                                }
                            })
                    }
                }
                #expect(await controller.settle(within: patience))
                try await until("three strokes have ended") { told.all.count { $0.phase == .ended } == 3 }
                let samples = try #require(try await room.peers(matching: "Racket").first?.samples)
                #expect(samples.delivered == 1_000 * Self.seconds && samples.late == 0)
                try await room.kick("Racket")
                for task in delivering { try await task.value }
                return start
            }
        }
        let (swings, motions) = merged(hosted.merge, from: begun)
        let ends = swings.filter { $0.phase == .ended }
        #expect(
            ends.map(\.measures.hit) == [true, false, false] && ends.allSatisfy { $0.measures.hitUncertain == nil })
        #expect(told.all == swings)
        for (place, heard) in moved.enumerated() {
            let known = Set(motions[place])
            #expect(heard.all.count > Int([200, 800][place]) * (Self.seconds - 2))
            #expect(heard.all.allSatisfy(known.contains), "another motion of stream \(place)")
        }
    }
}
