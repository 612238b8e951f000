import InputMerge
import Testing
import WireProtocol

@Suite("Who was first")
struct ArbitrationTests {
    private let rules = ContestRules(gestures: [.keepCalmJump])

    private func play(
        _ rules: ContestRules? = nil, _ contenders: Arena.Contender..., until end: Double = 2_000
    ) -> Arena {
        var arena = Arena(rules ?? self.rules, contenders, until: end)
        arena.run()
        return arena
    }

    @Test("A player on a 150 ms link who moved first by more than both uncertainties wins over one on a 5 ms link")
    func slowLink() throws {
        let arena = play(nil, .init(delay: 150, pushes: [500]), .init(delay: 5, pushes: [520]))
        #expect(arena.orders == ["P1 P2"])
        let verdict = try #require(arena.verdicts.first)
        #expect(verdict.winners == [1] && verdict.decidedBy == .watermark)
        #expect(verdict.id.description == "v1-keepcalm-jump")
        #expect(arena.decidedAt() == 650)
        let winner = try #require(verdict.contenders.first)
        #expect(winner.occurredAt == ms(495) && winner.uncertaintyNanoseconds == 6_000_000 && winner.rank == 1)
    }

    @Test("Within the uncertainties it is a tie, however much earlier the faster link brought it")
    func tie() {
        let arena = play(
            nil, .init(delay: 150, clock: 20, pushes: [500]), .init(delay: 5, pushes: [520]))
        #expect(arena.orders == ["P1=P2"])
        #expect(arena.verdicts.first?.winners == [1, 2])
    }

    @Test("A phone at 30 Hz is not judged more precisely than its sampling allows")
    func slowSampling() {
        // 500 ms is sample 15 of 30 Hz exactly: the device may have moved at any time in the 33 ms before.
        let close = play(nil, .init(rate: 30, clock: 1, pushes: [500]), .init(pushes: [470]))
        #expect(close.orders == ["P1=P2"])
        let clear = play(nil, .init(rate: 30, clock: 1, pushes: [500]), .init(pushes: [450]))
        #expect(clear.orders == ["P2 P1"])
        let later = play(nil, .init(rate: 30, clock: 1, pushes: [500]), .init(pushes: [520]))
        #expect(later.orders == ["P1 P2"])
        #expect(close.verdicts.first?.contenders.first?.uncertaintyNanoseconds == 17_666_667)
    }

    @Test("A phone that calls itself 100 Hz and sends 30 is judged by what it sends")
    func boastfulSampling() {
        var arena = Arena(rules, [.init(rate: 30, pushes: [500]), .init(pushes: [470])])
        arena.merge.connect(stream(0), declaration: StreamDeclaration(nominalRate: 100), now: ms(0))
        arena.run()
        #expect(arena.orders == ["P1=P2"])
    }

    @Test("All have moved: nobody is waited for. Else everyone is waited for to the end of the window")
    func decisionTime() {
        let both = play(nil, .init(pushes: [500]), .init(pushes: [550]))
        #expect(both.orders == ["P1 P2"] && both.decidedAt() == 555)
        // 495 + 6 of uncertainty + 100 of window + 6 of uncertainty: sample 610 is the first beyond.
        let one = play(nil, .init(pushes: [500]), .init())
        #expect(one.orders == ["P1"] && one.decidedAt() == 615)
        #expect(one.verdicts.first?.decidedBy == .watermark)
        #expect(one.verdicts.first?.contenders.map(\.reason) == [.placed, .idle])
    }

    @Test("The cap ends the waiting for one whose samples do not come, and names who could have been first")
    func cap() throws {
        let arena = play(nil, .init(pushes: [500]), .init(silentFrom: 480), .init(pushes: [540]))
        #expect(arena.orders == ["P1 P3 ?P2"])
        let verdict = try #require(arena.verdicts.first)
        #expect(verdict.decidedBy == .cap && arena.decidedAt() == 750)
        #expect(verdict.contenders.map(\.reason) == [.placed, .missed, .placed])
        #expect(verdict.contenders[1].watermark == ms(464))
    }

    @Test("One who fell silent long ago is not waited for, and is named as lost")
    func lost() {
        let arena = play(nil, .init(pushes: [3_000]), .init(silentFrom: 100), .init(pushes: [3_040]), until: 4_000)
        #expect(arena.orders == ["P1 P3"])
        #expect(arena.verdicts.first?.contenders.map(\.reason) == [.placed, .lost, .placed])
        #expect(arena.decidedAt() == 3_045)
    }

    @Test("A verdict is final: what arrives after the cap changes nothing and begins nothing")
    func tooLate() {
        let arena = play(nil, .init(delay: 400, pushes: [500]), .init(pushes: [520]))
        #expect(arena.orders == ["P2 ?P1"])
        #expect(arena.verdicts.first?.decidedBy == .cap)
    }

    @Test("Who moves after the window is too late; the next contest begins after the pause")
    func pause() {
        let arena = play(nil, .init(pushes: [500, 1_600]), .init(pushes: [700, 1_620]))
        #expect(arena.orders == ["P1", "P1 P2"])
        #expect(arena.verdicts.map(\.id.serial) == [1, 2])
    }

    @Test(
        "No claim without a clock: who has none, or a stale one, is named and has no rank",
        arguments: [
            (ClockMapping.State.none, Verdict.Contender.Reason.clockUnknown), (.stale, .clockStale),
        ])
    func noClock(state: ClockMapping.State, reason: Verdict.Contender.Reason) {
        let arena = play(nil, .init(state: state, pushes: [500]), .init(pushes: [520]), .init(pushes: [550]))
        #expect(arena.orders == ["P2 P3 (P1)"])
        #expect(arena.verdicts.first?.contenders.first?.reason == reason)
        let alone = play(nil, .init(state: state, pushes: [500]))
        #expect(alone.orders == [" (P1)"] && alone.verdicts.first?.winners == [])
    }

