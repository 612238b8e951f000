import Testing
import WireProtocol

@testable import InputMerge

@Suite("Submersion")
struct GestureSubmersionTests {
    private typealias State = SubmersionState

    /// A sensor that goes down to 6 m, in a stream of its own beside the motion of stream 0.
    private struct Diver {
        var merge = Merge()
        var told: [SubmersionEvent] = []
        var index: UInt32 = 0
        let key = StreamKey(peer: 0, stream: 1)

        init(maximumDepth: Double = 6) {
            merge.assign(peer: 0, to: [1])
            merge.connect(stream(0), declaration: StreamDeclaration(), now: ms(0))
            connect(maximumDepth: maximumDepth)
            merge.updateClock(of: 0, clock())
        }

        mutating func connect(maximumDepth: Double = 6, now: Double = 0) {
            let declaration = StreamDeclaration(
                stream: 1, measures: .submersion, nominalRate: 3, maximumDepth: maximumDepth)
            merge.connect(key, declaration: declaration, now: ms(now))
            index = 0
        }

        mutating func read(_ reading: Submersion, at time: Double) {
            let sample = Sample(
                sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: .submersion, submersion: reading)
            _ = merge.accept(sample, index: index, of: key, arrivedAt: ms(time + 5))
            index += 1
            advance(to: time + 5)
        }

        mutating func advance(to time: Double) {
            for case .submersion(let event) in merge.advance(to: ms(time)) { told.append(event) }
        }

        /// `from>state`, or the state alone where it goes on.
        var words: [String] { told.map { ($0.from.map { "\($0.rawValue)>" } ?? "") + $0.state.rawValue } }
    }

    private func at(_ depth: Double) -> Submersion { Submersion(.submerged, depth: depth, depthUncertainty: 0.1) }

    @Test(
        "The state follows from what the sensor says: shallow to 1 m, deep, approaching from 5 m, past 6 m",
        arguments: [
            (-0.1, State.submergedShallow), (0, .submergedShallow), (0.99, .submergedShallow), (1, .submergedDeep),
            (4.99, .submergedDeep), (5, .approachingMaxDepth), (6, .approachingMaxDepth), (6.01, .pastMaxDepth),
            (-1.01, .sensorDepthError), (300, .pastMaxDepth),
        ])
    func states(depth: Double, state: SubmersionState) {
        let believed = at(depth).believed(maximumDepth: 6)
        #expect(SubmersionState(believed, maximumDepth: 6) == state)
        // What is beyond its range is no depth any more.
        #expect((believed.depth == nil) == (state == .pastMaxDepth || state == .sensorDepthError))
    }

    @Test("What a sensor told is not lost when others come before it, or go, until it is asked for")
    func placesMove() {
        var merge = Merge()
        let key = stream(3)
        merge.connect(stream(1), declaration: StreamDeclaration(), now: ms(0))
        merge.connect(
            key, declaration: StreamDeclaration(measures: .submersion, nominalRate: 3, maximumDepth: 6), now: ms(0))
        let reading = Sample(
            sampledAt: DeviceTime(nanoseconds: 0), measures: .submersion, submersion: at(0.5))
        _ = merge.accept(reading, index: 0, of: key, arrivedAt: ms(5))
        merge.connect(stream(0), declaration: StreamDeclaration(), now: ms(6))
        merge.connect(stream(2), declaration: StreamDeclaration(), now: ms(6))
        merge.disconnect(peer: 1, now: ms(7))
        var told: [[State]] = []
        for time in [10.0, 20, 60_000, 60_010] {
            told.append(
                merge.advance(to: ms(time)).compactMap { event in
                    if case .submersion(let change) = event { change.state } else { nil }
                })
        }
        // It fell silent.
        #expect(told == [[.submergedShallow], [], [.unknown], []])
    }

    @Test("A sensor's own word stands before any depth, and without either nobody knows")
    func conditions() {
        func state(_ reading: Submersion) -> State {
            SubmersionState(reading.believed(maximumDepth: 6), maximumDepth: 6)
        }
        #expect(state(Submersion(.notSubmerged, depth: 3)) == .notSubmerged)
        #expect(state(Submersion(.sensorDepthError, depth: 3)) == .sensorDepthError)
        #expect(state(Submersion(.pastMaxDepth, depth: 3)) == .pastMaxDepth)
        #expect(state(Submersion(.submerged)) == .unknown && state(Submersion()) == .unknown)
        #expect(State.allCases.count == 7)
    }

