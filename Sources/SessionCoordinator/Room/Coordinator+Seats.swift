public import WireProtocol

extension Coordinator {
    /// Gives a peer another seat; whoever sits there takes the peer's. Players, colours and controllers follow at once,
    /// and each controller is told by a reliable message.
    ///
    /// Games hear of it as what it is to them: players who leave, and players who join.
    ///
    /// - Parameter seat: 1 to the room's number of seats; otherwise the move is refused.
    public mutating func move(_ index: PeerIndex, to seat: Int, now: HostTime) -> Result<[Action], OperatorError> {
        guard (1...configuration.seats).contains(seat) else {
            return .failure(.noSuchSeat(seat, of: configuration.seats))
        }
        guard let freed = peers.read(index, { $0.lease.seat }), freed != seat else { return .success([]) }
        let other = place(ofSeat: seat)
        let player = configuration.player(ofSeat:)
        let moves = [(index, seat)] + (other.map { [($0, freed)] } ?? [])
        // What anybody had begun ends before a number is another's.
        for (peer, _) in moves { actions.append(.unassign(peer)) }
        for (peer, _) in moves {
            peers.update(peer, with: &actions) { $1.append(.occurred($0.playerChange(.left), at: now)) }
        }
        for (peer, seat) in moves {
            peers.update(peer) { peer in
                peer.lease.seat = seat
                peer.lease.player = player(seat)
                peer.lease.color = SeatColor.of(seat: seat)
            }
        }
        if other == nil { movePromise(from: seat, to: freed) }
        // In one step: two leases never have one seat, not even between two writes to the disk.
        let kept = moves.compactMap { peers.peer(at: $0.0) }.filter { !$0.isLegacy }.map { LeaseChange.keep($0.lease) }
        if !kept.isEmpty { actions.append(.commit(kept, thenAnswer: nil, nil)) }
        for (peer, _) in moves { settle(peer, at: now) }
        return .success(takeActions())
    }

    /// Tells everyone who must know of a peer's new place.
    private mutating func settle(_ index: PeerIndex, at now: HostTime) {
        guard let peer = peers.peer(at: index) else { return }
        actions.append(.assign(index, of: peer.lease.controller, to: [peer.lease.player]))
        tellSeat(peer.lease, to: index)
        occurred(peer.playerChange(.joined), at: now)
        if peer.isLost { occurred(peer.playerChange(.lost), at: now) }
    }

    /// Tells a controller its seat, player and colour.
    mutating func tellSeat(_ lease: Lease, to index: PeerIndex) {
        send(.seat(.init(seat: UInt16(lease.seat), player: UInt16(lease.player), color: lease.color)), to: index)
    }
}
