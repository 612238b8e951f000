public import WireProtocol

/// How one seat stands at one moment: what whoever follows the room from then on must know to make sense of what comes.
///
/// A recording that begins in the middle of an evening holds one for each seat. Accounts, what was acknowledged and the
/// clock go on from it exactly. What the room had learnt besides is not in it: budgets, losses by their length, quality,
/// messages and probes under way begin anew.
public struct Standing: Hashable, Sendable {
    /// How its datagrams come.
    public enum Way: Hashable, Sendable {
        /// Its controller has not come back yet.
        case awaited
        /// Numbered datagrams.
        case linked(StandingLink)
        /// Unsealed frames from this address.
        case legacy(PeerAddress)
    }

    /// The seat's place in the coordinator's table.
    public var peer: PeerIndex
    /// Whose seat it is.
    public var lease: Lease
    /// Whether its controller is heard.
    public var seat: SeatState
    /// When the seat was given; `nil` for one that the host kept over its own restart.
    public var admittedAt: HostTime?
    /// When an authenticated datagram last came.
    public var lastHeard: HostTime
    /// From when its lost seat goes to whoever waits for one; `nil`: not before the grace is over.
    public var yieldsAt: HostTime?
    /// When somebody last played on it; `nil` while nothing of anybody is left on it.
    public var usedAt: HostTime?
    /// How well it is heard, as last told.
    public var linkState: Occurrence.LinkChange.State
    /// Whether nothing has come since its program was told to begin anew.
    public var isUnheard: Bool
    /// What its own program calls it; `nil` for one that the host names.
    public var ownName: String?
    /// What its controller says that it sent, and whether that was with its goodbye.
    public var tally: SenderTally?
    /// See ``tally``.
    public var isTallyFinal: Bool
    /// Runs of its program under this lease.
    public var programs: Int
    /// Of the link epochs that have ended those on which nothing came before their controller asked again.
    public var unheardLinks: UInt64
    /// Of the link epochs that have ended.
    public var pastDatagrams: DatagramTotals
    /// Of the stream epochs that have ended.
    public var pastSamples: SampleTotals
    /// How its clock stands to the host's; `nil` while nothing is known.
    public var clock: ClockMapping?
    /// How its datagrams come.
    public var way: Way

    /// How a seat stands, as it was kept.
    public init(
        peer: PeerIndex, lease: Lease, seat: SeatState, admittedAt: HostTime?, lastHeard: HostTime,
        yieldsAt: HostTime? = nil, usedAt: HostTime? = nil, linkState: Occurrence.LinkChange.State = .good,
        isUnheard: Bool = false, ownName: String? = nil, tally: SenderTally? = nil, isTallyFinal: Bool = false,
        programs: Int, unheardLinks: UInt64 = 0, pastDatagrams: DatagramTotals, pastSamples: SampleTotals,
        clock: ClockMapping?, way: Way
    ) {
        self.peer = peer
        self.lease = lease
        self.seat = seat
        self.admittedAt = admittedAt
        self.lastHeard = lastHeard
        self.yieldsAt = yieldsAt
        self.usedAt = usedAt
        self.linkState = linkState
        self.isUnheard = isUnheard
        self.ownName = ownName
        self.tally = tally
        self.isTallyFinal = isTallyFinal
        self.programs = programs
        self.unheardLinks = unheardLinks
        self.pastDatagrams = pastDatagrams
        self.pastSamples = pastSamples
        self.clock = clock
        self.way = way
    }
}

/// A link as it stands at one moment, without its keys.
public struct StandingLink: Hashable, Sendable {
    /// Its id, which every datagram bears.
    public var connection: ConnectionID
    /// UDP, or a browser's connection.
    public var transport: Transport
    /// Its control connection, while there is one.
    public var conversation: ConversationID?
    /// Tells a return of the same program from its restart.
    public var process: String
    /// What the controller declared of its streams.
    public var declarations: [StreamDeclaration]
    /// Whether it plays haptics.
    public var hasHaptics: Bool
    /// What the application's own bytes were.
    public var context: [UInt8]
    /// While the controller pauses: the last number that it used before.
    public var pausedAfter: UInt32?
    /// The account of its datagrams.
    public var ledger: DatagramLedger
    /// Which of its last datagrams have arrived.
    public var window: ReplayWindow
    /// What was sent of each stream that has begun.
    public var streams: [StandingStream]

    /// A link as it was kept.
    public init(
        connection: ConnectionID, transport: Transport, conversation: ConversationID?, process: String,
        declarations: [StreamDeclaration], hasHaptics: Bool, context: [UInt8], pausedAfter: UInt32?,
        ledger: DatagramLedger, window: ReplayWindow, streams: [StandingStream]
    ) {
        self.connection = connection
        self.transport = transport
        self.conversation = conversation
        self.process = process
        self.declarations = declarations
        self.hasHaptics = hasHaptics
        self.context = context
        self.pausedAfter = pausedAfter
        self.ledger = ledger
        self.window = window
        self.streams = streams
    }
}

