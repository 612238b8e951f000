import WireProtocol

/// Who sits where: a flat table, so that a datagram's connection id leads to its peer by one step.
///
/// An array of peers, not of optionals, and no type around it: an array lends its elements in place. Optionals are copied
/// out, some twenty arrays retained, for every question that is asked of one; and a type's own `_read` was miscompiled
/// (Swift 6.3.1, debug: a copied field came from memory that the coroutine had freed).
typealias PeerTable = [Peer]

extension PeerTable {
    /// Whether somebody sits at this place; the place may come from anywhere.
    func isSeated(_ index: PeerIndex) -> Bool { indices.contains(index) && self[index].isSeated }

    /// A copy of the peer at a place, if somebody sits there.
    func peer(at index: PeerIndex) -> Peer? { isSeated(index) ? self[index] : nil }

    /// The first place whose peer is meant.
    func place(where isMeant: (borrowing Peer) -> Bool) -> PeerIndex? {
        for index in indices where self[index].isSeated && isMeant(self[index]) { return index }
        return nil
    }

    /// Gives a peer the first free place.
    mutating func seat(_ peer: Peer) -> PeerIndex {
        for index in indices where !self[index].isSeated {
            self[index] = peer
            return index
        }
        append(peer)
        return endIndex - 1
    }

    /// Frees a place.
    mutating func vacate(_ index: PeerIndex) {
        if isSeated(index) { self[index] = .nobody }
    }
}
