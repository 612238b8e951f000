package import Connections
package import Identity
package import WireProtocol

/// One offer that a waiting controller was made: what it says, checked, and what became of it.
///
/// The host may say it on several connections, one after the other; all of them hear the same answer.
package final class IncomingCall: Sendable {
    package enum State: Hashable, Sendable {
        /// Nobody has answered.
        case asked
        /// Yes; the controller dials.
        case accepted
        /// It has its seat.
        case joined
        /// It will not come, for this reason.
        case ended(Refusal)

        var isOpen: Bool { self == .asked }
        /// Its controller is on its way, or in the room.
        var isTaken: Bool { self == .accepted || self == .joined }
    }

    /// How long a room that was never joined can have its user asked, whatever it says.
    static let strangersLimit = Duration.seconds(120)

    /// The same host's same offer is the same call.
    package struct Key: Hashable, Sendable {
        package var pin: Pin
        var offer: String
    }

    package let key: Key
    package let room: Controller.Room
    package let game: String?
    package let context: [UInt8]
    package let seat: Int?
    /// What admits, once.
    package let ticket: String
    /// Where to dial, the address first from which the host called.
    package let addresses: [Ticket.Address]
    package let expiresAt: ContinuousClock.Instant
    package let standing: WaitingController.Invitation.Standing
    package let state = Watched<State>(.asked)

    /// Reads an offer of which nothing may be trusted but who made it.
    ///
    /// - Parameters:
    ///   - finding: who the caller has proven to be.
    ///   - caller: where it called from.
    ///   - id: who is called.
    init(
        _ offer: RoomOffer, by finding: ChainVerifier.Finding, from caller: PeerAddress?, to id: ControllerID,
        known: KnownHosts
    ) throws(RefusedCall) {
        guard offer.v == ControlMessage.version else {
            throw RefusedCall(
                .wrongVersion,
                "The controller speaks version \(ControlMessage.version), the host version \(offer.v).")
        }
        guard ControllerID(offer.controller) == id else { throw RefusedCall("This is another controller.") }
        guard let roomID = finding.roomID, RoomID(offer.room) == roomID, Pin(offer.pin) == finding.pin else {
            throw RefusedCall(.untrusted, "The host is not the room that it says to be.")
        }
        guard offer.offer.utf8.count == 16, Hexadecimal.decode(offer.offer) != nil, isSecret(offer.ticket) else {
            throw RefusedCall("offer must be 16 hexadecimal digits, ticket 64.")
        }
        let context = offer.context ?? ""
        guard context.utf8.count <= 2_048, let contextBytes = Hexadecimal.decode(context) else {
            throw RefusedCall("context must be at most 1,024 bytes, as hexadecimal digits.")
        }
        guard (1...600_000).contains(offer.timeout) else { throw RefusedCall("timeout must be 1 to 600000 ms.") }
        let name = spoken(offer.name, atMost: 63)
        guard !name.isEmpty, offer.name.utf8.count <= 63 else { throw RefusedCall("A room's name has 1 to 63 bytes.") }
        var caller = caller
        caller?.port = offer.port
        let said = offer.addresses.prefix(Ticket.mostAddresses).compactMap { Ticket.Address($0) }
        let addresses = ([caller.map { Ticket.Address($0) }].compactMap(\.self) + said).filter { $0.port > 0 }
        guard !addresses.isEmpty else { throw RefusedCall("No address of the room can be understood.") }
        switch known.decision(on: roomID, called: name, presenting: finding.pin) {
        case .known: standing = .known
        case .unknown: standing = .unknown
        case .nameBelongsToAnother: standing = .namesake
        case .changed: throw RefusedCall(.untrusted, "The controller knows this room by another key.")
        }
        key = Key(pin: finding.pin, offer: offer.offer.lowercased())
        room = Controller.Room(name: name, id: roomID, pin: finding.pin, address: addresses[0].description)
        game = offer.game.map { spoken($0, atMost: 63) }
        self.context = contextBytes
        seat = offer.seat.flatMap { (1...0xFFFF).contains($0) ? $0 : nil }
        ticket = offer.ticket
        self.addresses = addresses
        expiresAt = .now + min(.milliseconds(offer.timeout), standing == .known ? .seconds(600) : Self.strangersLimit)
    }

    /// Says yes, if that is still asked.
    package func take() -> Bool {
        state.change { state in
            guard state.isOpen, ContinuousClock.now < expiresAt else { return false }
            state = .accepted
            return true
        }
    }

    /// Says that the controller does not come, if that was not said already.
    package func end(_ refusal: Refusal) {
        state.change { state in
            if state == .asked || state == .accepted { state = .ended(refusal) }
        }
    }

    /// Says no, if that is still asked. Once its time is over, that is all there is to say.
    package func decline(_ refusal: Refusal) {
        state.change { state in
            guard state.isOpen else { return }
            state = .ended(ContinuousClock.now < expiresAt ? refusal : .expired)
        }
    }
}

/// Why an offer was refused before anybody was asked.
struct RefusedCall: Error {
    var refusal: Refusal

    init(_ reason: RefusalReason, _ message: String, retryAfter: Int? = nil) {
        refusal = Refusal(reason, message: message, retryAfter: retryAfter)
    }

    init(_ message: String) { self.init(.badInvitation, message) }
}

extension Refusal {
    static let expired = Refusal(.expired, message: "Nobody answered in time.", retryAfter: 5_000)

    /// What a host is told when its controller could not join.
    init(_ error: JoinError) {
        let reason: RefusalReason =
            switch error.code {
            case .unreachable, .timedOut, .roomVanished, .notFound, .cannotSearch, .noSocket: .unreachable
            case .untrusted, .notConfirmed, .pinChanged, .nameBelongsToAnother: .untrusted
            case .notARoom: .wrongVersion
            default: .declined
            }
        self = error.refusal ?? Refusal(reason, message: "It could not join: \(error.message).")
    }
}
