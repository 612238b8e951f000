@testable import InputMerge
import Testing
import WireProtocol

/// A contest is about when bodies moved, and recognizers need longer for one than for another.
@Suite("Contests count from when the body moved")
struct OnsetTests {
    /// One controller a player, all 5 ms away, playing marbles; a button may be pressed instead, at a moment in ms.
    private func verdicts(
        of definition: GestureDefinition, _ marbles: [String], pressed: [Int: Double] = [:],
        sensitivity: [Int: Double] = [:]
    ) -> [Verdict] {
        let declaration = StreamDeclaration(
            measures: [.acceleration, .rotationRate, .attitude, .buttons],
            buttonGestures: [definition.kind.rawValue])
        var merge = Merge(
            configuration: MergeConfiguration(
                gestures: [definition], contests: ContestRules(gestures: [definition.kind])))
        var arrivals: [(at: Double, peer: Int, index: UInt32, sample: Sample)] = []
        for (peer, marbles) in marbles.enumerated() {
            merge.assign(peer: peer, to: [peer + 1])
            merge.connect(stream(peer), declaration: declaration, now: ms(0))
            merge.updateClock(of: peer, clock())
            if let sensitivity = sensitivity[peer] { merge.setSensitivity(sensitivity, of: peer + 1) }
            for (index, sample) in Marbles(marbles).samples().enumerated() {
                var sample = sample
                let time = Double(sample.sampledAt.nanoseconds) / 1e6
                sample.measures.insert(.buttons)
                sample.buttons = pressed[peer].map { ($0..<$0 + 100).contains(time) } ?? false ? 1 : 0
                arrivals.append((time + 5, peer, UInt32(index), sample))
            }
        }
        var verdicts: [Verdict] = []
        func advance(to time: HostTime) {
            for case .verdict(let verdict) in merge.advance(to: time) { verdicts.append(verdict) }
        }
        for arrival in arrivals.sorted(by: { ($0.at, $0.peer) < ($1.at, $1.peer) }) {
            while let due = merge.nextDeadline, due < ms(arrival.at) { advance(to: due) }
            _ = merge.accept(
                arrival.sample, index: arrival.index, of: stream(arrival.peer), arrivedAt: ms(arrival.at))
            advance(to: ms(arrival.at))
        }
        return verdicts
    }

    private let rest = " | f1 600"

    @Test(
        "Who stepped before the jump is asked for a longer flight, and is first all the same where it left the ground first"
    )
    func jumpAmongSteps() throws {
        let verdicts = verdicts(
            of: .jump,
            [
                "f1 300 | f1.8 100 | f1 250 | f2.5 200 | f0.1 400 | f3 60" + rest,
                "f1 690 | f2.5 200 | f0.1 360 | f3 60" + rest,
            ])
        let verdict = try #require(verdicts.first)
        #expect(verdict.order == [[1], [2]] && verdict.decidedBy == .watermark)
        // They took off at 850 and 890, and were told at 1,100 and 1,060.
        let times = verdict.contenders.compactMap { $0.occurredAt.map { Double($0.nanoseconds) / 1e6 } }
        #expect(zip(times, [850.0, 890]).allSatisfy { abs($0 - $1) < 10 }, "\(times)")
    }

    @Test("A jump that is easier for one player is no head start, and a button is none either")
    func help() throws {
        let later = "f1 560 | f2.5 200 | f0.1 380 | f3 60" + rest
        let sooner = "f1 500 | f2.5 200 | f0.1 400 | f3 60" + rest
        let helped = try #require(verdicts(of: .jump, [sooner, later], sensitivity: [1: 2]).first)
        #expect(helped.order == [[1], [2]])
        let pressed = try #require(verdicts(of: .jump, [sooner, "f1 1800"], pressed: [1: 740]).first)
        #expect(pressed.order == [[1], [2]])
        let first = try #require(verdicts(of: .jump, [sooner, "f1 1800"], pressed: [1: 660]).first)
        #expect(first.order == [[2], [1]])
    }

