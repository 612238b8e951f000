public import WireProtocol

/// Several sensors of one person: who is there, which of them speaks, and what of them is pulled and pushed.
extension Merge {
    // MARK: Pull

    /// The player's motion now: the newest sample, carried on to `now`. `nil` while nothing came.
    ///
    /// Of a controller's sensors the one that speaks for it is shown, of several controllers the first that is heard, so
    /// that the attitude does not jump to and fro between them.
    public func motion(of player: PlayerNumber, at now: HostTime) -> LiveMotion? {
        guard let slot = shownSlot(of: player), let newest = tracks[slot].newest else { return nil }
        return LiveMotion(newest, of: tracks[slot].key, at: now)
    }

    func shownSlot(of player: PlayerNumber) -> Int? {
        var fallback: (slot: Int, occurredAt: HostTime)?
        for peer in players[player]?.controllers ?? [] {
            for slot in slots(of: peer) {
                guard let latest = tracks[slot].lane.newest ?? tracks[slot].newest else { continue }
                if tracks[slot].isSpeaking, tracks[slot].silentAt > heardUntil { return slot }
                if fallback.map({ latest.occurredAt > $0.occurredAt }) ?? true { fallback = (slot, latest.occurredAt) }
            }
        }
        return fallback?.slot
    }

    // MARK: Push

    /// From now on the sensor's motion is told by ``advance(to:heardUntil:)`` as ``MergeEvent/motions(_:)``, until its
    /// controller is gone. CoreMotion's batches are `.batches(every: .seconds(1))`.
    public mutating func deliver(_ delivery: MotionDelivery, of sensor: StreamKey) {
        guard let slot = slot(of: sensor) else { return }
        tracks[slot].outbox.set(delivery)
        hasGivers = true
    }

    /// After a stream was fed: whether it has motion to push, or something to tell of the water.
    mutating func noteGiver(at slot: Int) {
        if tracks[slot].outbox.ready > 0 { ready.add(tracks[slot].key) }
        if tracks[slot].water?.hasNews ?? false { wet.add(tracks[slot].key) }
    }

    /// Motion that is ready to be given since the last call.
    package mutating func takeBatches() -> [MotionBatch] {
        var batches: [MotionBatch] = []
        for key in ready.keys {
            guard let slot = slot(of: key), tracks[slot].outbox.ready > 0 else { continue }
            batches.append(tracks[slot].outbox.take(of: key))
        }
        ready.removeAll()
        return batches
    }

    /// Motion that was to be given until now, before the peer goes: its last batches as they are, and what waits for
    /// something missing.
    package mutating func takeLastBatches(of peer: PeerIndex) -> [MotionBatch] {
        for slot in slots(of: peer) {
            tracks[slot].close(into: &detections)
            tracks[slot].outbox.finish()
            noteGiver(at: slot)
        }
        return takeBatches()
    }

    // MARK: Who is there

    /// The controller's sensors as they stand, by number.
    public func sensors(of peer: PeerIndex) -> [SensorState] {
        slots(of: peer).map { slot in
            let (track, watch) = (tracks[slot], tracks[slot].lane.watch)
            return SensorState(
                stream: track.key.stream, location: track.lane.declaration.location, isPresent: track.isPresent,
                isSpeaking: track.isSpeaking, problems: watch.problems)
        }
    }

    /// After samples of the stream came: whether its sensor was there before, speaks, or sends what cannot be right.
    mutating func noteSensor(at slot: Int) {
        if !tracks[slot].isPresent {
            tracks[slot].isPresent = true
            note(.connected, of: slot)
            quietCheckAt = min(quietCheckAt, tracks[slot].silentAt)
        }
        if tracks[slot].canSpeak, !tracks[slot].isSpeaking { takeOverIfSilent(slot) }
        if tracks[slot].lane.watch.hasNews {
            for problem in tracks[slot].lane.watch.takeNews() { note(.problem(problem), of: slot) }
        }
    }

    /// Looks for sensors that fell silent, whom contests and gestures made together wait for no more; at most as often
    /// as one can.
    mutating func noteSilence() {
        guard heardUntil >= quietCheckAt else { return }
        quietCheckAt = .distantFuture
        for slot in tracks.indices {
            let silentAt = tracks[slot].silentAt
            if silentAt <= heardUntil {
                leave(slot)
            } else {
                quietCheckAt = min(quietCheckAt, silentAt)
            }
        }
        if !detections.isEmpty { settle() }
    }

    /// The sensor is not there any more.
    mutating func leave(_ slot: Int) {
        guard tracks[slot].isPresent else { return }
        tracks[slot].isPresent = false
        tracks[slot].letGo(into: &detections)
        tracks[slot].water?.loseSight(at: now)
        if hasGivers { noteGiver(at: slot) }
        note(.disconnected, of: slot)
    }

    /// The one that speaks for the controller: at most one does.
    func speakingSlot(of peer: PeerIndex) -> Int? { slots(of: peer).first { tracks[$0].isSpeaking } }

    /// The first that can; or the one that speaks, if samples come from it.
    mutating func chooseSpeaker(of peer: PeerIndex, keepsPresent: Bool) {
        let slots = slots(of: peer)
        let present = keepsPresent ? slots.first { tracks[$0].isSpeaking && tracks[$0].isPresent } : nil
        let able = slots.filter { tracks[$0].canSpeak }
        let speaker = present ?? able.first { tracks[$0].showsMotion } ?? able.first
        for slot in slots {
            if slot != speaker, tracks[slot].isSpeaking { tracks[slot].fallSilent(into: &detections) }
            if slot == speaker, !tracks[slot].isSpeaking { speak(slot) }
        }
        awaitKnocks(of: peer)
    }

    /// The sensor that speaks for the controller has not been heard for too long, but this one is.
    private mutating func takeOverIfSilent(_ slot: Int) {
        let speaker = speakingSlot(of: tracks[slot].key.peer)
        if let speaker {
            let isBetter = tracks[slot].showsMotion && !tracks[speaker].showsMotion
            // Behind this sample others may lie unread that arrived before now.
            guard isBetter || tracks[speaker].silentAt <= tracks[slot].heardAt else { return }
            tracks[speaker].fallSilent(into: &detections)
            settle()
        }
        speak(slot)
        awaitKnocks(of: tracks[slot].key.peer)
        note(.tookOver(from: speaker.map { tracks[$0].key.stream }), of: slot)
    }

    private mutating func note(_ change: SensorEvent.Change, of slot: Int) {
        let track = tracks[slot]
        guard admitsNotice(of: track.key.peer) else { return }
        notices.append(
            SensorEvent(
                sensor: track.key, location: track.lane.declaration.location, change: change, occurredAt: now))
    }
}
