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
        programs: Int, pastDatagrams: DatagramTotals, pastSamples: SampleTotals, clock: ClockMapping?, way: Way
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
        guard (1...8).contains(declarations.count), declarations.allSatisfy({ $0.problem == nil }),
            Set(declarations.map(\.stream)).count == declarations.count
        else { return false }
        return Set(streams.map(\.stream)).count == streams.count
            && streams.allSatisfy { stream in
                stream.isSound && declarations.contains { $0.stream == stream.stream }
            }
    }
}

extension Coordinator {
    /// How every seat stands, by place.
    public var standings: [Standing] {
        peers.answers { $0.standing }
    }

    /// Those who want a seat and have none: for the operator, then for a seat, each in their order.
    public var waiting: [WaitingStanding] {
        asking.map { entry in
            WaitingStanding(
                invitation: entry.invitation.asAsked, conversation: entry.conversation,
                transport: entry.invitation.transport, material: entry.material, source: entry.invitation.source,
                since: entry.since, until: entry.deadline, name: entry.name, seat: entry.seat, isQueued: false)
        }
            + queue.map { entry in
                WaitingStanding(
                    invitation: entry.invitation.asAsked, conversation: entry.conversation,
                    transport: entry.invitation.transport, material: entry.material, source: entry.invitation.source,
                    since: entry.since, until: entry.lastHeard, name: entry.name, seat: entry.toldPlace, isQueued: true)
            }
    }

    /// The host's own invitations that are open, oldest first.
    public var offered: [OfferStanding] {
        offers.map { OfferStanding(offer: $0.offer, keptSeat: $0.keptSeat, isAnswered: $0.isAnswered) }
    }

    /// Lets somebody wait on, as it waited.
    public mutating func stand(_ standing: WaitingStanding) {
        guard case .success(var invitation) = Self.check(standing.invitation, over: standing.transport) else { return }
        invitation.source = standing.source
        if standing.isQueued, queue.count < Self.mostQueued {
            queue.append(
                Queued(
                    conversation: standing.conversation, invitation: invitation, material: standing.material,
                    since: standing.since, lastHeard: standing.until, name: standing.name, toldPlace: standing.seat))
        } else if !standing.isQueued, asking.count < Self.mostAsking, let conversation = standing.conversation {
            asking.append(
                Asking(
                    conversation: conversation, invitation: invitation, material: standing.material,
                    since: standing.since, deadline: standing.until, name: standing.name,
                    seat: standing.seat.flatMap { (1...configuration.seats).contains($0) ? $0 : nil }))
        }
    }

    /// Takes an invitation of the host's over as it stood.
    public mutating func stand(_ standing: OfferStanding) {
        let kept = standing.keptSeat
        guard offers.count < Self.mostOffers, kept.map((1...configuration.seats).contains) ?? true else { return }
        offers.append(StandingOffer(offer: standing.offer, keptSeat: kept, isAnswered: standing.isAnswered))
    }

    /// By place: the generation that a link had there last.
    public var linkGenerations: [UInt16] { generations }

    /// Whom the operator keeps out until he opens the room anew.
    public var bannedControllers: [ControllerID] { banned }

    /// Takes a seat over as it stood, before anything else of it comes; then its streams are to be begun by
    /// ``resume(_:now:sink:)``.
    ///
    /// - Returns: false for a standing that no room can have come to, and for a place that is taken.
    public mutating func stand(_ standing: Standing, now: HostTime) -> Bool {
        let seats = configuration.seats
        guard (0..<seats).contains(standing.peer), (1...seats).contains(standing.lease.seat),
            !peers.isSeated(standing.peer), place(ofSeat: standing.lease.seat) == nil,
            place(of: standing.lease.controller) == nil,
            standing.pastDatagrams.isSound, standing.pastSamples.isSound, (1...1 << 30).contains(standing.programs)
        else { return false }
        if case .linked(let link) = standing.way {
            guard link.isSound, Int(link.connection.index) == standing.peer, link.transport != .legacy else {
                return false
            }
        }
        stays += 1
        peers.seat(at: standing.peer, Peer(standing, stay: stays, now: now))
        while generations.count <= standing.peer { generations.append(0) }
        generations[standing.peer] = standing.lease.generation
        agenda.touch(standing.peer)
        actions.append(
            .assign(standing.peer, of: standing.lease.controller, to: [standing.lease.player]))
        return true
    }

    /// Begins the streams of a seat that was taken over, each from where it stood.
    public mutating func resume(_ standing: Standing, now: HostTime, sink: inout some MotionSink) {
        peers.update(standing.peer) { $0.motion.resume(standing, now: now, sink: &sink) }
    }

    /// Takes over how a peer's clock stands, and asks it no more itself.
    public mutating func believe(_ mapping: ClockMapping, of peer: PeerIndex, sink: inout some MotionSink) {
        peers.update(peer) { $0.motion.believe(mapping, of: peer, sink: &sink) }
    }