    @Test("A tap counts from its knock, however long that lasts")
    func taps() throws {
        let long = "f1 500 | z1.5 50 | f1 800"
        let short = "f1 530 | z1.5 10 | f1 800"
        #expect(try #require(verdicts(of: .tap, [long, short]).first).order == [[1], [2]])
    }

    @Test("Whoever might still turn out to have left the ground as early is waited for")
    func waiting() throws {
        let jump = "f1 500 | f2.5 200 | f0.1 400 | f3 60" + rest
        let verdict = try #require(verdicts(of: .jump, [jump, "f1 1800"]).first)
        #expect(verdict.order == [[1]] && verdict.decidedBy == .watermark)
        let takeOff = try #require(verdict.contenders[0].occurredAt)
        #expect(verdict.decidedAt >= takeOff + ContestRules().window + .milliseconds(250))
        #expect(verdict.contenders[1].reason == .idle)
    }

    private func candidate(
        _ player: PlayerNumber, at time: Double, onset: Duration = .zero, clock: ClockMapping.State = .locked,
        serial: UInt64 = 1
    ) -> Candidate {
        Candidate(
            player: player, id: GestureID(player: player, serial: serial), shownAt: ms(time),
            uncertaintyNanoseconds: 6_000_000, unseenNanoseconds: 0, onset: onset, clock: clock,
            rules: ContestRules())
    }

    @Test("Who jumped without a clock is named as one who cannot be ranked, not as one who stood still")
    func unrankedJump() throws {
        var contest = Contest(.jump, rules: ContestRules(), longestOnset: .milliseconds(250))
        contest.take(candidate(1, at: 1_170, onset: .milliseconds(170), clock: .none))
        contest.take(candidate(2, at: 1_170, onset: .milliseconds(170)))
        let decided = contest.decide(at: ms(1_400), among: [1, 2]) { _ in
            PlayerKnowledge(isLive: true, watermark: ms(1_390), uncertaintyNanoseconds: 6_000_000)
        }
        let verdict = try #require(decided)
        #expect(verdict.order == [[2]] && verdict.unranked == [1])
    }

    @Test("Who cannot be ranked is told of once in a pause; a move that can be ranked counts beside one that cannot")
    func floods() throws {
        var contest = Contest("push", rules: ContestRules())
        func told(at time: Double) -> [Verdict] {
            var verdicts: [Verdict] = []
            while let verdict = contest.decide(
                at: ms(time), among: [1, 2],
                standing: { _ in
                    PlayerKnowledge(isLive: true, watermark: ms(time - 5), uncertaintyNanoseconds: 6_000_000)
                })
            {
                verdicts.append(verdict)
            }
            return verdicts
        }
        var count = 0
        for serial in 1...100 as ClosedRange<UInt64> {
            let time = 1_000 + Double(serial) * 50
            contest.take(candidate(1, at: time, clock: .stale, serial: serial))
            count += told(at: time + 10).count
        }
        // In five seconds, with a second's pause.
        #expect((4...6).contains(count))
        contest.take(candidate(1, at: 20_000, clock: .stale, serial: 101))
        contest.take(candidate(1, at: 20_100, serial: 102))
        contest.take(candidate(2, at: 20_130))
        #expect(told(at: 20_400).first?.order == [[1], [2]])
    }

    @Test("Of two who must jump together the later one's leaving the ground counts, whoever is named first")
    func together() {
        func detection(_ peer: Int, told time: Double, flown: Double?) -> Detection {
            Detection(
                peer: peer, gesture: 0,
                recognition: Recognition(
                    .began, strength: 1, confidence: 1, measures: GestureMeasures(flightTime: flown)),
                occurredAt: ms(time), uncertaintyNanoseconds: 6_000_000)
        }
        let (jump, press) = (detection(0, told: 1_250, flown: 0.25), detection(1, told: 1_500, flown: nil))
        let quick = detection(1, told: 1_240, flown: 0.17)
        for (first, second, moved) in [
            (jump, press, 1_500.0), (press, jump, 1_500), (jump, quick, 1_070), (quick, jump, 1_070),
        ] {
            var both = first
            both.join(second)
            #expect(both.occurredAt - both.onset == ms(moved))
        }
    }

