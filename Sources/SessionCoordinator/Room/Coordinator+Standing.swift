public import WireProtocol

/// Everybody as they stand, told and taken over.
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
                since: entry.since, wait: .forOperator(until: entry.deadline, seat: entry.seat), name: entry.name)
        }
            + queue.map { entry in
                WaitingStanding(
                    invitation: entry.invitation.asAsked, conversation: entry.conversation,
                    transport: entry.invitation.transport, material: entry.material, source: entry.invitation.source,
                    since: entry.since, wait: .forSeat(lastHeard: entry.lastHeard, toldPlace: entry.toldPlace),
                    name: entry.name)
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
        switch standing.wait {
        case .forOperator(let until, let seat):
            guard asking.count < Self.mostAsking, let conversation = standing.conversation else { return }
            asking.append(
                Asking(
                    conversation: conversation, invitation: invitation, material: standing.material,
                    since: standing.since, deadline: until, name: standing.name,
                    seat: seat.flatMap { (1...configuration.seats).contains($0) ? $0 : nil }))
        case .forSeat(let lastHeard, let toldPlace):
            guard queue.count < Self.mostQueued else { return }
            queue.append(
                Queued(
                    conversation: standing.conversation, invitation: invitation, material: standing.material,
                    since: standing.since, lastHeard: lastHeard, name: standing.name, toldPlace: toldPlace))
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

    /// Whom the operator keeps out.
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
            standing.pastDatagrams.isSound, standing.pastSamples.isSound, (1...1 << 30).contains(standing.programs),
            standing.unheardLinks <= standing.pastDatagrams.epochs
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

extension Peer {
    fileprivate var standing: Standing {
        Standing(
            peer: index, lease: lease, seat: seat, admittedAt: admittedAt,
            lastHeard: HostTime(nanoseconds: lastHeard), yieldsAt: yieldsAt, usedAt: usedAt, linkState: linkState,
            isUnheard: isUnheard, ownName: ownName, tally: word.tally, isTallyFinal: word.isFinal, programs: programs,
            unheardLinks: unheardLinks,
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