/// What is settled of one stream epoch at one moment.
public struct StandingStream: Hashable, Sendable {
    /// Which of the declared ones.
    public var stream: StreamID
    /// Counts the sensor's beginnings.
    public var epoch: UInt8
    /// The lowest index that is not settled.
    public var cumulative: UInt32
    /// Whether the indexes from ``cumulative`` on are settled, up to one past the highest that arrived.
    public var settled: [Bool]
    /// The account of its samples.
    public var ledger: SampleLedger

    /// A stream as it was kept.
    public init(stream: StreamID, epoch: UInt8, cumulative: UInt32, settled: [Bool], ledger: SampleLedger) {
        self.stream = stream
        self.epoch = epoch
        self.cumulative = cumulative
        self.settled = settled
        self.ledger = ledger
    }

    /// Whether its account tells of as many as are settled: anything else no room can have come to.
    var isSound: Bool {
        guard settled.count <= WireFormat.streamWindow, cumulative <= .max - UInt32(settled.count),
            [ledger.delivered, ledger.late, ledger.abandoned, ledger.redundant].allSatisfy({ $0 < AccountLimit.most })
        else { return false }
        let count = UInt64(cumulative) + UInt64(settled.count { $0 })
        return ledger.isBalanced && ledger.expected == UInt64(cumulative) + UInt64(settled.count)
            && ledger.expected - ledger.missing == count
    }
}

/// Somebody who wants a seat and has none, at one moment.
public struct WaitingStanding: Hashable, Sendable {
    /// What it waits for.
    public enum Wait: Hashable, Sendable {
        /// The operator, who is asked until then; the seat is the one whose colour it shows.
        case forOperator(until: HostTime, seat: Int?)
        /// A seat to fall free: when it was last heard, and the place in the queue that it was told last.
        case forSeat(lastHeard: HostTime, toldPlace: Int?)
    }

    /// As its controller asked.
    public var invitation: Invitation
    /// On which the answer is awaited; `nil` while it is not connected.
    public var conversation: ConversationID?
    /// How its motion would come.
    public var transport: Transport
    /// What the shell drew for it.
    public var material: LinkMaterial
    /// The other end of its connection.
    public var source: PeerAddress?
    /// When it asked, or came into the queue.
    public var since: HostTime
    /// What it waits for.
    public var wait: Wait
    /// What it is called, unlike everybody else here.
    public var name: String

    /// As it was kept.
    public init(
        invitation: Invitation, conversation: ConversationID?, transport: Transport, material: LinkMaterial,
        source: PeerAddress?, since: HostTime, wait: Wait, name: String
    ) {
        self.invitation = invitation
        self.conversation = conversation
        self.transport = transport
        self.material = material
        self.source = source
        self.since = since
        self.wait = wait
        self.name = name
    }
}

/// An invitation of the host's at one moment.
public struct OfferStanding: Hashable, Sendable {
    /// What was offered to whom.
    public var offer: Offer
    /// The seat that is kept for whoever brings the ticket.
    public var keptSeat: Int?
    /// Its outcome was told.
    public var isAnswered: Bool

    /// As it was kept.
    public init(offer: Offer, keptSeat: Int?, isAnswered: Bool) {
        self.offer = offer
        self.keptSeat = keptSeat
        self.isAnswered = isAnswered
    }
}

/// What a count can be that somebody else's file claims: five centuries of datagrams, of which a whole room's add up.
enum AccountLimit {
    static let most: UInt64 = 1 << 44
}

extension DatagramTotals {
    var isSound: Bool {
        [epochs, unique, duplicate, tooOld, reordered, missing, tailMissing, bytes, unreadable, rateLimited]
            .allSatisfy { $0 < AccountLimit.most }
    }
}

extension SampleTotals {
    var isSound: Bool {
        [epochs, delivered, late, beforeSeat, abandoned, missing, redundant].allSatisfy { $0 < AccountLimit.most }
    }
}

extension StandingLink {
    /// Whether account and window tell of the same datagrams, and every stream was declared.
    var isSound: Bool {
        guard ledger.isBalanced, ledger.highest == window.highest, ledger.missing >= UInt64(window.missing),
            [ledger.duplicate, ledger.tooOld, ledger.bytes, ledger.unreadable, ledger.rateLimited]
                .allSatisfy({ $0 < AccountLimit.most })
        else { return false }
        guard (1...WireFormat.mostStreams).contains(declarations.count), declarations.allSatisfy({ $0.problem == nil }),
            Set(declarations.map(\.stream)).count == declarations.count
        else { return false }
        return Set(streams.map(\.stream)).count == streams.count
            && streams.allSatisfy { stream in
                stream.isSound && declarations.contains { $0.stream == stream.stream }
            }
    }
}
