public import WireProtocol

extension Coordinator {
    /// Takes a datagram that came to the port for frames without number and seal (`LegacyFrame`).
    ///
    /// Nothing is ever answered. A source without a seat asks by sending, whatever the room's policy, and the operator
    /// decides. Whoever can send from a seated source's address can speak for it: that is what the frame is.
    public mutating func receiveLegacy(
        _ datagram: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        sink: inout some MotionSink
    ) {
        guard let frame = try? LegacyFrame(reading: datagram) else {
            strangers.malformed += 1
            return
        }
        guard let index = peers.place(where: { $0.isLegacy(from: source) }) else {
            strangers.unknown += 1
            guard !isLocked, !isClosing, let asking = legacy.heard(from: source, at: arrivedAt) else { return }
            occurred(.asking(controller: asking.controller, name: asking.name), at: arrivedAt)
            return
        }
        let arrival = Arrival(at: arrivedAt, now: now)
        var due = Int64.max
        let reception = peers.update(index, with: &actions) { [times] peer, actions in
            let reception = peer.receive(frame, arrival, to: &actions, sink: &sink)
            due = peer.deadline(times)
            return reception
        }
        conclude(reception ?? .unknown, of: index, due: due, now: now)
    }

    /// A seat for a source that the operator accepted. No lease is kept on disk: an address proves nothing later.
    mutating func seat(_ source: LegacySources.Waiting, now: HostTime) {
        guard let seat = lowestFreeSeat else { return }
        let lease = makeLease(controller: source.controller, name: source.name, seat: seat, secretHash: [])
        let index = place(lease, now: now)
        peers.update(index) { $0.attachment = .legacy(Boxed(LegacyStream(address: source.address))) }
    }
}
