import WireProtocol

/// The link that a seat is given.
extension Coordinator {
    /// Begins a link epoch: fresh keys, a connection id never used before, numbers from 0.
    mutating func openLink(
        _ index: PeerIndex, _ invitation: AdmittedInvitation, from conversation: ConversationID,
        material: LinkMaterial, now: HostTime
    ) {
        guard let old = peers.peer(at: index) else { return }
        agenda.touch(index)
        if let said = old.conversation, said != conversation {
            actions.append(.answer(said, .goodbye(Farewell(reason: .replaced))))
            actions.append(.close(said))
        }
        if let link = old.link { retire(PartingLink(link, .replaced, copies: 1)) }
        generations[index] &+= 1
        let program = Program(
            process: invitation.process, declarations: invitation.declarations, hasHaptics: invitation.hasHaptics,
            context: invitation.context)
        let connection = ConnectionID(index: UInt16(index), generation: generations[index])
        let link = Link(
            connection: connection, way: material.way(over: invitation.transport), program: program,
            conversation: conversation)
        // Whoever was told to begin anew and has said nothing since may not have heard it.
        let continues = !old.isUnheard && old.link.map { program.continues($0.program) } ?? false
        if !continues {
            // What the program before it was told to play, nobody will say of whether it did.
            for haptic in old.messages.haptics { occurred(old.hapticOutcome(haptic, .lost), at: now) }
            actions.append(.restart(index))
        }
        if let replaced = old.link {
            let run = old.isUnheard ? nil : old.programs
            drain(.replaced(replaced, of: old.stay, at: index, run: run), replaced.connection, at: now)
        }
        // A browser's name was typed by its visitor.
        let ownName = isNamedHere(invitation) || invitation.transport.isReliable ? nil : invitation.name
        let lease = peers.update(index) { peer in
            peer.open(link, continues: continues, now: now)
            peer.ownName = ownName
            return peer.lease
        }
        guard let lease else { return }
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
        actions.append(.opened(index))
        answerOffer(of: lease, by: material.ticketHash)
    }
}