    /// Takes over whether the room is locked, whom its operator keeps out, and which links there were.
    public mutating func stand(isLocked: Bool, banned: [ControllerID], generations: [UInt16]) {
        self.isLocked = isLocked
        self.banned = Array(banned.prefix(Self.mostBanned))
        let known = self.generations.count
        for (place, generation) in generations.prefix(configuration.seats).enumerated() {
            if place < known { self.generations[place] = generation } else { self.generations.append(generation) }
        }
    }
}

/// Somebody who wants a seat and has none, at one moment.
public struct WaitingStanding: Hashable, Sendable {
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
    /// Until when the operator is asked; of one in the queue, when it was last heard.
    public var until: HostTime
    /// What it is called, unlike everybody else here.
    public var name: String
    /// The seat whose colour it shows while it asks; of one in the queue, the place that it was told last.
    public var seat: Int?
    /// Whether it waits for a seat, and not for the operator.
    public var isQueued: Bool

    /// As it was kept.
    public init(
        invitation: Invitation, conversation: ConversationID?, transport: Transport, material: LinkMaterial,
        source: PeerAddress?, since: HostTime, until: HostTime, name: String, seat: Int?, isQueued: Bool
    ) {
        self.invitation = invitation
        self.conversation = conversation
        self.transport = transport
        self.material = material
        self.source = source
        self.since = since
        self.until = until
        self.name = name
        self.seat = seat
        self.isQueued = isQueued
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

extension AdmittedInvitation {
    /// Its controller would ask like this again.
    fileprivate var asAsked: Invitation {
        var invitation = Invitation(
            v: ControlMessage.version, controller: controller.description, process: process, name: name,
            streams: declarations.map { StreamOffer($0) }, haptics: hasHaptics,
            context: context.isEmpty ? nil : Hexadecimal.encode(context),
            timeout: Int(timeout.wholeNanoseconds / 1_000_000), code: code)
        invitation.wait = waits ? true : nil
        return invitation
    }
}

extension Peer {
    fileprivate var standing: Standing {
        Standing(
            peer: index, lease: lease, seat: seat, admittedAt: admittedAt,
            lastHeard: HostTime(nanoseconds: lastHeard), yieldsAt: yieldsAt, usedAt: usedAt, linkState: linkState,
            isUnheard: isUnheard, ownName: ownName, tally: word.tally, isTallyFinal: word.isFinal, programs: programs,
            // Of frames without numbers nothing is left to be settled.
            pastDatagrams: isLegacy ? datagramTotals : pastDatagrams,
            pastSamples: isLegacy ? motion.totals : motion.past, clock: motion.mapping, way: standingWay)
    }

    private var standingWay: Standing.Way {
        switch attachment {
        case .awaited: .awaited
        case .linked(let link): .linked(link.read { standing(of: $0) })
        case .legacy(let source): .legacy(source.read { $0.address })
        }
    }

    private func standing(of link: borrowing Link) -> StandingLink {
        StandingLink(
            connection: link.connection, transport: link.transport, conversation: link.conversation,
            process: link.program.process, declarations: link.program.declarations,
            hasHaptics: link.program.hasHaptics, context: link.program.context, pausedAfter: link.pausedAfter,
            ledger: link.ledger, window: link.window, streams: motion.streams.map(\.standing))
    }
}

extension StandingLink {
    /// A link whose keys are nobody's: it opens what is open.
    var link: Link {
        let none = LinkKey(a: 0, b: 0, c: 0, d: 0)
        let program = Program(
            process: process, declarations: declarations, hasHaptics: hasHaptics, context: context)
        var link = Link(
            connection: connection,
            way: transport.isReliable
                ? .reliable(transport, probe: none) : .udp(LinkKeys(motion: none, feedback: none, probe: none)),
            program: program, conversation: conversation)
        link.ledger = ledger
        link.window = window
        link.pausedAfter = pausedAfter
        return link
    }
}

extension PeerMotion {
    fileprivate mutating func resume(_ standing: Standing, now: HostTime, sink: inout some MotionSink) {
        isClockTold = true
        if let mapping = standing.clock { believe(mapping, of: standing.peer, sink: &sink) }
        guard case .linked(let link) = standing.way else { return }
        for stream in link.streams {
            guard let declaration = link.declarations.first(where: { $0.stream == stream.stream }) else { continue }
            streams.append(StreamReceiver(declaration: declaration, stream))
            let key = StreamKey(peer: standing.peer, stream: stream.stream)
            sink.streamBegan(key, epoch: stream.epoch, declaration, at: now, admittedAt: standing.admittedAt)
            sink.streamAbandoned(key, below: stream.cumulative)
        }
    }
}
