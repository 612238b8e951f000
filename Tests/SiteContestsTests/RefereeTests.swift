import InputMerge
import Testing
import WireProtocol

@testable import SiteContests

@Suite("Contests across rooms, their clocks hours apart")
struct RefereeTests {
    private static let rules = ContestRules(
        window: .milliseconds(150), cap: .milliseconds(1_000), pause: .milliseconds(500))

    /// Every 3 s somebody moves, and others within 250 ms.
    private static func evening(
        seed: UInt64, rounds: Int, gesture: GestureKind = .shake, faults: House.Faults = .none, cuts: Bool = false
    ) -> (House, rounds: [[House.Move]]) {
        var dice = SplitMix64(seed: seed &* 7_919)
        let (rooms, players) = (Int(dice.whole(2, 5)), Int(dice.whole(1, 4)))
        var house = House(seed: seed, rooms: rooms, players: players, rules: rules, gesture: gesture, faults: faults)
        var moves: [[House.Move]] = []
        // One stepped before it jumped, another stood, a third pressed a button.
        let onset = GestureDefinition.all.longestOnset(of: gesture)
        for room in 0..<rooms where onset > .zero {
            for player in 0..<players { house.rooms[room].players[player].onset = dice.whole(0, 250_000_000) }
        }
        for round in 0..<rounds {
            let base = Int64(2 + 3 * round) * 1_000_000_000
            if cuts, dice.chance(0.4) {
                let from = base + dice.ms(-600, 300)
                house.rooms[Int(dice.whole(0, Int64(rooms - 1)))].cuts.append(from...from + dice.ms(100, 2_000))
            }
            let before = house.moves.count
            for room in 0..<rooms {
                for player in 0..<players where dice.chance(0.6) {
                    house.move(room, player, at: base + dice.ms(0, 250))
                }
            }
            moves.append(Array(house.moves[before...]))
            house.run(until: base + 2_500_000_000)
        }
        return (house, moves)
    }

    /// Says what holds whatever the network did, and gives back which round each verdict is about.
    private static func laws(_ house: House, _ rounds: [[House.Move]], _ seed: UInt64) -> [Int: [SiteVerdict]] {
        var byRound: [Int: [SiteVerdict]] = [:]
        for verdict in house.verdicts {
            var truths: [SiteContender: Int64] = [:]
            for evidence in verdict.evidence {
                guard let at = evidence.occurredAt, let reach = evidence.uncertaintyNanoseconds else { continue }
                let told = house.trueTime(at)
                let move = house.moves.filter { $0.who == evidence.who }.min {
                    abs($0.at - told) < abs($1.at - told)
                }
                guard let move else {
                    Issue.record("seed \(seed): \(evidence.who) never moved")
                    continue
                }
                truths[evidence.who] = move.at
                // The widths are measured by the referee's clock, which runs up to 90 ppm fast or slow.
                #expect(abs(move.at - told) <= reach + reach / 1_000 + 10, "seed \(seed): the interval holds the truth")
                if evidence.reason == .placed { #expect(evidence.rank != nil) }
            }
            // Somebody of the rank before was earlier; and whoever was the first of all has the first rank.
            for (rank, tied) in verdict.order.enumerated().dropFirst() {
                for one in tied {
                    #expect(
                        verdict.order[rank - 1].contains { (truths[$0] ?? .max) < (truths[one] ?? .min) },
                        "seed \(seed): nobody of rank \(rank) was before \(one)")
                }
            }
            let first = verdict.order.joined().min { (truths[$0] ?? .max) < (truths[$1] ?? .max) }
            #expect(first.map { verdict.order[0].contains($0) } ?? true, "seed \(seed): \(String(describing: first))")
            #expect(verdict.order.flatMap(\.self).count == Set(verdict.order.joined()).count)
            #expect(ranks(by: verdict) == verdict.order.map { Set($0) }, "seed \(seed): ranks by precedence")
            if let first = verdict.evidence.compactMap(\.occurredAt).min() {
                // A question's answer may be what wakes it; the cap itself does, too.
                #expect(verdict.decidedAt - first <= house.patience + .milliseconds(1), "seed \(seed)")
                let round = Int(((Double(house.trueTime(first)) / 1e9 - 1) / 3).rounded(.down))
                byRound[max(0, round), default: []].append(verdict)
            }
        }
        return byRound
    }

