public import WireProtocol

/// Everything that is known of one peer at one moment.
public struct PeerReport: Hashable, Sendable {
    /// The seat's place in the coordinator's table; given to others later.
    public var peer: PeerIndex
    /// The controller's stable identity.
    public var controller: ControllerID
    /// The name under which it is shown; unlike any other in the room.
    public var name: String
    /// From 1.
    public var seat: Int
    /// Whom it drives, from 1.
    public var player: PlayerNumber
    /// 0xRRGGBB.
    public var color: UInt32
    /// How far its seat has come.
    public var seatState: SeatStage
    /// How its datagrams come.
    public var transport: Transport
    /// Where its newest datagram came from; `nil` before the first, and always for browsers, whose way is their
    /// connection.
    public var address: PeerAddress?
    /// Whether a probe was answered from there, so that any amount may be sent (RFC 9000, 9.3).
    public var isPathValidated: Bool
    /// How often it moved to another address in this link epoch.
    public var pathChanges: UInt64
    /// The present or last link epoch's id; `nil` before the first joining since the host started, and for unsealed
    /// frames.
    public var connection: ConnectionID?
    /// All link epochs of this lease together.
    public var datagrams: DatagramTotals
    /// The present or last link epoch alone.
    public var epoch: DatagramLedger
    /// The highest number that the sender says it used in it.
    public var lastSent: UInt32? { epoch.lastSent }
    /// All stream epochs together.
    public var samples: SampleTotals
    /// Of the last minute, but for what it held back while nobody heard it.
    public var recentSamples: RecentSamples
    /// RFC 3550, nanoseconds.
    public var jitter: Int64
    /// Of the last probe, nanoseconds.
    public var roundTrip: Int64?
    /// Of the last datagram, nanoseconds.
    public var queueing: Int64
    /// How its clock stands to the host's; `nil` before the first probe's answer.
    public var clock: ClockMapping?
    /// 0 to 1 over the last complete 5 s.
    public var quality: Double?
    /// How well it is heard, as last told; silent before its first datagram, of which nothing is told.
    public var link: Occurrence.LinkChange.State
    /// How long nothing was heard, nanoseconds.
    public var silentFor: Int64
    /// Datagrams that the host sent it in this link epoch.
    public var feedbackSent: UInt64
    /// Bytes of these, UDP payload only.
    public var feedbackBytes: UInt64
    /// Reliable messages to it without a receipt, at most 256.
    public var messagesWaiting: Int
    /// What its controller says that it sent; compare it by ``agreement``.
    public var word: SenderWord
    /// Runs of its program under this lease, one that declares other streams being another: the word is the last one's.
    public var programs: Int
    /// Of the link epochs those on which nothing came before their controller asked again: it may never have heard of
    /// them.
    public var unheardLinks: UInt64
    /// What a browser last said of its own sensor.
    public var sensor: SensorReport?
}

extension Coordinator {
    /// What is known of everyone who holds a seat, by seat.
    public func reports(now: HostTime) -> [PeerReport] {
        peers.indices.compactMap { report(of: $0, now: now) }.sorted { $0.seat < $1.seat }
    }

    /// What is known of one peer.
    public func report(of index: PeerIndex, now: HostTime) -> PeerReport? {
        peers.read(index) { makeReport(of: $0, seat: $0.seat.stage, now: now) }
    }

    /// Since when a peer's datagrams are stamped by the clock that it has now; `nil` where nobody sits.
    package func clockBegan(of index: PeerIndex) -> HostTime? {
        peers.read(index) { $0.isLegacy ? $0.legacy?.begunAt : $0.motion.clock.begunAt } ?? nil
    }

    /// How a peer's clock stands to the host's; `nil` before the first probe's answer, and where nobody sits.
    package func clock(of index: PeerIndex, now: HostTime) -> ClockMapping? {
        peers.read(index) { $0.clock(at: now) } ?? nil
    }

    func makeReport(of peer: borrowing Peer, seat: SeatStage, now: HostTime) -> PeerReport {
        let (link, legacy, totals) = (peer.link, peer.legacy, peer.datagramTotals)
        // Of a seat that was just given, or kept over the host's restart, no link is known to be any good.
        let hasCome = totals.authenticated > 0
        return PeerReport(
            peer: peer.index, controller: peer.lease.controller, name: peer.lease.name, seat: peer.lease.seat,
            player: peer.lease.player, color: peer.lease.color, seatState: seat,
            transport: peer.transport, address: link?.path.address ?? legacy?.address,
            isPathValidated: link?.path.isValidated ?? false, pathChanges: link?.path.changes ?? 0,
            connection: link?.connection, datagrams: totals,
            epoch: link?.ledger ?? DatagramLedger(), samples: peer.motion.totals,
            recentSamples: peer.minute.recentSamples,
            jitter: (link?.jitter ?? legacy?.jitter)?.nanoseconds ?? 0, roundTrip: peer.motion.clock.roundTrip,
            queueing: link?.queueing ?? legacy?.queueing ?? 0,
            clock: peer.clock(at: now), quality: link?.quality.quality, link: hasCome ? peer.linkState : .silent,
            silentFor: max(0, now.nanoseconds - peer.lastHeard),
            feedbackSent: link?.feedbackSent ?? 0, feedbackBytes: link?.feedbackBytes ?? 0,
            messagesWaiting: peer.messages.outbox.count, word: peer.word, programs: peer.programs,
            unheardLinks: peer.unheardLinks, sensor: peer.sensor)
    }
}

extension Peer {
    fileprivate func clock(at now: HostTime) -> ClockMapping? {
        isLegacy || motion.isClockTold ? motion.mapping : motion.clock.mapping(now: now)
    }
}
