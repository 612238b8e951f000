public import WireProtocol

/// Continuous state: what games ask that steer.
extension Merge {
    /// How the player moves now, made of its controllers as ``MergeConfiguration/fusion`` declares; at once, whatever
    /// is still awaited. `nil` while nothing came.
    ///
    /// Each controller's motion is carried on from its newest sample by at most 50 ms. Ask as often as you like, for any
    /// moment: asking changes nothing.
    public func state(of player: PlayerNumber, at now: HostTime) -> PlayerMotion? {
        guard let row = players[player] else { return nil }
        let parts = row.movers(members(of: player)).compactMap { part(of: $0, at: now) }
        if !parts.isEmpty { return row.rule.motion.blended(parts) }
        // Nobody is heard, or nobody that could make gestures: the latest that is known.
        return motion(of: player, at: now).map { PlayerMotion($0, of: $0.sensor.peer) }
    }

    /// Whether somebody moves this controller: it turned by more than 0.2 rad/s, or was pushed by more than 0.1 g, at its
    /// newest sample of the last second. A hand that holds a phone does more; a phone that lies on a table does not.
    package func isMoved(peer: PeerIndex, at now: HostTime) -> Bool {
        slots(of: peer).contains { slot in
            guard now - tracks[slot].heardAt < .seconds(1), let motion = tracks[slot].newest else { return false }
            let (turn, push) = (motion.rotationRate, motion.userAcceleration)
            return (turn * turn).sum() > 0.04 || (push * push).sum() > 0.01
        }
    }

    private func part(of share: Votes.Share, at now: HostTime) -> MotionPart? {
        guard let slot = speakingSlot(of: share.peer), let (newest, steady) = tracks[slot].ahead else { return nil }
        return MotionPart(
            peer: share.peer, live: LiveMotion(newest, of: tracks[slot].key, at: now), steady: steady,
            weight: Double(share.weight), heardAt: tracks[slot].heardAt,
            patience: tracks[slot].usualPause + configuration.holdback + LiveMotion.longestExtrapolation)
    }
}