    @Test("A coarse clock decides as it stands")
    func coarse() {
        let arena = play(nil, .init(clock: 40, state: .coarse, pushes: [500]), .init(pushes: [560]))
        #expect(arena.orders == ["P1 P2"])
        let vague = play(nil, .init(clock: 40, state: .coarse, pushes: [500]), .init(pushes: [540]))
        #expect(vague.orders == ["P1=P2"])
    }

    @Test("Whose time is less sure than the cap is long ties with nobody: it has no rank")
    func vague() {
        let arena = play(nil, .init(clock: 300, state: .coarse, pushes: [500]), .init(pushes: [520]))
        #expect(arena.orders == ["P2 (P1)"])
    }

    @Test("Ranks by peeling: a tie is with whom one overlaps, and who is preceded by anyone comes behind")
    func peeling() {
        // Intervals 494…506, 484…536 (± 26), 507…519.
        let arena = play(
            nil, .init(pushes: [500]), .init(clock: 21, pushes: [510]), .init(pushes: [520]), .init(pushes: [560]))
        #expect(arena.orders == ["P1=P2 P3 P4"])
        #expect(arena.verdicts.first?.contenders.map(\.rank) == [1, 1, 2, 3])
    }

    @Test("Ties: shared, played again, or drawn, the same lot from the same seed")
    func policies() throws {
        func verdict(_ ties: ContestRules.Ties, seed: UInt64 = 1) throws -> Verdict {
            let rules = ContestRules(gestures: [.keepCalmJump], ties: ties, seed: seed)
            let arena = play(rules, .init(pushes: [500]), .init(pushes: [500]), .init(pushes: [560]))
            return try #require(arena.verdicts.first)
        }
        for ties in ContestRules.Ties.allCases { #expect(try verdict(ties).order == [[1, 2], [3]]) }
        #expect(try verdict(.share).winners == [1, 2])
        #expect(try verdict(.replay).winners == [])
        #expect(try verdict(.replay).isToBeReplayed)
        let drawn = try (0..<16).map { try verdict(.draw, seed: $0).winners }
        #expect(drawn.allSatisfy { $0 == [1] || $0 == [2] })
        #expect(drawn.contains([1]) && drawn.contains([2]))
        #expect(try drawn == (0..<16).map { try verdict(.draw, seed: $0).winners })
    }

    @Test("What is not declared a contest is not judged")
    func undeclared() {
        #expect(play(ContestRules(), .init(pushes: [500]), .init(pushes: [520])).verdicts.isEmpty)
        #expect(play(ContestRules(gestures: ["circle"]), .init(pushes: [500])).verdicts.isEmpty)
    }

    @Test("Rules out of their range say which")
    func problems() {
        #expect(ContestRules(gestures: [.jump, .jump]).problem == "jump is judged twice")
        #expect(ContestRules(cap: .milliseconds(1)).problem?.hasPrefix("contest cap is") == true)
        #expect(ContestRules(window: .seconds(3)).problem != nil)
        #expect(MergeConfiguration(contests: ContestRules(pause: .seconds(61))).problem != nil)
    }

    @Test("What a slow sensor shows late is no claim that it happened late: who moved first never loses for sure")
    func truth() {
        for moved in stride(from: 402.0, to: 500, by: 7) {
            // A's sample at 500 is the first to show what it did after 400; B moved 28 ms after it.
            let late = play(
                nil, .init(rate: 10, clock: 1, pushes: [500]), .init(pushes: [((moved + 28) / 10).rounded(.up) * 10]))
            #expect(late.orders != ["P2 P1"], "A moved at \(moved)")
        }
    }

    /// Both are heard, and everything is known of them until then.
    private func known(until time: Double) -> (PlayerNumber) -> PlayerKnowledge {
        { _ in PlayerKnowledge(isLive: true, watermark: ms(time), uncertaintyNanoseconds: 6_000_000) }
    }

    private func move(_ player: PlayerNumber, at time: Double, unseen: Double) -> Candidate {
        Candidate(
            player: player, id: GestureID(player: player, serial: 1), shownAt: ms(time),
            uncertaintyNanoseconds: Int64((unseen + 1) * 1e6), unseenNanoseconds: Int64(unseen * 1e6), clock: .locked,
            rules: ContestRules())
    }

    @Test("Who is seen again after two seconds has claimed nothing of the time before: others win as ever")
    func afterHole() throws {
        var contest = Contest("push", rules: ContestRules())
        contest.take(move(1, at: 4_980, unseen: 10))
        contest.take(move(2, at: 5_000, unseen: 2_000))
        let decided = contest.decide(at: ms(5_005), among: [1, 2], standing: known(until: 5_200))
        let verdict = try #require(decided)
        #expect(verdict.order == [[1]] && verdict.winners == [1])
        #expect(verdict.contenders.map(\.reason) == [.placed, .vague])
    }

    @Test("However slow a sensor is, others are waited for as long as the rules say, from when it showed the move")
    func slowSensorsDeadline() {
        var contest = Contest("push", rules: ContestRules())
        contest.take(move(1, at: 5_000, unseen: 470))
        #expect(contest.deadline == ms(5_000) + ContestRules().cap)
        let early = contest.decide(at: ms(5_020), among: [1, 2], standing: known(until: 4_700))
        #expect(early == nil)
    }
}
