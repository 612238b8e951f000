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

    /// A controller's water sensors, and what was told of them, with the states as a listener follows them.
    private struct Divers {
        var merge = Merge(configuration: MergeConfiguration(gestures: []))
        var told: [SubmersionEvent] = []
        var omitted = 0
        var notices = 0
        /// Events whose `from` is not the state that was told last.
        var breaks = 0
        private var states: [StreamKey: SubmersionState] = [:]

        init() { merge.updateClock(of: 0, clock()) }

        func key(_ sensor: UInt8) -> StreamKey { StreamKey(peer: 0, stream: sensor) }
        func state(_ sensor: UInt8) -> SubmersionState { states[key(sensor), default: .unknown] }

        mutating func declare(_ sensor: UInt8, hasWater: Bool = true, at time: Double) {
            let declaration = StreamDeclaration(
                stream: sensor, measures: hasWater ? .submersion : .acceleration, nominalRate: 3, maximumDepth: 6)
            merge.connect(key(sensor), declaration: declaration, now: ms(time))
        }

        mutating func read(_ sensor: UInt8, _ reading: Submersion, _ index: UInt32, at time: Double) {
            let sample = Sample(
                sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: .submersion, submersion: reading)
            _ = merge.accept(sample, index: index, of: key(sensor), arrivedAt: ms(time + 5))
        }

        mutating func advance(to time: Double) {
            for event in merge.advance(to: ms(time)) {
                if case .omitted(let omission) = event { omitted += omission.count }
                if case .sensor = event { notices += 1 }
                guard case .submersion(let event) = event else { continue }
                told.append(event)
                let before = states.updateValue(event.state, forKey: event.sensor) ?? .unknown
                if (event.from ?? event.state) != before { breaks += 1 }
            }
        }
    }

    private let under = Submersion(.submerged, depth: 0.5, depthUncertainty: 0.1)

    /// So many water sensors, each under water and out of it again as often as a state is believed.
    private func surfacing(sensors: UInt8) -> Divers {
        var divers = Divers()
        for sensor in 0..<sensors { divers.declare(sensor, at: 0) }
        for round in 0..<UInt32(2 * seconds) {
            let time = Double(round) * 500
            let reading = round.isMultiple(of: 2) ? Submersion(.notSubmerged) : under
            for sensor in 0..<sensors { divers.read(sensor, reading, round, at: time) }
            divers.advance(to: time + 5)
        }
        divers.advance(to: Double(seconds) * 1_000 + 5_000)
        return divers
    }

    @Test("Of as many water sensors as a controller can have, all is told that they are believed to say")
    func depths() {
        let (one, eight) = (surfacing(sensors: 1), surfacing(sensors: 8))
        // Nothing comes in the end, and that is told, too.
        #expect(one.told.count == 2 * seconds + 1)
        #expect(eight.told.count == 8 * one.told.count)
        #expect(one.omitted == 0 && eight.omitted == 0 && eight.breaks == 0)
    }

    /// A sensor that is under water, and is declared without water, so often a second.
    private func comingAndGoing(perSecond: Int) -> Divers {
        var divers = Divers()
        for round in 0..<perSecond * seconds {
            let time = Double(round) * 1_000 / Double(perSecond)
            divers.declare(0, at: time)
            divers.read(0, under, 0, at: time)
            divers.advance(to: time + 5)
            #expect(divers.merge.submersion(of: 0)?.state ?? .unknown == divers.state(0))
            divers.declare(0, hasWater: false, at: time + 6)
            divers.advance(to: time + 7)
            #expect(divers.state(0) == .unknown)
        }
        divers.advance(to: Double(seconds) * 1_000 + 5_000)
        return divers
    }

    @Test("Of a sensor that comes and goes 100 times a second so much is told, its end as often as its beginning")
    func comingAndGoing() {
        let (few, many) = (comingAndGoing(perSecond: 1), comingAndGoing(perSecond: 100))
        #expect(few.omitted == 0 && few.told.count == 2 * seconds)
        let begun = many.told.count { $0.state != .unknown }
        #expect((16 * seconds...128 + 16 * seconds + 1).contains(begun), "\(begun)")
        #expect(many.told.count == 2 * begun && many.breaks == 0)
        #expect(begun + many.notices + many.omitted == 100 * seconds + few.notices, "\(many.notices), \(few.notices)")
    }

    @Test("What was left out of a sensor is told as soon as there is room, by the next reading that says it")
    func leftOut() {
        var divers = Divers()
        // All is spent by one that comes and goes; the other goes under water then.
        for round in 0..<400 {
            let time = Double(round)
            divers.declare(0, at: time)
            divers.read(0, under, 0, at: time)
            divers.advance(to: time + 0.5)
            divers.declare(0, hasWater: false, at: time + 0.6)
            divers.advance(to: time + 0.7)
        }
        divers.declare(1, at: 400)
        divers.read(1, under, 0, at: 400)
        divers.advance(to: 405)
        #expect(divers.state(1) == .unknown && divers.merge.submersion(of: 0)?.state ?? .unknown == .unknown)
        for index in UInt32(1)...6 {
            divers.read(1, under, index, at: 400 + Double(index) * 333)
            divers.advance(to: 405 + Double(index) * 333)
        }
        #expect(divers.state(1) == .submergedShallow && divers.breaks == 0)
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
