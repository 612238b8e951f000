import SessionCoordinator
public import WireProtocol

/// What arrives.
extension Engine {
    /// Takes a sealed datagram; see `Coordinator/receive(_:from:arrivedAt:now:cipher:sink:)`.
    public mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        cipher: some DatagramCipher
    ) {
        receive(datagram, from: source, to: .unknown, arrivedAt: arrivedAt, now: now, cipher: cipher)
    }

    /// The same, where it is known which of this machine's addresses it was sent to.
    package mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: PeerAddress, to own: OwnAddress, arrivedAt: HostTime,
        now: HostTime, cipher: some DatagramCipher
    ) {
        coordinator.receive(
            datagram, from: source, to: own, arrivedAt: arrivedAt, now: now, cipher: cipher, sink: &sink)
        noteArrival()
    }

    /// Takes an unsealed frame of the paper's format.
    public mutating func receiveLegacy(
        _ frame: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime
    ) {
        coordinator.receiveLegacy(frame, from: source, arrivedAt: arrivedAt, now: now, sink: &sink)
        noteArrival()
    }

    /// Takes a browser's datagram, which came inside TLS on this connection.
    public mutating func receive(
        unsealed datagram: UnsafeRawBufferPointer, from conversation: ConversationID, arrivedAt: HostTime, now: HostTime
    ) {
        coordinator.receive(unsealed: datagram, from: conversation, arrivedAt: arrivedAt, now: now, sink: &sink)
        noteArrival()
    }

    /// Reads beforehand what the next datagrams of these peers will need: among thousands, each finds its own out of the
    /// processor's cache. Changes nothing; a place where nobody sits is passed over.
    package mutating func prefetch(_ peers: [PeerIndex]) -> UInt { coordinator.prefetch(peers) &+ sink.prefetch(peers) }

    /// Whether what came in since the last ``advance(to:heardUntil:)`` was work enough for one turn.
    ///
    /// Whoever hands in many datagrams asks after each, and lets time pass before the next: so nobody's feedback, haptic or
    /// deadline waits for more than one turn's work, whatever somebody sends. Nothing is lost or overtaken by it: what is
    /// left waits where it lies.
    public var isTurnOver: Bool { sink.work.isTurnOver }

    /// What was done since the room was made, in units of about a quarter of a microsecond.
    package var workDone: UInt64 { sink.work.done }

    /// Takes any input. What came from the network has quicker ways above, without a copy.
    public mutating func handle(_ input: RoomInput, at now: HostTime, cipher: some DatagramCipher) {
        switch input {
        case .datagram(var bytes, let source, let arrivedAt):
            return bytes.withUnsafeMutableBytes {
                receive($0, from: source, arrivedAt: arrivedAt, now: now, cipher: cipher)
            }
        case .legacyFrame(let bytes, let source, let arrivedAt):
            return bytes.withUnsafeBytes { receiveLegacy($0, from: source, arrivedAt: arrivedAt, now: now) }
        case .browserDatagram(let bytes, let conversation, let arrivedAt):
            return bytes.withUnsafeBytes { receive(unsealed: $0, from: conversation, arrivedAt: arrivedAt, now: now) }
        case .invite(let invitation, let conversation, let transport, let material, let source):
            perform(
                coordinator.invite(
                    invitation, from: conversation, over: transport, at: source, material: material, now: now),
                now: now)
        case .sensor(let report, let conversation):
            if let peer = coordinator.learn(report, from: conversation) { noteBattery(of: peer, now: now) }
        case .status(let status, let conversation): coordinator.learn(lastSent: status.lastSent, from: conversation)
        case .goodbye(let farewell, let conversation):
            perform(coordinator.goodbye(farewell, from: conversation, now: now), now: now)
        case .disconnected(let conversation): perform(coordinator.disconnected(conversation, now: now), now: now)
        // What the merge knows, it may not have told yet.
        case .command(.watermarks, let request): watermarksAsked.append(request)
        case .command(let command, let request): outputs.append(.answer(request, carryOut(command, now: now)))
        case .motionIsWanted(let isWanted): motionIsWanted = isWanted
        case .listenerIsGone(let listener): endDelivery(to: listener)
        case .strangers(let counts):
            coordinator.note(counts)
            return noteArrival()
        case .advance:
            advance(to: now)
            return
        case .close(let backIn):
            keepAirtimes()
            perform(coordinator.close(backIn: backIn, now: now), now: now)
            keepDeparted()
        }
        isUrgent = true
    }
}