    @Test("What does not apply to a condition, or is no water's and no air's, is absent; what is sound stays")
    func absurd() {
        let all = Submersion(
            .submerged, depth: 2, depthUncertainty: 0.1, pressure: 121, surfacePressure: 101.3, temperature: 21,
            temperatureUncertainty: 0.5)
        #expect(all.believed(maximumDepth: 6) == all)
        var dry = all
        dry.condition = .notSubmerged
        #expect(dry.believed(maximumDepth: 6) == Submersion(.notSubmerged, surfacePressure: 101.3))
        dry.condition = .pastMaxDepth
        #expect(dry.believed(maximumDepth: 6).depth == nil && dry.believed(maximumDepth: 6).pressure == 121)
        let mad = Submersion(
            .submerged, depth: 2, pressure: 3, surfacePressure: 400, temperature: -40, temperatureUncertainty: 1)
        #expect(mad.believed(maximumDepth: 6) == Submersion(.submerged, depth: 2))
    }

    @Test("Of a device that reads pressures alone the depth follows, and the deeper it is the less exactly")
    func pressures() throws {
        func reckoned(_ depth: Double, density: Double) throws -> (depth: Double, uncertainty: Double) {
            let pressure = 101.3 + depth * density * 9.80665 / 1_000
            let reading = Submersion(.submerged, pressure: pressure, surfacePressure: 101.3)
                .believed(maximumDepth: 40)
            return (try #require(reading.depth), try #require(reading.depthUncertainty))
        }
        var before = 0.0
        for depth in [0.5, 2, 5, 10, 20, 39] {
            for density in [997.0, 1_030] {
                let (found, uncertainty) = try reckoned(depth, density: density)
                let isWithin = abs(found - depth) <= uncertainty + 1e-9
                #expect(isWithin, "\(depth) m at \(density) kg/m³: \(found) ± \(uncertainty)")
            }
            let uncertainty = try reckoned(depth, density: 1_013.5).uncertainty
            #expect(uncertainty > before && uncertainty < 0.03 + 0.02 * depth)
            before = uncertainty
        }
    }

    @Test("Each state is told once as it begins, from the one before; waves at its edge do not make it flicker")
    func changes() {
        var diver = Diver()
        let readings = [
            Submersion(.notSubmerged), at(0.5), at(0.9), at(1.01), at(0.98), at(1.02), at(0.9), at(5.5), at(7), at(4),
            Submersion(.sensorDepthError), Submersion(.notSubmerged),
        ]
        for (place, reading) in readings.enumerated() { diver.read(reading, at: 600 * Double(place)) }
        #expect(
            diver.words.filter { $0.contains(">") } == [
                "unknown>notSubmerged", "notSubmerged>submergedShallow", "submergedShallow>submergedDeep",
                "submergedDeep>submergedShallow", "submergedShallow>approachingMaxDepth",
                "approachingMaxDepth>pastMaxDepth", "pastMaxDepth>submergedDeep", "submergedDeep>sensorDepthError",
                "sensorDepthError>notSubmerged",
            ])
        let deep = diver.told.first { $0.state == .submergedDeep }
        #expect(deep?.reading == at(1.01) && deep?.occurredAt == ms(1_800) && deep?.sensor == diver.key)
        #expect((deep?.uncertaintyNanoseconds).map { $0 > 1_000_000 } == true)
        #expect(diver.merge.submersion(of: 0)?.state == .notSubmerged)
        #expect(diver.merge.submersion(of: 1) == nil)
    }

    @Test("Under water it is told once a second how deep, if that is another depth; in the air nothing is")
    func ticks() {
        var diver = Diver()
        for place in 0..<30 { diver.read(at(2 + 0.01 * Double(place)), at: 333 * Double(place)) }
        #expect(diver.words == ["unknown>submergedDeep"] + Array(repeating: "submergedDeep", count: 7))
        for place in 30..<60 { diver.read(at(2.3), at: 333 * Double(place)) }
        #expect(diver.told.count == 9 && diver.told.last?.reading.depth == 2.3)
        for place in 60..<90 {
            diver.read(Submersion(.notSubmerged, surfacePressure: 100 + 0.1 * Double(place)), at: 333 * Double(place))
        }
        #expect(diver.words.last == "submergedDeep>notSubmerged" && diver.told.count == 10)
    }

