import WireProtocol

/// The link that a seat is given.
extension Coordinator {
    /// Begins a link epoch: fresh keys, a connection id never used before, numbers from 0.
    mutating func openLink(
        _ index: PeerIndex, _ invitation: AdmittedInvitation, from conversation: ConversationID,
        material: LinkMaterial, now: HostTime
    ) {
        agenda.touch(index)
        var peer = peers[index]
        if let old = peer.conversation, old != conversation {
            actions.append(.answer(old, .goodbye(Farewell(reason: "replaced"))))
            actions.append(.close(old))
        }
        if var old = peer.link {
            old.farewell = (.replaced, 1)
            retire(old)
        }
        peer.closeLink()
        generations[index] &+= 1
        peer.lease.generation = generations[index]
        let connection = ConnectionID(index: UInt16(index), generation: peer.lease.generation)
        peer.link = Link(
            connection: connection, transport: invitation.transport, motionKey: material.motionKey,
            feedbackKey: material.feedbackKey,
            probeKey: material.probeKey, budget: PeerBudget(invitation.declarations))
        let continues = peer.process == invitation.process && peer.declarations == invitation.declarations
        if !continues {
            peer.closeStreams()
            // A clock belongs to a program's run, not to a controller: the next one may begin anywhere.
            peer.clock = ClockEstimator()
            peer.mapping = nil
            actions.append(.restart(index))
            // A new process knows nothing of the old one's messages; the same one goes on where it was.
            peer.outbox.restart()
            peer.inbox = ReliableInbox()
            peer.newestData = []
        }
        peer.process = invitation.process
        peer.declarations = invitation.declarations
        peer.hasHaptics = invitation.hasHaptics
        peer.context = invitation.context
        peer.conversation = conversation
        peer.lastHeard = now.nanoseconds
        peer.pausedAfter = nil
        peers[index] = peer

        let lease = peer.lease
        let isSealed = !invitation.transport.isReliable
        let seated = Seated(
            seat: lease.seat, player: lease.player, color: SeatColor.text(lease.color), name: lease.name,
            link: LinkGrant(
                port: configuration.linkPort, connection: connection.rawValue,
                suite: isSealed ? configuration.suite : nil, motionKey: isSealed ? material.motionKey.hexadecimal : "",
                feedbackKey: isSealed ? material.feedbackKey.hexadecimal : ""),
            secret: material.secret, continues: continues,
            idle: Int(configuration.idleTimeout.wholeNanoseconds / 1_000_000),
            grace: Int(configuration.graceTimeout.wholeNanoseconds / 1_000_000))
        actions.append(.commit([.keep(lease)], thenAnswer: conversation, .seated(seated)))
        answerOffer(of: lease, by: material.ticketHash)
    }
}

extension LinkKey {
    /// As the seat's answer carries it.
    var hexadecimal: String { withUnsafeBytes { Hexadecimal.encode($0) } }
}
