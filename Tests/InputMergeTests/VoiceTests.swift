import Testing
import WireProtocol

@testable import InputMerge

/// Every bound is a count at times that the test sets: none depends on a machine's speed.
@Suite("What one controller may make a room say")
struct VoiceTests {
    private let seconds = 30

    /// What a controller made the room say, and what the room said was left out.
    private struct Told {
        var gestures: [GestureEvent] = []
        var notices = 0
        var omitted = 0
        var omissions = 0

        mutating func read(_ events: [MergeEvent]) {
            for event in events {
                switch event {
                case .gesture(let gesture): gestures.append(gesture)
                case .sensor: notices += 1
                case .omitted(let omission):
                    omitted += omission.count
                    omissions += 1
                case .team, .verdict, .teaching, .shaping, .submersion, .motions: break
                }
            }
        }
    }

    /// The fault flood: three samples at the range's end, a new epoch, and again.
    private func faultFlood(perSecond: Int) -> Told {
        let declaration = StreamDeclaration(nominalRate: 4_000)
        var bench = Bench(MergeConfiguration(gestures: []), declaration: declaration)
        var told = Told()
        for round in 0..<perSecond * seconds {
            let time = Double(round) * 1_000 / Double(perSecond)
            bench.merge.connect(stream(0), declaration: declaration, now: ms(time))
            for index in UInt32(0)..<3 {
                var broken = sample(at: time + Double(index))
                broken.acceleration = SIMD3(repeating: Float(declaration.accelerationRange))
                bench.arrive(broken, index, at: time)
            }
            told.read(bench.merge.advance(to: ms(time)))
        }
        told.read(bench.merge.advance(to: ms(Double(seconds) * 1_000 + 5_000)))
        return told
    }

    @Test("A flood of sensor faults is told 64 times and twice a second; the rest is a number")
    func faults() {
        let few = faultFlood(perSecond: 1)
        let many = faultFlood(perSecond: 500)
        #expect(few.omitted == 0 && few.notices >= seconds)
        #expect((64...64 + 2 * seconds + 1).contains(many.notices), "\(many.notices)")
        // One fault an epoch, beside the sensor that comes, takes over and, at the end, falls silent.
        #expect(many.notices + many.omitted == 500 * seconds + few.notices - seconds)
        #expect((1...seconds / 5 + 2).contains(many.omissions), "\(many.omissions)")
    }

    /// So many water sensors of one controller, each under water and out of it again as often as a state is believed.
    private func surfacing(sensors: UInt8) -> (told: Int, omitted: Int) {
        var merge = Merge(MergeConfiguration(gestures: []))
        merge.updateClock(of: 0, clock())
        for sensor in 0..<sensors {
            let declaration = StreamDeclaration(
                stream: sensor, measures: .submersion, nominalRate: 3, maximumDepth: 6)
            merge.connect(StreamKey(peer: 0, stream: sensor), declaration: declaration, now: ms(0))
        }
        var (told, omitted) = (0, 0)
        func read(_ events: [MergeEvent]) {
            for event in events {
                if case .submersion = event { told += 1 }
                if case .omitted(let omission) = event { omitted += omission.count }
            }
        }
        for round in 0..<UInt32(2 * seconds) {
            let time = Double(round) * 500
            let reading = Submersion(round.isMultiple(of: 2) ? .notSubmerged : .submerged)
            for sensor in 0..<sensors {
                let sample = Sample(
                    sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: .submersion, submersion: reading)
                _ = merge.accept(
                    sample, index: round, of: StreamKey(peer: 0, stream: sensor), arrivedAt: ms(time + 5))
            }
            read(merge.advance(to: ms(time + 5)))
        }
        read(merge.advance(to: ms(Double(seconds) * 1_000 + 5_000)))
        return (told, omitted)
    }

    @Test("A water sensor is told of as often as it changes; of eight at once 64 times and four times a second")
    func depths() {
        let (one, eight) = (surfacing(sensors: 1), surfacing(sensors: 8))
        #expect(one.omitted == 0 && one.told >= 2 * seconds, "\(one)")
        #expect(eight.told <= 64 + 4 * (seconds + 5) + 1 && eight.told >= 4 * seconds, "\(eight)")
        #expect(eight.told + eight.omitted == 8 * one.told, "\(eight)")
    }

    @Test("Of more gestures than anybody makes whole ones are left out: each that begins ends, once")
    func gestures() {
        let declaration = StreamDeclaration(nominalRate: 4_000)
        var bench = Bench(MergeConfiguration(), declaration: declaration)
        var told = Told()
        // A new epoch forgets refractory times, so that each lean is a new gesture: 200 a second.
        for round in 0..<200 * seconds {
            let time = Double(round) * 5
            bench.merge.connect(stream(0), declaration: declaration, now: ms(time))
            for index in UInt32(0)..<2 {
                var leaning = sample(at: time + Double(index))
                leaning.acceleration = SIMD3(9.81, 0, 0)
                bench.arrive(leaning, index, at: time)
            }
            told.read(bench.merge.advance(to: ms(time)))
        }
        bench.merge.disconnect(peer: 0)
        told.read(bench.merge.advance(to: ms(Double(seconds) * 1_000)))
        let began = told.gestures.filter { $0.phase == .began }
        let ended = told.gestures.filter { $0.phase == .ended }
        #expect((240...240 + 20 * seconds + 1).contains(began.count), "\(began.count)")
        #expect(Set(began.map(\.id)).count == began.count && Set(began.map(\.id)) == Set(ended.map(\.id)))
        #expect(ended.count == began.count && told.omitted > 0)
    }

    @Test("Honest gestures are never left out: ten seconds of them at once after an outage, ten a second")
    func honest() {
        var voice = Voice()
        for _ in 0..<100 {
            for phase in [GestureEvent.Phase.began, .changed, .ended] {
                let isTold = voice.admits(phase, of: 0, at: ms(10_000))
                #expect(isTold)
            }
        }
        #expect(voice.takeOmissions() == 0)
    }

    @Test("Times that leap give nobody more than the depth")
    func leaps() {
        var voice = Voice()
        let times: [Int64] = [.min, .max, 0, .max, .min]
        var told = 0
        for step in 0..<10_000 where voice.admitsNotice(at: HostTime(nanoseconds: times[step % times.count])) {
            told += 1
        }
        #expect(told <= 3 * 64)
    }
}
