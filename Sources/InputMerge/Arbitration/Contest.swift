package import WireProtocol

/// Finds out who was first at one gesture, again and again.
///
/// Whether a move belongs to a contest, and where it ranks, depends only on when it happened. When samples arrived
/// decides only when the verdict falls; unless the cap cuts the waiting short, and then the verdict says so.
package struct Contest: Sendable {
    package let gesture: GestureKind
    package var rules: ContestRules
    /// The longest time from when the body moves until the gesture is told, as far as moves are placed before that.
    package internal(set) var longestOnset: Duration
    /// Nobody moves in it any more; it waits for its verdict alone.
    var isEnding = false
    /// Moves that no verdict was given on, by player, then in order of occurrence.
    private var candidates: [Candidate] = []
    /// Moves before this belong to contests that are over.
    private var overUntil = HostTime(nanoseconds: .min)
    /// Moves before this that cannot be ranked were told of with another, unless somebody has one that can.
    private var toldUntil = HostTime(nanoseconds: .min)
    /// The number of its last verdict.
    package private(set) var serial: UInt64
    /// Who was waited for at the last look.
    private var awaited: PlayerNumber?

    /// - Parameters:
    ///   - longestOnset: see ``GestureDefinition/longestOnset``.
    ///   - serial: the number after which its verdicts count on.
    package init(
        _ gesture: GestureKind, rules: ContestRules, longestOnset: Duration = .zero, after serial: UInt64 = 0
    ) {
        self.gesture = gesture
        self.rules = rules
        self.longestOnset = longestOnset
        self.serial = serial
    }

    package var isOpen: Bool { !candidates.isEmpty }

    /// When the verdict falls at the latest; `nil` while nobody moved. Who has no time that can be compared opens no contest
    /// for the others: it is waited for those alone that have.
    package var deadline: HostTime? {
        let ranked = candidates.filter { $0.claim == .placed }
        let first = (ranked.isEmpty ? candidates : ranked).map { $0.shownAt - $0.onset }.min()
        return first.map { $0 + patience }
    }

    /// How long after somebody moved its verdict falls at the latest: by then others would have been told that moved as early.
    package var patience: Duration { longestOnset + rules.cap }

    package mutating func take(_ candidate: Candidate) {
        guard candidate.occurredAt >= overUntil else { return }
        let isTold = candidate.claim != .placed && candidate.occurredAt < toldUntil
        guard !isTold || candidates.contains(where: { $0.claim == .placed }) else { return }
        let place = candidates.firstIndex { candidate.isListed(before: $0) } ?? candidates.endIndex
        candidates.insert(candidate, at: place)
    }

    /// The verdict, once it can be given. Ask again until `nil`: moves may wait for the next contest.
    ///
    /// - Parameter players: who could have moved, in ascending order.
    package mutating func decide(
        at now: HostTime, among players: [PlayerNumber], standing: (PlayerNumber) -> PlayerKnowledge
    ) -> Verdict? {
        let firsts = firstMoves
        guard let deadline else { return nil }
        let isOver = now >= deadline
        let longestOnset = longestOnset
        func known(_ player: PlayerNumber) -> PlayerKnowledge { standing(player).told(after: longestOnset) }
        guard let lead = firsts.filter({ $0.claim == .placed }).map(\.latest).min() else {
            return isOver ? verdict(onUnplaced: firsts, at: now, among: players, standing: known) : nil
        }
        let end = lead + rules.window
        func isAwaited(_ player: PlayerNumber, _ move: Candidate?, _ standing: PlayerKnowledge, until time: HostTime)
            -> Bool
        {
            guard standing.isLive else { return false }
            guard let watermark = standing.watermark else { return true }
            // Who drives a player with several controllers may have moved before with another one.
            if let move, move.earliest <= end { return watermark < move.occurredAt }
            return standing.surely(within: rules.cap) ?? watermark < time
        }
        if !isOver, let awaited, players.contains(awaited),
            isAwaited(awaited, firsts.first { $0.player == awaited }, known(awaited), until: end)
        {
            return nil
        }
        awaited = nil
        let moves = firsts.filter { $0.earliest <= end }
        var outcome = Outcome()
        var next = 0
        for player in players {
            // Who moved and left has no seat any more, but was there.
            while next < moves.count, moves[next].player < player {
                outcome.add(moves[next].player, moves[next], .gone, rules)
                next += 1
            }
            let move = next < moves.count && moves[next].player == player ? moves[next] : nil
            if move != nil { next += 1 }
            let standing = known(player)
            let isAwaitedNow = isAwaited(player, move, standing, until: end)
            if isAwaitedNow, !isOver {
                awaited = player
                return nil
            }
            // What was refused may have been a move that came first, or one after which this comes too late.
            let wasRefused = standing.isLive && standing.refusedAt.map { $0 >= lead - rules.pause } ?? false
            let isMissed = isAwaitedNow && isAwaited(player, move, standing, until: lead) || move == nil && wasRefused
            if isMissed { outcome.missed.append(player) }
            outcome.add(player, move, standing, rules, isAwaited: isAwaitedNow, isMissed: isMissed)
        }
        for move in moves[next...] { outcome.add(move.player, move, .gone, rules) }
        let first = moves.filter { $0.claim == .placed }.map(\.occurredAt).min() ?? end
        return verdict(on: moves, outcome, over: max(end, first + rules.pause), at: now)
    }

    /// Nobody moved whose time can be compared: that is told, once in each ``ContestRules/pause``, and ends nothing for the
    /// others.
    private mutating func verdict(
        onUnplaced moves: [Candidate], at now: HostTime, among players: [PlayerNumber],
        standing: (PlayerNumber) -> PlayerKnowledge
    ) -> Verdict {
        var outcome = Outcome()
        let last = moves.map(\.latest).max() ?? now
        for player in players where !moves.contains(where: { $0.player == player }) {
            let standing = standing(player)
            let isKnown = standing.surely(within: rules.cap).map { $0 >= last } ?? false
            outcome.add(player, nil, standing, rules, isAwaited: standing.isLive && !isKnown)
        }
        for move in moves { outcome.add(move.player, move, standing(move.player), rules) }
        outcome.contenders.sort { $0.player < $1.player }
        if let first = moves.map(\.occurredAt).min() { toldUntil = max(toldUntil, first + rules.pause) }
        let told = verdict(on: moves, outcome, over: overUntil, at: now)
        candidates.removeAll { $0.occurredAt < toldUntil }
        return told
    }

    /// What was found out about everyone.
    private struct Outcome {
        var contenders: [Verdict.Contender] = []
        var missed: [PlayerNumber] = []
        var isCutShort = false

        mutating func add(
            _ player: PlayerNumber, _ move: Candidate?, _ standing: PlayerKnowledge, _ rules: ContestRules,
            isAwaited: Bool = false, isMissed: Bool = false
        ) {
            isCutShort = isCutShort || isAwaited
            let isUnknown = isAwaited || isMissed
            let otherwise: Verdict.Contender.Reason = !standing.isLive ? .lost : isUnknown ? .missed : .idle
            contenders.append(
                Verdict.Contender(
                    player: player, reason: move?.claim ?? otherwise, gesture: move?.id, occurredAt: move?.occurredAt,
                    uncertaintyNanoseconds: move?.uncertaintyNanoseconds, rank: nil,
                    watermark: standing.surely(within: rules.cap)))
        }
    }

    /// The first move of each player, by player: of those that can be ranked, where there are any.
    private var firstMoves: [Candidate] {
        var moves: [Candidate] = []
        for candidate in candidates {
            if moves.last?.player != candidate.player {
                moves.append(candidate)
            } else if candidate.claim == .placed, moves.last?.claim != .placed {
                moves[moves.count - 1] = candidate
            }
        }
        return moves
    }

    /// - Parameter over: moves before this belong to this contest, or come too late for it.
    private mutating func verdict(
        on moves: [Candidate], _ outcome: Outcome, over: HostTime, at now: HostTime
    ) -> Verdict {
        serial += 1
        let order = Candidate.ranked(moves.filter { $0.claim == .placed })
        var contenders = outcome.contenders
        var ranks: [PlayerNumber: Int] = [:]
        for (rank, tied) in order.enumerated() { for player in tied { ranks[player] = rank + 1 } }
        for place in contenders.indices { contenders[place].rank = ranks[contenders[place].player] }
        let verdict = Verdict(
            id: VerdictID(gesture: gesture, serial: serial), gesture: gesture, order: order,
            winners: winners(of: order.first ?? []), ties: rules.ties,
            unranked: moves.filter { $0.claim != .placed }.map(\.player), missed: outcome.missed,
            decidedBy: outcome.isCutShort ? .cap : .watermark, decidedAt: now, contenders: contenders)
        overUntil = max(overUntil, over)
        let judged = Set(moves.map(\.id))
        candidates.removeAll { $0.occurredAt < overUntil || judged.contains($0.id) }
        return verdict
    }

    private func winners(of first: [PlayerNumber]) -> [PlayerNumber] {
        guard first.count > 1 else { return first }
        switch rules.ties {
        case .share: return first
        case .replay: return []
        case .draw:
            var lots = SplitMix64(seed: rules.seed, serial: serial)
            return [first[lots.lot(of: first.count)]]
        }
    }
}

/// Lots that anyone can draw again: from a seed and the number of the verdict.
extension SplitMix64 {
    fileprivate init(seed: UInt64, serial: UInt64) { self.init(seed: seed &+ serial &* 0x9E37_79B9_7F4A_7C15) }

    /// 0 to `count` - 1; each of a few is equally likely to within 2⁻⁶⁰.
    fileprivate mutating func lot(of count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }
}
