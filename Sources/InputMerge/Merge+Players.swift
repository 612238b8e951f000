import WireProtocol

/// From what controllers' recognizers saw to what players and teams do.
extension Merge {
    /// Turns what the controllers' recognizers saw into what the players do.
    mutating func settle() {
        // What is learnt may end what had begun, and so add to the detections.
        var next = 0
        while next < detections.count {
            let detection = detections[next]
            next += 1
            if let shaping = detection.recognition.shaping { note(shaping, detection) }
            if let trace = detection.recognition.trace { note(detection, trace) }
            if detection.recognition.isPressed { notePress(detection) }
            if detection.recognition.isAside { continue }
            if let difference = detection.recognition.airtimeDifference { learn(difference, from: detection.peer) }
            for unmasked in unmasked(detection) where admits(unmasked) { deliver(unmasked) }
        }
        detections.removeAll(keepingCapacity: true)
        for begun in endedPostponements() where admits(begun) { deliver(begun) }
        releaseHeld()
        releaseTeams()
    }

    private mutating func deliver(_ detection: Detection) {
        for player in peers[detection.peer]?.players ?? [] {
            let members = members(of: player)
            let outcomes = players.update(player) { $0.take(detection, members: members) } ?? []
            for outcome in outcomes { report(outcome, gesture: detection.gesture, of: player) }
            if players[player]?.heldSince != nil, !holding.contains(player) {
                holding.append(player)
                holding.sort()
            }
        }
    }

    /// Looks at what waited for other controllers' samples, now that more of them are there or the time is up.
    private mutating func releaseHeld() {
        for player in holding {
            let members = members(of: player)
            let oldest = heardUntil - configuration.contests.cap
            let found = players.update(player) { $0.release(members: members, oldest: oldest) } ?? []
            for each in found { report(each.outcome, gesture: each.gesture, of: player) }
        }
        holding.removeAll { players[$0]?.heldSince == nil }
    }

    /// The same for what teams' players did.
    private mutating func releaseTeams() {
        for place in holdingTeams {
            var state = teams[place]
            let outcomes = state.release(oldest: heardUntil - configuration.contests.cap) { standing(of: $0) }
            teams[place] = state
            for outcome in outcomes { report(outcome, ofTeam: place) }
        }
        holdingTeams.removeAll { teams[$0].heldSince == nil }
    }

    /// The peer drives the player no more.
    mutating func release(_ peer: PeerIndex, from player: PlayerNumber) {
        let members = members(of: player).filter { $0.peer != peer }
        let now = now
        let found = players.update(player) { $0.remove(peer, members: members, now: now) } ?? []
        for each in found { report(each.outcome, gesture: each.gesture, of: player) }
        if players[player]?.controllers.isEmpty ?? true {
            drivenPlayers.removeAll { $0 == player }
            abandonLesson(of: player)
            leaveTeams(player)
        }
    }

    private mutating func leaveTeams(_ player: PlayerNumber) {
        for place in teams.indices {
            var state = teams[place]
            let outcomes = state.remove(player, now: now) { standing(of: $0) }
            teams[place] = state
            for outcome in outcomes { report(outcome, ofTeam: place) }
        }
    }

    private mutating func report(_ outcome: Fusion.Outcome, gesture: Int, of player: PlayerNumber) {
        let detection = outcome.detection
        guard let kind = kind(of: detection, gesture: gesture) else { return }
        events.append(
            GestureEvent(
                player: player, gesture: kind, phase: detection.phase, id: outcome.id, occurredAt: detection.occurredAt,
                uncertaintyNanoseconds: detection.uncertaintyNanoseconds, strength: detection.recognition.strength,
                confidence: detection.recognition.confidence, controllers: outcome.controllers,
                measures: detection.recognition.measures, source: detection.source,
                unseenNanoseconds: detection.unseenNanoseconds))
        if detection.phase == .began {
            arbiter.take(
                Candidate(
                    player: player, id: outcome.id, shownAt: detection.occurredAt,
                    uncertaintyNanoseconds: detection.uncertaintyNanoseconds,
                    unseenNanoseconds: detection.unseenNanoseconds,
                    onset: min(detection.onset, configuration.gestures.longestOnset(of: kind)),
                    clock: detection.clock,
                    rules: configuration.contests), gesture: kind)
        }
        var ofPlayer = detection
        ofPlayer.peer = player
        ofPlayer.gesture = gesture
        for place in teams.indices {
            let isOfTeam = teams[place].hold(ofPlayer)
            guard isOfTeam, !holdingTeams.contains(place) else { continue }
            holdingTeams.append(place)
            holdingTeams.sort()
        }
    }

