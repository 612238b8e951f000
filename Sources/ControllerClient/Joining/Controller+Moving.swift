import Connections
import ControllerSession
import Identity
import Synchronization
import WireProtocol

/// Going to another room of the site, where a seat is kept.
extension Controller {
    /// The next offer of another room's seat that nobody has answered.
    func offer(on connection: ControlConnection) async -> Turn? {
        let answered = keeping.withLock { $0.answeredOffer }
        let heard = await connection.conversation.first { $0.offer.map { $0.offer != answered } ?? false }
        return heard?.offer.map { .called($0) }
    }

    /// Takes the seat there, and then leaves this one; stays where that fails, and says why.
    func follow(_ offer: RoomOffer) async {
        let (old, here) = keeping.withLock { keeping in
            keeping.answeredOffer = offer.offer
            return (keeping.connection, keeping.stay)
        }
        desk.tell(.moving(to: offer.name))
        do {
            let ticket = try Self.ticket(offer, for: here.applicant.id)
            let (applicant, seating, ways) = try await here.applicant.follow(ticket, admittedBy: offer.ticket)
            // What a full disk does not keep, a restarted program will not find.
            try? applicant.keep(seating.admission.secret, for: seating.host.roomID)
            let (lastSent, tally) = (link.standing.value.lastSent, await link.books().sentInAll)
            old.send(.goodbye(Farewell(reason: .left, lastSent: lastSent, tally: tally)))
            keeping.withLock { keeping in
                keeping.stay = Stay(applicant, seating)
                keeping.ways = ways
                keeping.attempts = RejoinAttempts()
                keeping.plan.moved()
            }
            await take(seating)
            here.applicant.forget(here.host.roomID)
        } catch {
            let refusal = (error as? JoinError).map { Refusal($0) } ?? Refusal(.declined, message: "It is leaving.")
            old.send(.refused(refusal))
            desk.tell(.stays(reason: refusal.message))
        }
    }

    /// Where the other room is. Who vouches for its key is the room that the controller is in.
    private static func ticket(_ offer: RoomOffer, for id: ControllerID) throws -> Ticket {
        guard offer.v == ControlMessage.version, ControllerID(offer.controller) == id, isSecret(offer.ticket),
            let pin = Pin(offer.pin), let roomID = RoomID(offer.room)
        else { throw JoinError(.badOptions, "the host's offer of another room makes no sense to this version") }
        let addresses = offer.addresses.prefix(Ticket.mostAddresses).compactMap { Ticket.Address($0) }
        return try Ticket(addresses: addresses, pin: pin, code: nil, room: offer.name, roomID: roomID)
    }
}

extension Applicant {
    /// The same controller, admitted to another room by its ticket.
    fileprivate func follow(
        _ ticket: Ticket, admittedBy secret: String
    ) async throws -> (Applicant, Seating, ways: [Endpoint]) {
        var options = options
        options.called = ControllerOptions.Called(ticket: secret, id: id, isMoved: true)
        let applicant = try Applicant(options, code: nil)
        let (seating, ways) = try await applicant.join(.ticket(ticket), trust: .fingerprint(ticket.pin))
        return (applicant, seating, ways)
    }
}
