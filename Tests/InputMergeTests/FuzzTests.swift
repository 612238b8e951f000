import InputMerge
import Testing
import WireProtocol

@Suite("Whatever comes")
struct FuzzTests {
    private static let rules = [
        "any", "own,hand-over", "all:300ms,mean,wait", "quorum:2/3:200ms,sum,hand-over",
        "split:jump/tilt+shake,strongest:tilt,ignore",
    ]

    @Test("No order of calls and no value stops the merge or makes it tell a NaN", arguments: [UInt64](1...20))
    func anything(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var merge = Merge(
            configuration: MergeConfiguration(
                gestures: GestureDefinition.all, fusion: .of(Self.rules[Int(seed) % Self.rules.count]),
                teams: [Team("red", [0, 1, 2], rule: .quorum(.count(2), within: .milliseconds(300)), whenLost: .wait)],
                contests: ContestRules(gestures: [.keepCalmJump, .shake, .tilt], ties: .draw, seed: seed)))
        var open: [GestureID: Int] = [:]
        var now = 0.0
        for _ in 0..<3_000 {
            now += Double(random.below(40))
            let key = StreamKey(peer: random.below(4), stream: UInt8(random.below(2)))
            switch random.below(34) {
            case 0: merge.connect(key, declaration: random.declaration(), now: ms(now))
            case 1: merge.disconnect(peer: key.peer)
            case 2: merge.assign(peer: key.peer, to: (0..<random.below(3)).map { _ in random.below(4) })
            case 3: merge.updateClock(of: key.peer, random.clock())
            case 4: merge.abandon(below: UInt32(random.index()), of: key)
            case 5:
                switch random.below(4) {
                case 0: merge.teach("circle", times: random.below(4), to: random.below(4))
                case 1: merge.cancelLesson(of: random.below(4))
                case 2: merge.setSensitivity(Double(random.float()), of: random.below(4))
                default: merge.rezero(player: random.below(4))
                }
            case 6...9:
                for case .gesture(let event) in merge.advance(to: ms(now)) {
                    #expect((0...1).contains(event.strength) && (0...1).contains(event.confidence), "seed \(seed)")
                    open[event.id, default: 0] += event.phase == .began ? 1 : event.phase == .ended ? -1 : 0
                    #expect(open[event.id] == 0 || open[event.id] == 1, "seed \(seed): \(event)")
                }
            case 10:
                for player in 0..<4 {
                    if let motion = merge.motion(of: player) { #expect(motion.isFinite, "seed \(seed)") }
                    if let state = merge.state(of: player, at: ms(now)) { #expect(state.isFinite, "seed \(seed)") }
                }
                _ = merge.nextDeadline
            case 11:
                let start = random.clock().hostAnchor
                merge.hapticStarts(
                    UInt32(random.below(3)), on: key.peer, between: random.below(3) == 0 ? start : ms(now),
                    and: ms(now + 100), duration: .milliseconds(random.below(5_000)))
            case 12: merge.hapticCancelled(UInt32(random.below(3)), on: key.peer)
            default:
                _ = merge.accept(
                    random.sample(near: now), index: UInt32(random.index()), of: key,
                    arrivedAt: ms(now - Double(random.below(100))))
            }
        }
    }

    @Test("Loss, duplication and shuffling within holdback leave what a lossless run sees", arguments: [UInt64](1...10))
    func shuffledStream(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let motions = (0..<600).map { index in
            sample(at: Double(index) * 10, push: SIMD3(0, random.below(12) == 0 ? 1.5 : 0, 0.2))
        }
        func run(_ arrivals: [(index: Int, at: Double)]) -> (Bench, [GestureEvent]) {
            var bench = Bench()
            for arrival in arrivals {
                bench.arrive(motions[arrival.index], UInt32(arrival.index), at: arrival.at)
                bench.advance(to: arrival.at)
            }
            bench.advance(to: 1e5)
            return (bench, bench.events)
        }
        let tidy = motions.indices.map { (index: $0, at: Double($0) * 10 + 1) }
        var untidy: [(index: Int, at: Double)] = []
        for (index, time) in tidy {
            untidy.append((index, time + Double(random.below(45))))
            if random.below(5) == 0 { untidy.append((index, time + Double(random.below(45)))) }
        }
        untidy.sort { ($0.at, $0.index) < ($1.at, $1.index) }
        let (calm, expected) = run(tidy)
        let (wild, events) = run(untidy)
        #expect(!expected.isEmpty)
        #expect(events == expected, "seed \(seed)")
        #expect(wild.merge.motion(of: 1) == calm.merge.motion(of: 1), "seed \(seed)")
    }
}

extension PlayerMotion {
    fileprivate var isFinite: Bool {
        let sums = (gravity + userAcceleration + rotationRate).sum() + tilt.sum()
        return sums.isFinite && abs(attitude.length - 1) < 1e-6
    }
}

/// So that every failure can be repeated.
extension SplitMix64 {
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Mostly rising, sometimes anything.
    mutating func index() -> Int {
        switch below(40) {
        case 0: Int(next() % 0x1_0000_0000)
        case 1: Int(UInt32.max) - below(3)
        default: below(400)
        }
    }

    mutating func float() -> Float {
        switch below(12) {
        case 0: .nan
        case 1: .infinity
        case 2: Float(bitPattern: UInt32(truncatingIfNeeded: next()))
        default: Float(below(400) - 200) / 5
        }
    }

    mutating func sample(near now: Double) -> Sample {
        let time = below(20) == 0 ? Int64(bitPattern: next()) : Int64(now * 1e6) + Int64(below(400_000_000))
        return Sample(
            sampledAt: DeviceTime(nanoseconds: time), measures: Sample.Measures(rawValue: UInt8(below(32))),
            acceleration: SIMD3(float(), float(), float()), rotationRate: SIMD3(float(), float(), float()),
            attitude: SIMD4(float() / 40, float() / 40, float() / 40, float() / 40))
    }

    mutating func declaration() -> StreamDeclaration {
        StreamDeclaration(
            measures: Sample.Measures(rawValue: UInt8(below(40))), accelerationRange: below(9) == 0 ? .nan : 200,
            nominalRate: [0.1, 5, 100, 4_000, .infinity, -1][below(6)],
            sensorLatency: .milliseconds(below(1_100)))
    }

    mutating func clock() -> ClockMapping {
        ClockMapping(
            state: [.none, .coarse, .locked, .stale][below(4)],
            deviceAnchor: DeviceTime(nanoseconds: Int64(bitPattern: next())),
            hostAnchor: HostTime(nanoseconds: Int64(bitPattern: next())),
            rateOffset: [0, 0.1, -0.1, .nan, 1e300][below(5)],
            uncertaintyNanoseconds: below(3) == 0 ? nil : Int64(bitPattern: next() >> 1))
    }
}
