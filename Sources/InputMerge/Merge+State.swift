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

    private func part(of share: Votes.Share, at now: HostTime) -> MotionPart? {
        guard let slot = slots(of: share.peer).first(where: { tracks[$0].isSpeaking }),
            let (newest, steady) = tracks[slot].ahead
        else { return nil }
        return MotionPart(
            peer: share.peer, live: LiveMotion(newest, of: tracks[slot].key, at: now), steady: steady,
            weight: Double(share.weight))
    }
}
