import WireProtocol

/// Who sits where: a flat table, so that a datagram's connection id leads to its peer by two steps.
///
/// Peers lie in one array without gaps. A peer is asked and changed where it lies, by ``read(_:_:)`` and
/// ``update(_:with:_:)``, and never copied unless ``peer(at:)`` says so. There is no subscript: a getter, an array's too,
/// copies some twenty arrays for a question, and a type's own `_read` was miscompiled (Swift 6.3.1, debug: a copied field
/// came from memory that the coroutine had freed). A buffer lends its elements.
struct PeerTable: Sendable {
    private enum Place: Sendable {
        case vacant
        /// Its peer lies there.
        case taken(slot: Int)
    }

    /// By ``PeerIndex``.
    private var places: [Place] = []
    /// In no order.
    private var peers: [Peer] = []

    /// All places, the vacant ones too.
    var indices: Range<PeerIndex> { places.indices }
    /// How many sit there.
    var count: Int { peers.count }

    private func slot(_ index: PeerIndex) -> Int? {
        guard places.indices.contains(index), case .taken(let slot) = places[index] else { return nil }
        return slot
    }

    /// Whether somebody sits at this place; the place may come from anywhere.
    func isSeated(_ index: PeerIndex) -> Bool { slot(index) != nil }

    /// Asks the peer at a place; `nil` when nobody sits there.
    func read<Answer>(_ index: PeerIndex, _ question: (borrowing Peer) -> Answer) -> Answer? {
        guard let slot = slot(index) else { return nil }
        return peers.withUnsafeBufferPointer { question($0[slot]) }
    }

    /// Changes the peer at a place; `nil` when nobody sits there.
    ///
    /// - Parameter context: what the change needs of the coordinator beside the table.
    @discardableResult
    mutating func update<Context, Result>(
        _ index: PeerIndex, with context: inout Context, _ change: (inout Peer, inout Context) -> Result
    ) -> Result? {
        guard let slot = slot(index) else { return nil }
        return change(&peers[slot], &context)
    }

    /// Changes the peer at a place; `nil` when nobody sits there.
    @discardableResult
    mutating func update<Result>(_ index: PeerIndex, _ change: (inout Peer) -> Result) -> Result? {
        guard let slot = slot(index) else { return nil }
        return change(&peers[slot])
    }

    /// What their next datagrams will need; of a place where nobody sits, nothing. Changes nothing: what is lent to be changed
    /// is not copied.
    mutating func prefetch(_ indices: [PeerIndex]) -> UInt {
        var prefetch = Prefetch()
        peers.withUnsafeBufferPointer { peers in
            guard let first = peers.baseAddress else { return }
            for index in indices { if let slot = slot(index) { prefetch.read(first + slot, size: Self.peerSize) } }
            for index in indices {
                guard let slot = slot(index) else { continue }
                let (link, stream) = Self.places(first[slot])
                if let link { prefetch.read(first: link, size: Self.linkSize) }
                if let stream { prefetch.read(first: stream) }
            }
        }
        return prefetch.sum
    }

    /// What every datagram needs of a peer, and of its link, lies before these.
    private static let peerSize = MemoryLayout<Peer>.offset(of: \.messages) ?? MemoryLayout<Peer>.size
    private static let linkSize = MemoryLayout<Link>.offset(of: \.conversation) ?? MemoryLayout<Link>.size

    /// What a peer's next datagram needs beside the peer itself. It only reads, as ``answers(_:)`` says why.
    private static func places(_ peer: borrowing Peer) -> (UnsafePointer<Link>?, UnsafePointer<StreamReceiver>?) {
        (peer.attachment.linkPlace, peer.motion.streams.withUnsafeBufferPointer { $0.isEmpty ? nil : $0.baseAddress })
    }

    /// A copy of the peer at a place, if somebody sits there.
    func peer(at index: PeerIndex) -> Peer? {
        guard let slot = slot(index) else { return nil }
        return peers[slot]
    }

    /// The first place whose peer is meant.
    func place(where isMeant: (borrowing Peer) -> Bool) -> PeerIndex? {
        peers.withUnsafeBufferPointer { peers in
            for case .taken(let slot) in places where isMeant(peers[slot]) { return peers[slot].index }
            return nil
        }
    }

    /// All places whose peers are meant, the lowest first.
    func places(where isMeant: (borrowing Peer) -> Bool = { _ in true }) -> [PeerIndex] {
        var found: [PeerIndex] = []
        peers.withUnsafeBufferPointer { peers in
            for index in places.indices {
                guard case .taken(let slot) = places[index], isMeant(peers[slot]) else { continue }
                found.append(index)
            }
        }
        return found
    }

    /// What everyone answers, by place. A question only reads: into a closure that writes beside, the optimiser copies each
    /// peer whole (Swift 6.3.1).
    func answers<Answer>(_ question: (borrowing Peer) -> Answer) -> [Answer] {
        var found: [Answer] = []
        found.reserveCapacity(peers.count)
        peers.withUnsafeBufferPointer { peers in
            for case .taken(let slot) in places { found.append(question(peers[slot])) }
        }
        return found
    }

    /// Gives a peer the first free place, which it is told.
    mutating func seat(_ makePeer: (PeerIndex) -> Peer) -> PeerIndex {
        let free = places.firstIndex { if case .vacant = $0 { true } else { false } } ?? places.endIndex
        if free == places.endIndex { places.append(.vacant) }
        places[free] = .taken(slot: peers.endIndex)
        peers.append(makePeer(free))
        return free
    }

    /// Puts a peer at its own place, which is vacant.
    mutating func seat(at index: PeerIndex, _ peer: Peer) {
        while places.endIndex <= index { places.append(.vacant) }
        places[index] = .taken(slot: peers.endIndex)
        peers.append(peer)
    }

    /// Frees a place, and hands out who sat there.
    mutating func vacate(_ index: PeerIndex) -> Peer? {
        guard let slot = slot(index), let last = peers.popLast() else { return nil }
        places[index] = .vacant
        guard slot < peers.endIndex else { return last }
        // The last one moves into the gap.
        let gone = peers[slot]
        peers[slot] = last
        places[last.index] = .taken(slot: slot)
        return gone
    }
}
