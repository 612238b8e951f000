import InputMerge
import WireProtocol

/// Ten controllers of different rates on a bad network, who make six players and two teams: gestures, contests, haptics,
/// a lesson, one who leaves and one who comes late.
struct Evening {
    private struct Arrival {
        var at: Int64
        var peer: PeerIndex
        var index: UInt32
        var sample: Sample
    }

    private static let second: Int64 = 1_000_000_000
    private static let rates = [100.0, 30, 60, 200, 50, 100, 100, 25, 120, 400]

    private var random: SplitMix64
    private var merge: Merge
    private var told = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        let rule = try? FusionRule("quorum:1/2:300ms,mean,hand-over")
        merge = Merge(
            configuration: MergeConfiguration(
                silence: .milliseconds(500), gestures: GestureDefinition.all, fusion: rule ?? .any,
                teams: [
                    Team("red", [1, 2, 3], rule: .all(within: .milliseconds(400))),
                    Team("blue", [4, 5, 6], rule: .quorum(.count(2), within: .milliseconds(500)), whenLost: .handOver),
                ],
                contests: ContestRules(gestures: [.keepCalmJump, .jump, .flick], ties: .draw, seed: seed)))
    }

    mutating func play() {
        var arrivals: [Arrival] = []
        for peer in Self.rates.indices {
            arrivals += samples(of: peer)
            merge.assign(peer: peer, to: peer < 8 ? [1 + peer % 6] : [1, 2])
            let declaration = StreamDeclaration(nominalRate: Self.rates[peer])
            merge.connect(
                StreamKey(peer: peer, stream: 0), declaration: declaration, now: HostTime(nanoseconds: 0))
            merge.updateClock(of: peer, clock(of: peer))
        }
        arrivals.sort { ($0.at, $0.peer, $0.index) < ($1.at, $1.peer, $1.index) }
        var nextLook: Int64 = 0
        for arrival in arrivals {
            while let deadline = merge.nextDeadline, deadline.nanoseconds < arrival.at {
                advance(to: deadline.nanoseconds)
            }
            if arrival.at >= nextLook {
                nextLook += Self.second / 20
                look(at: arrival.at)
            }
            _ = merge.accept(
                arrival.sample, index: arrival.index, of: StreamKey(peer: arrival.peer, stream: 0),
                arrivedAt: HostTime(nanoseconds: arrival.at))
            advance(to: arrival.at)
        }
        advance(to: (arrivals.last?.at ?? 0) + Self.second)
        print("told:", told)
    }

    /// Rest, and pushes, shakes, leaps and turns of random kinds at random times; 5 % are lost, the rest jittered.
    private mutating func samples(of peer: PeerIndex) -> [Arrival] {
        var arrivals: [Arrival] = []
        let rate = Self.rates[peer]
        let (begin, end) = (peer == 9 ? 8.0 : 0, peer == 4 ? 12.0 : 20)
        var (kind, until) = (0, begin)
        for index in 0..<UInt32((end - begin) * rate) {
            let time = begin + Double(index) / rate
            if time >= until {
                kind = random.below(9)
                until = time + 0.05 + random.share() * 0.4
            }
            let noise = SIMD3<Float>(random.near(0.02), random.near(0.02), random.near(0.02))
            let wave: Float = Int(time * 16) % 2 == 0 ? 1 : -1
            var force = SIMD3<Float>(0, 0, 1) + noise
            var turn = SIMD3<Float>(random.near(0.01), random.near(0.01), random.near(0.01))
            switch kind {
            case 1: force.y -= 1.2
            case 2: force *= 0.05
            case 3: force *= 2.6
            case 4: force.x += 2.2 * wave
            case 5: turn.x += 9
            case 6: turn.z -= 3
            default: break
            }
            if random.share() < 0.05 { continue }
            let sampledAt = Int64(time * 1e9) - Int64(peer) * 7_000_000_000
            arrivals.append(
                Arrival(
                    at: Int64((time + 0.004 + random.share() * 0.09) * 1e9), peer: peer, index: index,
                    sample: Sample(
                        sampledAt: DeviceTime(nanoseconds: sampledAt), acceleration: force * Float(standardGravity),
                        rotationRate: turn)))
        }
        return arrivals
    }

    private func clock(of peer: PeerIndex) -> ClockMapping {
        ClockMapping(
            state: peer == 7 ? .coarse : .locked, deviceAnchor: DeviceTime(nanoseconds: Int64(peer) * -7_000_000_000),
            hostAnchor: HostTime(nanoseconds: 0), rateOffset: Double(peer) * 3e-6,
            uncertaintyNanoseconds: 700_000 + Int64(peer) * 400_000, uncertaintyGrowth: 1e-5)
    }

    private mutating func advance(to time: Int64) {
        for event in merge.advance(to: HostTime(nanoseconds: time)) {
            told += 1
            print(event)
            if case .gesture(let gesture) = event, gesture.phase == .began {
                for peer in gesture.controllers {
                    let now = HostTime(nanoseconds: time)
                    merge.hapticStarts(
                        UInt32(told), on: peer, between: now, and: now + .milliseconds(40),
                        duration: .milliseconds(60))
                }
            }
        }
    }

    /// What games and operators do meanwhile.
    private mutating func look(at time: Int64) {
        for player in merge.drivenPlayers {
            if let state = merge.state(of: player, at: HostTime(nanoseconds: time)) { print(player, state) }
        }
        switch time / (Self.second / 20) {
        case 60: merge.teach("circle", times: 3, to: 2)
        case 100: merge.rezero(player: 3)
        case 160: merge.setSensitivity(1.5, of: 5)
        case 260: merge.disconnect(peer: 6)
        default: break
        }
    }
}

extension SplitMix64 {
    mutating func below(_ limit: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(limit)).high) }
    /// 0 to 1.
    mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }
    mutating func near(_ width: Float) -> Float { Float(share() * 2 - 1) * width }
}
