import Identity
package import WireProtocol

/// The room that a host proved to be, or credibly says to be.
package struct HostIdentity: Hashable, Sendable {
    package var roomID: RoomID
    package var pin: Pin
    /// As it was asked for, else as the host greets; safe to print.
    package var name: String
}

/// What a controller knows of the room before it has met the host.
package struct ExpectedRoom: Hashable, Sendable {
    /// The name under which it was looked for.
    package var name: String?
    /// Somebody vouched for this fingerprint: a ticket, a person, or the joining before.
    package var pin: Pin?
    package var roomID: RoomID?
    /// That somebody is the room in which the controller plays: it knows nothing of whom this user knows.
    package var isMoved = false

    /// Judges a host by what TLS has proven, what it says, and whom this user knows.
    ///
    /// - Returns: who it is, and whether anybody vouches for it; if not, a person must be asked before anything secret
    ///   is sent.
    /// - Throws: `untrusted`, `pinChanged` or `nameBelongsToAnother`; `notARoom` if it does not say which room it is.
    func judge(
        _ finding: ChainVerifier.Finding, _ greeting: RoomGreeting, known: KnownHosts, file: String
    ) throws(JoinError) -> (host: HostIdentity, isVouchedFor: Bool) {
        guard let roomID = finding.roomID ?? RoomID(greeting.room) else {
            throw JoinError(.notARoom, "the host does not say which room it is; it may be of another version")
        }
        guard RoomID(greeting.room) == roomID else {
            throw JoinError(.untrusted, "the host says to be another room than its certificate shows", pin: finding.pin)
        }
        let host = HostIdentity(roomID: roomID, pin: finding.pin, name: name ?? greeting.name)
        let decision = known.decision(on: roomID, called: host.name, presenting: finding.pin)

        guard let pin else {
            if let refusal = decision.refusal(called: host.name, file: file) { throw JoinError(refusal) }
            if case .known = decision { return (host, true) }
            return (host, false)
        }
        guard finding.pin == pin else { throw JoinError(.pinMismatch(expected: pin, presented: finding.pin)) }
        guard self.roomID ?? roomID == roomID else {
            throw JoinError(.untrusted, "the host has the expected key, but is another room; ask for a new ticket")
        }
        // Where the file lies is nothing to the room that hears this.
        if isMoved, case .nameBelongsToAnother = decision {
            throw JoinError(
                .nameBelongsToAnother, "“\(host.name)” is the name of another room that this controller's user knows",
                pin: finding.pin)
        }
        // Whoever gives a fingerprint knows of a namesake; a known room's new key stays a hard stop.
        if case .changed = decision, let refusal = decision.refusal(called: host.name, file: file) {
            throw JoinError(refusal)
        }
        return (host, true)
    }
}