    private mutating func report(_ outcome: Fusion.Outcome, ofTeam place: Int) {
        let detection = outcome.detection
        guard let kind = kind(of: detection, gesture: detection.gesture) else { return }
        teamEvents.append(
            TeamGestureEvent(
                team: teams[place].team.name, gesture: kind, phase: detection.phase,
                id: "t\(place + 1)-\(outcome.id.serial)", occurredAt: detection.occurredAt,
                uncertaintyNanoseconds: detection.uncertaintyNanoseconds, strength: detection.recognition.strength,
                confidence: detection.recognition.confidence, players: outcome.controllers, source: detection.source))
    }

    /// Every recognition of the one who watches for taught gestures names its kind.
    private func kind(of detection: Detection, gesture: Int) -> GestureKind? {
        let isTaught = gesture >= configuration.gestures.count
        return detection.recognition.kind ?? (isTaught ? nil : configuration.gestures[gesture].kind)
    }

    /// The player's controllers that can make gestures, as they stand now, in ascending order.
    func members(of player: PlayerNumber) -> [Player.Member] {
        (players[player]?.controllers ?? []).compactMap { peer in
            speakingSlot(of: peer).map { slot in
                Player.Member(
                    peer: peer, isLive: tracks[slot].silentAt > heardUntil, watermark: tracks[slot].watermark,
                    uncertaintyNanoseconds: tracks[slot].uncertaintyNanoseconds, refusedAt: tracks[slot].lane.refusedAt)
            }
        }
    }

    /// Where the gesture came from; `nil` for one that is long past.
    public func origin(of gesture: GestureID) -> GestureOrigin? { players[gesture.player]?.origin(of: gesture) }
}

/// Who was first.
extension Merge {
    mutating func decideContests() -> [Verdict] {
        var arbiter = arbiter
        let verdicts = arbiter.decide(at: heardUntil, among: drivenPlayers) { player, gesture in
            standing(of: player) { $0 == gesture }
        }
        self.arbiter = arbiter
        return verdicts
    }

    /// Until when everything is known that the player did: as far as for the last of its controllers that are heard.
    ///
    /// - Parameter gestures: which are waited for also while it is open whether a haptic made them.
    private func standing(
        of player: PlayerNumber, awaiting gestures: (GestureKind) -> Bool = { _ in false }
    ) -> PlayerKnowledge {
        var standing = PlayerKnowledge(isLive: false, watermark: .distantFuture, uncertaintyNanoseconds: nil)
        for member in members(of: player) where member.isLive {
            standing.isLive = true
            if let refused = member.refusedAt { standing.refusedAt = max(refused, standing.refusedAt ?? refused) }
            guard let known = standing.watermark else { continue }
            let watermark = member.watermark.map { min($0, knownUntil(of: member.peer, awaiting: gestures) ?? $0) }
            if watermark.map({ $0 < known }) ?? true { standing.watermark = watermark }
            if let uncertainty = member.uncertaintyNanoseconds {
                standing.uncertaintyNanoseconds = max(uncertainty, standing.uncertaintyNanoseconds ?? 0)
            }
        }
        if !standing.isLive { standing.watermark = nil }
        return standing
    }

    /// Until when everything is known that each player did, by player: what was found until then, ``advance(to:heardUntil:)``
    /// has returned.
    public var watermarks: [PlayerWatermark] {
        drivenPlayers.map { player in
            let standing = standing(of: player) { _ in true }
            return PlayerWatermark(
                player: player, isLive: standing.isLive, watermark: standing.watermark,
                uncertaintyNanoseconds: standing.uncertaintyNanoseconds, clock: leastClock(of: player))
        }
    }

    /// The state of the clock that is known worst among the player's controllers that are heard; `none` where none is.
    private func leastClock(of player: PlayerNumber) -> ClockMapping.State {
        let states = (players[player]?.controllers ?? []).compactMap { peer -> ClockMapping.State? in
            guard let slot = speakingSlot(of: peer), tracks[slot].silentAt > heardUntil else { return nil }
            return tracks[slot].clockState
        }
        return states.dropFirst().reduce(states.first ?? ClockMapping.State.none) { $0.joined($1) }
    }
}
