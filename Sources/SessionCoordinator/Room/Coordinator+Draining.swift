import WireProtocol

/// Links that have ended, and what still comes on them.
extension Coordinator {
    /// From now on, and for a while, stragglers of this link are booked where they belong.
    mutating func drain(_ owner: DrainingLink.Owner, _ connection: ConnectionID, at now: HostTime) {
        draining.add(
            DrainingLink(owner: owner, connection: connection, until: now + RoomTimer.drainTime),
            atMost: DrainingLinks.beside + configuration.seats)
    }

    mutating func expireDraining(now: HostTime) { draining.expire(now: now) }

    /// Books a datagram that is no living link's, if it is one of a link that drains.
    ///
    /// - Parameter open: its content, if it is really that link's.
    /// - Returns: whether it was.
    mutating func takeStraggler(
        _ header: DatagramHeader, _ arrival: Arrival, sink: inout some MotionSink,
        open: (Link) -> UnsafeRawBufferPointer?
    ) -> Bool {
        guard let drained = draining[header.connection], arrival.now < drained.until else { return false }
        switch drained.owner {
        case .gone(var peer):
            guard let content = peer.link.flatMap(open) else { return false }
            var nowhere = AfterwardsSink()
            peer.takeStraggler(content, header.number, arrival, sink: &nowhere)
            draining.update(header.connection, .gone(peer))
            correct(peer, now: arrival.now)
        case .replaced(var link, let stay, let index, let run):
            guard let content = open(link) else { return false }
            func book(_ peer: inout Peer, _ sink: inout some MotionSink) {
                let (before, goesOn) = (link.ledger, peer.programs == run)
                peer.book(content, header.number, on: &link, arrival, readsSamples: goesOn, sink: &sink)
                peer.correct(before, to: link.ledger, wasUnheard: run == nil)
            }
            if peers.read(index, { $0.stay == stay }) == true {
                agenda.touch(index)
                peers.update(index) { book(&$0, &sink) }
            } else if let gone = draining.connection(ofGone: stay), case .gone(var peer)? = draining[gone]?.owner {
                var nowhere = AfterwardsSink()
                book(&peer, &nowhere)
                draining.update(gone, .gone(peer))
                correct(peer, now: arrival.now)
            } else {
                return false
            }
            draining.update(header.connection, .replaced(link, of: stay, at: index, run: run))
        }
        return true
    }

    /// How somebody stands now who has left; whoever sat when the room closed keeps the word for it.
    private mutating func correct(_ peer: Peer, now: HostTime) {
        corrections.append(makeReport(of: peer, seat: isClosing ? peer.seat.stage : .released, now: now))
    }
}

extension Peer {
    /// A datagram came on this peer's last link, though the peer has left.
    mutating func takeStraggler(
        _ content: UnsafeRawBufferPointer, _ number: UInt32, _ arrival: Arrival, sink: inout some MotionSink
    ) {
        guard var link = attachment.takeLink() else { return }
        link.update { book(content, number, on: &$0, arrival, readsSamples: true, sink: &sink) }
        attachment = .linked(consume link)
    }

    /// Books a straggler, and reads of it what belongs into accounts: samples, and the sender's word.
    mutating func book(
        _ content: UnsafeRawBufferPointer, _ number: UInt32, on link: inout Link, _ arrival: Arrival,
        readsSamples: Bool, sink: inout some MotionSink
    ) {
        let envelope = DatagramHeader.size + (link.transport.isReliable ? 0 : sealTagLength)
        let verdict = link.book(number, bytes: content.count + envelope, arrivedAt: arrival.at)
        guard verdict == .newest || verdict == .reordered else { return }
        guard let payload = try? Payload(reading: content) else { return link.ledger.bookUnreadable() }
        guard link.budget.admit(payload.counts, at: arrival.at.nanoseconds) else {
            return link.ledger.bookRateLimited()
        }
        for block in payload.blocks {
            switch block {
            case .stream(let block) where readsSamples && link.budget.admitBlock(at: arrival.at.nanoseconds):
                _ = motion.take(
                    block, of: index, admittedAt: admittedAt, on: &link, arrivedAt: arrival.at, now: arrival.now,
                    sink: &sink)
            case .goodbye(_, let lastSent): link.ledger.learn(lastSent: lastSent)
            case .tally(let tally) where readsSamples: learn(tally, isFinal: payload.endsForGood)
            case .stream, .tally, .acknowledgement, .probe, .probeAnswer, .message, .receipt, .data, .account: break
            }
        }
    }
}