    @Test("A change is told when it is read, however lately it was told how deep; only changes wait for each other")
    func changeAfterTick() {
        var diver = Diver()
        let readings: [(Double, Double)] = [(0.5, 0), (0.6, 1_000), (3, 1_100), (0.5, 1_300), (0.5, 1_700)]
        for (depth, time) in readings { diver.read(at(depth), at: time) }
        #expect(
            diver.words == [
                "unknown>submergedShallow", "submergedShallow", "submergedShallow>submergedDeep",
                "submergedDeep>submergedShallow",
            ])
        #expect(diver.told.map(\.occurredAt) == [ms(0), ms(1_000), ms(1_100), ms(1_700)])
    }

    @Test("However a guest's sensor leaps, it is told twice a second at most, and as it is in the end")
    func leaps() {
        var diver = Diver()
        for place in 0..<2_000 { diver.read(place % 2 == 0 ? at(0.5) : at(3), at: 10 * Double(place)) }
        #expect(diver.told.count <= 41)
        for place in 0..<100 { diver.read(Submersion(.notSubmerged), at: 20_000 + 10 * Double(place)) }
        #expect(diver.told.last?.state == .notSubmerged)
        for (before, after) in zip(diver.told, diver.told.dropFirst()) {
            #expect(after.from == nil ? after.state == before.state : after.from == before.state)
        }
    }

    @Test("Who falls silent, or leaves, is nowhere that anybody knows; a stream that begins anew goes on where it was")
    func silence() {
        var diver = Diver()
        diver.read(at(3), at: 100)
        diver.advance(to: 5_000)
        #expect(diver.words == ["unknown>submergedDeep", "submergedDeep>unknown"])
        #expect(diver.told.last?.reading == Submersion() && diver.merge.submersion(of: 0) == nil)
        diver.read(at(3), at: 6_000)
        diver.connect(now: 6_100)
        diver.read(at(3), at: 6_200)
        diver.read(at(0.2), at: 7_000)
        #expect(diver.words.suffix(2) == ["unknown>submergedDeep", "submergedDeep>submergedShallow"])
        diver.merge.disconnect(peer: 0, now: ms(7_100))
        diver.advance(to: 7_200)
        #expect(diver.words.last == "submergedShallow>unknown" && diver.words.count == 5)
    }

    @Test("The sensor's own greatest depth counts")
    func deeper() {
        var diver = Diver(maximumDepth: 40)
        diver.read(at(38), at: 0)
        diver.read(at(39.5), at: 600)
        diver.read(at(41), at: 1_200)
        #expect(
            diver.words == [
                "unknown>submergedDeep", "submergedDeep>approachingMaxDepth", "approachingMaxDepth>pastMaxDepth",
            ])
        let shallow = StreamDeclaration(measures: .submersion, maximumDepth: 1.9)
        #expect(shallow.problem == "maximumDepth must be 2 to 200 m")
        #expect(StreamDeclaration(measures: .submersion, maximumDepth: .nan).problem != nil)
    }

    @Test("A sensor of motion measures it beside, and its gestures are the same")
    func beside() {
        func jumps(_ measures: Sample.Measures) -> [GestureEvent] {
            var bench = Bench(
                MergeConfiguration(gestures: [.keepCalmJump]), declaration: StreamDeclaration(measures: measures))
            var told = 0
            for index in 0..<300 as Range<UInt32> {
                var sample = Sample(
                    sampledAt: DeviceTime(nanoseconds: Int64(index) * 10_000_000), measures: measures,
                    acceleration: SIMD3(0, index % 100 == 50 ? -30 : 0, 9.81))
                if measures.contains(.submersion) { sample.submersion = at(Double(index) / 50) }
                bench.arrive(sample, index, at: Double(index) * 10 + 5)
                for event in bench.merge.advance(to: ms(Double(index) * 10 + 5)) {
                    if case .gesture(let gesture) = event { bench.events.append(gesture) }
                    if case .submersion = event { told += 1 }
                }
            }
            #expect((told > 0) == measures.contains(.submersion))
            return bench.events
        }
        let (dry, wet) = (jumps([.acceleration, .rotationRate]), jumps([.acceleration, .rotationRate, .submersion]))
        #expect(!dry.isEmpty && dry == wet)
    }
}
