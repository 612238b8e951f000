public import WireProtocol

/// Visitors who come one after another to the same controller, and do not know of each other.
extension Coordinator {
    /// The places of those who have a seat, the lowest first.
    public var seatedPeers: [PeerIndex] { peers.places() }

    /// Somebody plays on this controller at this moment: it moved, or made a gesture.
    public mutating func noteUse(of index: PeerIndex, at now: HostTime) {
        guard configuration.idleReset != nil else { return }
        let wasUntouched = peers.update(index) { peer in
            defer { peer.usedAt = now }
            return peer.usedAt == nil
        }
        // The time only ever moves on: a look that comes too early costs nothing.
        if wasUntouched == true { agenda.touch(index) }
    }

    /// Nobody has played here for the room's `idleReset`: whoever comes next begins as anybody does.
    ///
    /// A seat that is lost is released. One that is not keeps its link and its number; to games its player has left and
    /// another has joined, so that what they keep by player goes, too.
    mutating func clear(_ index: PeerIndex, at now: HostTime) {
        guard let peer = peers.peer(at: index) else { return }
        guard !peer.isLost else { return release(index, at: now) }
        let controller = peer.lease.controller
        actions.append(.unassign(index))
        occurred(peer.playerChange(.left), at: now)
        let own = peer.ownName ?? GeneratedName.of(controller, seat: peer.lease.seat)
        let name = PeerName.unique(own, among: peerNames(except: controller))
        peers.update(index) { peer in
            peer.lease.name = name
            peer.lease.color = SeatColor.of(seat: peer.lease.seat)
            peer.usedAt = nil
        }
        agenda.touch(index)
        if name != peer.lease.name, let conversation = peer.conversation {
            actions.append(.answer(conversation, .renamed(Renamed(name: name))))
        }
        actions.append(.forget(index, of: controller))
        guard let cleared = peers.peer(at: index) else { return }
        if cleared.lease.color != peer.lease.color { tellSeat(cleared.lease, to: index) }
        if !cleared.isLegacy { actions.append(.commit([.keep(cleared.lease)], thenAnswer: nil, nil)) }
        occurred(cleared.playerChange(.joined), at: now)
        actions.append(.assign(index, of: controller, to: [cleared.lease.player]))
    }
}
