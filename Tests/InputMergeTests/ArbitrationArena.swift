import InputMerge
import WireProtocol

/// Players with one controller each, who push along y at given times, over links of different speed.
struct Arena {
    struct Contender {
        var rate = 100.0
        /// From the sample to its arrival, in ms.
        var delay = 5.0
        /// The clock's own uncertainty, ± ms.
        var clock = 1.0
        var state = ClockMapping.State.locked
        /// When it is pushed for 60 ms, in ms.
        var pushes: [Double] = []
        /// Nothing is sent from then on.
        var silentFrom = Double.infinity
        /// The first sample, in ms.
        var phase = 0.0
    }

    struct Arrival: Sendable {
        var peer: PeerIndex
        var index: UInt32
        var sample: Sample
        var at: Double
    }

    var merge: Merge
    var verdicts: [Verdict] = []
    var gestures: [GestureEvent] = []
    let arrivals: [Arrival]

    init(_ rules: ContestRules, _ contenders: [Contender], until end: Double = 2_000, holdback: Int = 60) {
        merge = Merge(
            configuration: MergeConfiguration(
                holdback: .milliseconds(holdback), gestures: [.keepCalmJump], contests: rules))
        var arrivals: [Arrival] = []
        for (peer, contender) in contenders.enumerated() {
            merge.assign(peer: peer, to: [peer + 1])
            merge.connect(
                stream(peer), declaration: StreamDeclaration(nominalRate: contender.rate), now: ms(0))
            merge.updateClock(
                of: peer,
                ClockMapping(
                    state: contender.state, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: ms(0),
                    uncertaintyNanoseconds: contender.state == .none ? nil : Int64(contender.clock * 1e6)))
            var index: UInt32 = 0
            while true {
                let time = contender.phase + Double(index) * 1_000 / contender.rate
                guard time < min(end, contender.silentFrom) else { break }
                let isPushed = contender.pushes.contains { ($0..<$0 + 60).contains(time) }
                arrivals.append(
                    Arrival(
                        peer: peer, index: index, sample: sample(at: time, push: SIMD3(0, isPushed ? 1 : 0, 0)),
                        at: time + contender.delay))
                index += 1
            }
        }
        self.arrivals = arrivals
    }

    /// Lets everything arrive, in this order or in that of their times, then lets a second pass.
    mutating func run(_ order: [Arrival]? = nil) {
        let order = order ?? arrivals.sorted { ($0.at, $0.peer, $0.index) < ($1.at, $1.peer, $1.index) }
        for arrival in order {
            wait(until: arrival.at)
            _ = merge.accept(
                arrival.sample, index: arrival.index, of: stream(arrival.peer), arrivedAt: ms(arrival.at))
            advance(to: ms(arrival.at))
        }
        wait(until: (order.last?.at ?? 0) + 1_000)
    }

    /// Wakes whenever the merge asks for it.
    mutating func wait(until time: Double) {
        while let deadline = merge.nextDeadline, deadline < ms(time) { advance(to: deadline) }
    }

    private mutating func advance(to time: HostTime) {
        for event in merge.advance(to: time) {
            switch event {
            case .verdict(let verdict): verdicts.append(verdict)
            case .gesture(let gesture): gestures.append(gesture)
            case .team, .teaching, .shaping, .sensor, .submersion, .motions, .omitted: break
            }
        }
    }

    /// `P1 P2=P3` for each verdict, with what is odd about it.
    var orders: [String] {
        verdicts.map { verdict in
            let order = verdict.order.map { $0.map { "P\($0)" }.joined(separator: "=") }.joined(separator: " ")
            let missed = verdict.missed.map { " ?P\($0)" }.joined()
            let unranked = verdict.unranked.map { " (P\($0))" }.joined()
            return order + unranked + missed
        }
    }

    func decidedAt(_ place: Int = 0) -> Double { Double(verdicts[place].decidedAt.nanoseconds) / 1e6 }
}

extension Verdict {
    /// What does not depend on when samples arrived.
    var facts: Verdict {
        var facts = self
        facts.decidedAt = ms(0)
        for place in facts.contenders.indices { facts.contenders[place].watermark = nil }
        return facts
    }
}