    /// Ranks once more, in another way: one more than the highest of all who surely came before.
    private static func ranks(by verdict: SiteVerdict) -> [Set<SiteContender>] {
        let placed = verdict.evidence.filter { $0.reason == .placed }.sorted {
            ($0.occurredAt ?? .distantFuture) < ($1.occurredAt ?? .distantFuture)
        }
        func end(_ known: SiteVerdict.Evidence, _ sign: Int64) -> Int64 {
            (known.occurredAt?.nanoseconds ?? 0) + sign * (known.uncertaintyNanoseconds ?? 0)
        }
        var rank: [SiteContender: Int] = [:]
        func find(_ one: SiteVerdict.Evidence) -> Int {
            if let known = rank[one.who] { return known }
            let before = placed.filter { end($0, 1) < end(one, -1) }
            let found = 1 + (before.map(find).max() ?? 0)
            rank[one.who] = found
            return found
        }
        var order: [Set<SiteContender>] = []
        for one in placed {
            let found = find(one)
            while order.count < found { order.append([]) }
            order[found - 1].insert(one.who)
        }
        return order
    }

    @Test("Where nothing is lost, each round has one verdict, by watermarks, of who was in time", arguments: 1...16)
    func whole(seed: UInt64) {
        let (house, rounds) = Self.evening(seed: seed, rounds: 8)
        let verdicts = Self.laws(house, rounds, seed)
        for (round, moves) in rounds.enumerated() {
            guard let first = moves.map(\.at).min() else { continue }
            guard let verdict = verdicts[round]?.first else {
                Issue.record("seed \(seed): round \(round) has no verdict")
                continue
            }
            #expect(verdicts[round]?.count == 1, "seed \(seed)")
            #expect(verdict.decidedBy == .watermark, "seed \(seed), round \(round)")
            #expect(verdict.missed.isEmpty)
            let ranked = Set(verdict.order.joined())
            // Clocks and controllers are at most so wrong.
            let slack: Int64 = 60_000_000
            for move in moves where move.at < first + 150_000_000 - slack {
                #expect(ranked.contains(move.who), "seed \(seed), round \(round): \(move.who) was in time")
            }
            for move in moves where move.at > first + 150_000_000 + slack {
                #expect(!ranked.contains(move.who), "seed \(seed), round \(round): \(move.who) was too late")
            }
            #expect(verdict.evidence.count == house.rooms.map(\.players.count).reduce(0, +))
        }
    }

    @Test(
        "Whatever is lost, doubled, overtaken or cut off, who is said to be first was first, also where it shows late",
        arguments: 1...16, [GestureKind.shake, .jump])
    func faulty(seed: UInt64, gesture: GestureKind) {
        let (house, rounds) = Self.evening(
            seed: seed, rounds: 8, gesture: gesture, faults: House.Faults(loss: 0.03, doubles: 0.1, stalls: 0.2),
            cuts: true)
        let verdicts = Self.laws(house, rounds, seed)
        for (round, moves) in rounds.enumerated() {
            guard let first = moves.min(by: { $0.at < $1.at }) else { continue }
            for verdict in verdicts[round] ?? [] where verdict.decidedBy == .watermark {
                // By watermarks: whoever was first is among the first, unless its room was out of reach.
                let decided = house.trueTime(verdict.decidedAt)
                let isCut = house.rooms.enumerated().contains { place, room in
                    House.name(place) == first.who.room
                        && room.cuts.contains { $0.overlaps(decided - 2_000_000_000...decided) }
                }
                #expect(
                    isCut || verdict.order.first?.contains(first.who) == true, "seed \(seed), round \(round)")
            }
        }
    }

    /// In how many verdicts by watermarks the one who was first is not among the first.
    private static func wrongs(_ faults: House.Faults) -> (of: Int, wrong: Int) {
        var (count, wrong) = (0, 0)
        for seed in 1...12 as ClosedRange<UInt64> {
            let (house, rounds) = evening(seed: seed, rounds: 8, faults: faults)
            for (round, verdicts) in laws(house, rounds, seed) {
                guard let first = rounds[round].min(by: { $0.at < $1.at }) else { continue }
                for verdict in verdicts where verdict.decidedBy == .watermark {
                    count += 1
                    if verdict.order.first?.contains(first.who) != true { wrong += 1 }
                }
            }
        }
        return (count, wrong)
    }

    @Test("Where the broker is slow with events, watermarks wait for them; did they not, the wrong one would win")
    func slow() {
        let honest = Self.wrongs(House.Faults(stalls: 0.2))
        #expect(honest.wrong == 0 && honest.of > 60, "\(honest)")
        let bad = Self.wrongs(House.Faults(loss: 0.03, doubles: 0.1, stalls: 0.2))
        #expect(bad.wrong == 0 && bad.of > 30, "\(bad)")
        let hasty = Self.wrongs(House.Faults(stalls: 0.2, isHasty: true))
        #expect(hasty.wrong > 5, "the simulation finds it: \(hasty)")
    }
}
