import WireProtocol

/// A haptic that was commanded.
struct HapticOut: Sendable {
    let id: UInt32
    /// When it first left the host.
    var sentAt: HostTime?
}

/// A controller as the host sees it, for as long as it holds a seat.
struct Peer: Sendable {
    /// False where nobody sits: then all else means nothing.
    private(set) var isSeated = true
    var lease: Lease
    var seat: SeatState
    /// When it was given its seat; `nil` for one that the host kept over its own restart. What was sampled before is
    /// none of the room's business.
    let admittedAt: HostTime?
    /// Tells a return of the same program from its restart; `nil` when the host restarted since.
    var process: String?
    var hasHaptics = false
    var context: [UInt8] = []
    /// What a browser last said of its own sensor.
    var sensor: SensorReport?
    var conversation: ConversationID?
    var link: Link?
    /// Of the last link, for when there is none.
    private var lastTransport = Transport.udp
    /// For a source of unsealed frames, in place of a link.
    var legacy: LegacyStream?
    /// When an authenticated datagram last came, in nanoseconds.
    var lastHeard: Int64
    /// When time was last let pass for this peer, in nanoseconds.
    var visitedAt: Int64
    var linkState: Occurrence.LinkChange.State = .good
    /// While the controller pauses: the last number that it used before, so that copies of its goodbye do not wake it.
    var pausedAfter: UInt32?

    var streams: [StreamReceiver] = []
    var declarations: [StreamDeclaration] = []
    var clock = ClockEstimator()
    /// The mapping that the merge was told last.
    var mapping: ClockMapping?
    var outbox = ReliableOutbox()
    var inbox = ReliableInbox()
    var newestData: [(channel: UInt8, sequence: UInt32)] = []
    var outgoingSequence: UInt32 = 0
    var outgoingData: (sequence: UInt32, channel: UInt8, body: [UInt8])?
    /// Haptics that were commanded and have no receipt yet.
    var hapticsOut: [HapticOut] = []

    var minute = MinuteHistory()
    /// Books of the link epochs and stream epochs that have ended.
    var pastDatagrams = DatagramTotals()
    var pastSamples = SampleTotals()

    init(lease: Lease, seat: SeatState, now: HostTime) {
        self.lease = lease
        self.seat = seat
        if case .reserved = seat { admittedAt = now } else { admittedAt = nil }
        lastHeard = now.nanoseconds
        visitedAt = now.nanoseconds
    }

    /// Stands where nobody sits.
    static let nobody: Peer = {
        let id = ControllerID(high: 0, low: 0)
        var peer = Peer(
            lease: Lease(controller: id, seat: 0, player: 0, name: "", color: 0, secretHash: []), seat: .active,
            now: HostTime(nanoseconds: 0))
        peer.isSeated = false
        return peer
    }()

    /// Ends the link epoch and adds its books to the past ones. Returns what was said on it last.
    mutating func closeLink() {
        if let link {
            pastDatagrams.add(link.ledger)
            lastTransport = link.transport
        }
        link = nil
    }

    /// Ends all stream epochs and adds their books to the past ones.
    mutating func closeStreams() {
        for stream in streams { pastSamples.add(stream.ledger) }
        streams = []
    }

    var datagramTotals: DatagramTotals {
        var totals = pastDatagrams
        if let link { totals.add(link.ledger) }
        if let legacy { totals.add(legacy) }
        return totals
    }

    var sampleTotals: SampleTotals {
        var totals = pastSamples
        for stream in streams { totals.add(stream.ledger) }
        return totals
    }

    var transport: Transport { legacy == nil ? link?.transport ?? lastTransport : .legacy }

    /// When feedback was sent last and whether the next is wanted soon; `nil` when it cannot be sent now.
    func feedbackStanding(atLeast bytes: Int) -> (last: Int64?, wantsPrompt: Bool)? {
        guard let link, link.transport.isReliable ? conversation != nil : link.address != nil && link.allowance >= bytes
        else { return nil }
        return (link.feedbackSentAt, link.wantsPromptFeedback)
    }

    /// Where its feedback goes; `nil` while nobody knows.
    var feedbackDestination: FeedbackDestination? {
        guard let link else { return nil }
        if link.transport.isReliable { return conversation.map { .conversation($0) } }
        return link.address.map { .address($0) }
    }

    var hasHoles: Bool { streams.contains { $0.hasHoles } }

    func playerChange(_ state: Occurrence.PlayerChange.State, peer: PeerIndex) -> Occurrence {
        .player(.init(state: state, player: lease.player, peer: peer, name: lease.name, color: lease.color))
    }

    func linkChange(
        _ state: Occurrence.LinkChange.State, delay: Int64?, stream: StreamID?, peer: PeerIndex
    ) -> Occurrence {
        .link(
            .init(
                state: state, player: lease.player, peer: peer, stream: stream, transport: transport, delay: delay,
                samplesMissing: transport.numbersSamples ? sampleTotals.missing : nil,
                datagramsMissing: transport.countsLosses
                    ? (link?.ledger.missing ?? 0) + (link?.ledger.tailMissing ?? 0) : nil))
    }
}
