public import WireProtocol

extension Coordinator {
    /// Takes a datagram from the network: opens it, then judges its number, then books it, and only then reads it.
    ///
    /// Whatever does not open under a seated peer's key is counted and forgotten: it is never answered and nothing is
    /// kept for it. Effects on seats and messages wait in ``takeActions()``; samples go straight to `sink`.
    ///
    /// - Parameters:
    ///   - datagram: the bytes as they came; opened in place.
    ///   - arrivedAt: when they reached the socket; may lie before the time of the last ``advance(to:heardUntil:sink:)``.
    ///   - now: when they are looked at.
    public mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        cipher: some DatagramCipher, sink: inout some MotionSink
    ) {
        receive(datagram, from: source, to: .unknown, arrivedAt: arrivedAt, now: now, cipher: cipher, sink: &sink)
    }

    /// The same, where it is known which of this machine's addresses it was sent to.
    package mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: PeerAddress, to own: OwnAddress, arrivedAt: HostTime,
        now: HostTime, cipher: some DatagramCipher, sink: inout some MotionSink
    ) {
        guard datagram.count <= WireFormat.maximumDatagramSize,
            datagram.count >= WireFormat.contentStart + sealTagLength,
            let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(datagram)), header.kind == .motion
        else {
            strangers.malformed += 1
            return
        }
        let index = Int(header.connection.index)
        let arrival = Arrival(at: arrivedAt, now: now)
        var due = Int64.max
        let reception = peers.update(index, with: &actions) { [times] peer, actions in
            let reception = peer.receive(
                datagram, header, from: source, to: own, arrival, cipher: cipher, to: &actions, sink: &sink)
            if case .taken = reception { due = peer.deadline(times) }
            return reception
        }
        if case .unknown = reception ?? .unknown,
            takeStraggler(header, arrival, sink: &sink, open: { $0.open(datagram, header, cipher: cipher) })
        {
            return
        }
        conclude(reception ?? .unknown, of: index, due: due, now: now)
    }

    /// Takes a browser's datagram, which came inside TLS and so bears no seal: it must come on the connection that its
    /// seat was given to.
    public mutating func receive(
        unsealed datagram: UnsafeRawBufferPointer, from conversation: ConversationID, arrivedAt: HostTime,
        now: HostTime, sink: inout some MotionSink
    ) {
        guard datagram.count <= WireFormat.maximumDatagramSize, datagram.count >= WireFormat.contentStart,
            let header = try? DatagramHeader(reading: datagram), header.kind == .browserMotion
        else {
            strangers.malformed += 1
            return
        }
        let index = Int(header.connection.index)
        let arrival = Arrival(at: arrivedAt, now: now)
        var due = Int64.max
        let reception = peers.update(index, with: &actions) { [times] peer, actions in
            let reception = peer.receive(
                unsealed: datagram, header, from: conversation, arrival, to: &actions, sink: &sink)
            if case .taken = reception { due = peer.deadline(times) }
            return reception
        }
        if case .unknown = reception ?? .unknown,
            takeStraggler(header, arrival, sink: &sink, open: { $0.open(unsealed: datagram, from: conversation) })
        {
            return
        }
        conclude(reception ?? .unknown, of: index, due: due, now: now)
    }

    /// What the next datagrams of these peers will need; see ``Prefetch``.
    package mutating func prefetch(_ peers: [PeerIndex]) -> UInt { self.peers.prefetch(peers) }

    /// Acts on what a datagram came to, beyond what its peer keeps itself.
    ///
    /// - Parameter due: when the peer is to be looked at, as it stands after that.
    mutating func conclude(_ reception: Reception, of index: PeerIndex, due: Int64, now: HostTime) {
        switch reception {
        case .unknown: strangers.unknown += 1
        case .forged: strangers.badAuth += 1
        case .repeated: repeats &+= 1
        case .taken(let consequence):
            agenda.note(due, of: index)
            if consequence.hasCome, let controller = peers.read(index, { $0.lease.controller }) {
                useUpTicket(of: controller)
            }
            if let farewell = consequence.farewell { leave(index, farewell.reason, at: farewell.at, seenAt: now) }
            if consequence.isTooFast { throwOut(index, at: now) }
        }
    }
}
