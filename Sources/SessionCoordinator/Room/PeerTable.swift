import WireProtocol

/// Who sits where: a flat table, so that a datagram's connection id leads to its peer by one step.
///
/// Peers are read and changed in place. (A table of optionals would be copied out, some twenty arrays retained, for
/// every question that is asked of one.)
struct PeerTable: Sendable {
    private var peers: [Peer] = []
    private var isTaken: [Bool] = []
    /// How many sit here.
    private(set) var seated = 0

    /// All places, taken or not.
    var indices: Range<PeerIndex> { peers.indices }

    /// Whether somebody sits at this place; the place may come from anywhere.
    func isSeated(_ index: PeerIndex) -> Bool { index >= 0 && index < isTaken.count && isTaken[index] }

    /// The peer at a place that is taken.
    subscript(index: PeerIndex) -> Peer {
        _read {
            precondition(isTaken[index], "nobody sits there")
            yield peers[index]
        }
        _modify {
            precondition(isTaken[index], "nobody sits there")
            yield &peers[index]
        }
    }

    /// A copy of the peer at a place, if somebody sits there.
    func peer(at index: PeerIndex) -> Peer? { isSeated(index) ? peers[index] : nil }

    /// The first place whose peer is meant.
    func first(where isMeant: (borrowing Peer) -> Bool) -> PeerIndex? {
        for index in peers.indices where isTaken[index] && isMeant(peers[index]) { return index }
        return nil
    }

    /// Gives a peer the first free place.
    mutating func seat(_ peer: Peer) -> PeerIndex {
        seated += 1
        guard let free = isTaken.firstIndex(of: false) else {
            peers.append(peer)
            isTaken.append(true)
            return peers.endIndex - 1
        }
        peers[free] = peer
        isTaken[free] = true
        return free
    }

    /// Frees a place.
    mutating func vacate(_ index: PeerIndex) {
        guard isSeated(index) else { return }
        peers[index] = .nobody
        isTaken[index] = false
        seated -= 1
    }
}