    @Test("Who has no time that can be compared opens no contest for the others, and ends none")
    func unranked() throws {
        var contest = Contest("push", rules: ContestRules())
        contest.take(candidate(1, at: 1_000, clock: .none))
        contest.take(candidate(2, at: 1_190))
        contest.take(candidate(3, at: 1_230))
        let all = { (_: PlayerNumber) in
            PlayerKnowledge(isLive: true, watermark: ms(1_400), uncertaintyNanoseconds: 6_000_000)
        }
        let decided = contest.decide(at: ms(1_405), among: [1, 2, 3], standing: all)
        let verdict = try #require(decided)
        #expect(verdict.order == [[2], [3]] && verdict.unranked == [1] && verdict.winners == [2])

        var alone = Contest("push", rules: ContestRules())
        alone.take(candidate(1, at: 1_000, clock: .none))
        let early = alone.decide(at: ms(1_200), among: [1, 2, 3], standing: all)
        #expect(early == nil)
        let told = alone.decide(at: ms(1_250), among: [1, 2, 3], standing: all)
        let void = try #require(told)
        #expect(void.order.isEmpty && void.unranked == [1])
        // No pause follows.
        alone.take(candidate(2, at: 1_260))
        let next = alone.decide(at: ms(1_600), among: [1, 2, 3], standing: all)
        #expect(next?.order == [[2]])
    }

    @Test("Of whom samples were too old to be acted on nobody says that it did not move")
    func refused() throws {
        for (refusedAt, reason) in [(980.0, Verdict.Contender.Reason.missed), (-2_000, .idle)] {
            var contest = Contest("push", rules: ContestRules())
            contest.take(candidate(2, at: 1_000))
            let decided = contest.decide(at: ms(1_205), among: [1, 2]) { player in
                PlayerKnowledge(
                    isLive: true, watermark: ms(1_200), uncertaintyNanoseconds: 6_000_000,
                    refusedAt: player == 1 ? ms(refusedAt) : nil)
            }
            let verdict = try #require(decided)
            #expect(verdict.contenders[0].reason == reason && verdict.missed == (reason == .missed ? [1] : []))
        }
    }

    @Test("A host that stood still names in its verdict whose samples it could not use any more")
    func standstill() throws {
        var merge = Merge(
            configuration: MergeConfiguration(
                gestures: [.keepCalmJump], contests: ContestRules(gestures: [.keepCalmJump])))
        for peer in 0..<2 {
            merge.assign(peer: peer, to: [peer + 1])
            merge.connect(stream(peer), declaration: StreamDeclaration(), now: ms(0))
            merge.updateClock(of: peer, clock())
        }
        func accept(_ peer: PeerIndex, _ index: UInt32, pushedAt push: Double, arrivedAt: Double?, now: HostTime?) {
            let time = Double(index) * 10
            let isPushed = (push..<push + 60).contains(time)
            _ = merge.accept(
                sample(at: time, push: SIMD3(0, isPushed ? 1 : 0, 0)), index: index, of: stream(peer),
                arrivedAt: ms(arrivedAt ?? time + 5), now: now)
        }
        var verdicts: [Verdict] = []
        func advance(to time: Double) {
            for case .verdict(let verdict) in merge.advance(to: ms(time)) { verdicts.append(verdict) }
        }
        for index in 0..<400 as Range<UInt32> {
            // From 0.7 to 2.5 s the host stands still. What the first sent has its stamp from the kernel, and is too old by
            // then; what the second sent on a connection has the time at which it is read.
            let isHeldUp = (70..<250).contains(index)
            accept(0, index, pushedAt: 800, arrivedAt: nil, now: isHeldUp ? ms(2_500) : nil)
            accept(1, index, pushedAt: 1_000, arrivedAt: isHeldUp ? 2_500 : nil, now: nil)
            if !isHeldUp { advance(to: Double(index) * 10 + 5) }
        }
        let verdict = try #require(verdicts.first)
        #expect(verdict.order == [[2]] && verdict.missed == [1] && verdict.decidedBy == .watermark, "\(verdict)")
    }
}
