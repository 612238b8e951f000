import Connections
import ControlPort
import Foundation
import Identity
import Logging
import PeerDiscovery
import RoomEngine
public import RoomRecords
import SessionCoordinator
import WireProtocol

/// Calling controllers that wait nearby into the room.
extension Room {
    /// The controllers that wait nearby to be called, by name; at most 1,000.
    ///
    /// Anybody can announce anything: who it is shows when it joins.
    public var waitingControllers: [NearbyController] {
        let now = ContinuousClock.now
        return nearby?.controllers.map { NearbyController($0, now: now) } ?? []
    }

    /// Invites a controller that waits nearby.
    ///
    /// It is told who the room is, and dials the room itself; until it has answered, a seat is kept for it. A controller
    /// whose invitation is open already is not invited twice: the answer is the same. The caller may go away meanwhile.
    ///
    /// - Parameters:
    ///   - controller: one of ``waitingControllers``.
    ///   - seat: from 1; `nil` for the lowest that is free.
    ///   - context: the application's own bytes for the controller, at most 1,024.
    ///   - timeout: how long the invitation stands, 1 s to 10 min.
    /// - Returns: how it ended. Every invitation ends.
    /// - Throws: ``RoomError`` if an option cannot be used, or the seat is taken.
    public func invite(
        _ controller: NearbyController, seat: Int? = nil, context: [UInt8] = [], timeout: Duration = .seconds(120)
    ) async throws -> InvitationOutcome {
        try await invite(controller, seat: seat, context: context, timeout: timeout, isSecondTry: false)
    }

    /// The same for whoever is meant: by its name, or the beginning of its id. One that is not there, but waits to be let
    /// in, is let in.
    ///
    /// - Throws: ``RoomError`` if nobody, or more than one, is meant, or an option cannot be used.
    package func invite(
        _ who: String, seat: Int? = nil, context: [UInt8] = [], timeout: Duration = .seconds(120)
    ) async throws -> InvitationOutcome {
        try check(seat, context, timeout)
        let controller: NearbyController
        do throws(RoomError) {
            controller = try waitingControllers.find(who)
        } catch {
            // It may have asked by itself, and wait for the operator.
            guard error.code == .notFound, (try? await accept(who)) != nil,
                let peer = try? await peers(matching: who).first
            else { throw cannotLook ?? error }
            return InvitationOutcome(peer)
        }
        return try await invite(controller, seat: seat, context: context, timeout: timeout)
    }

    /// Why nobody can be found by name; `nil` when somebody could.
    private var cannotLook: RoomError? {
        let instead = "; give its address: roomful invite --at HOST:PORT, which join --wait says"
        guard let nearby else { return RoomError(.notFound, "discovery is off in this room\(instead)") }
        guard case .unavailable(let reason) = nearby.availability else { return nil }
        return RoomError(.notFound, "controllers cannot be found by name: \(reason)\(instead)")
    }

    /// Invites the controller that waits at an address, `host:port`, where multicast does not reach.
    public func invite(
        at address: String, seat: Int? = nil, context: [UInt8] = [], timeout: Duration = .seconds(120)
    ) async throws -> InvitationOutcome {
        try check(seat, context, timeout)
        guard let place = Ticket.Address.onThisMachine(address) else {
            throw RoomError(.badOption, "“\(printable(address))” is no address: HOST:PORT")
        }
        do {
            let endpoint = Endpoint(host: place.host, port: Int(place.port))
            let controller = try await OutgoingCall(authority: foundation.authority).meet(at: endpoint)
            return try await invite(controller, seat: seat, context: context, timeout: timeout)
        } catch let failure as OutgoingCall.Failure {
            throw RoomError(.network, failure.message)
        }
    }

    /// Invites every controller that waits nearby, all at once, as far as there are seats.
    public func inviteAll(
        context: [UInt8] = [], timeout: Duration = .seconds(120)
    ) async throws -> [InvitationOutcome] {
        try check(nil, context, timeout)
        return try await withThrowingTaskGroup(of: Placed.self) { group in
            for (place, controller) in waitingControllers.enumerated() {
                group.addTask { [self] in
                    Placed(
                        place: place,
                        outcome: try await invite(controller, seat: nil, context: context, timeout: timeout))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.place < $1.place }.map(\.outcome)
        }
    }

    /// What came of one of many invitations.
    private struct Placed: Sendable {
        let place: Int
        let outcome: InvitationOutcome
    }

    /// Takes back all open invitations. They end as `declined`; what was accepted already stays.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func withdrawInvitations() async -> Int { await withdrawInvitations(to: nil) }

    /// Takes back the open invitations to the controllers of a name, of an id that begins so, or at an address; `nil`
    /// takes back all.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func withdrawInvitations(to who: String?) async -> Int {
        let meant = who.map(Designation.init)
        let open = offers.all { controller in
            guard let meant, let who else { return true }
            return controller.addresses.contains(who.lowercased())
                || Designation.Way.allCases.contains { meant.means(id: controller.id, name: controller.name, by: $0) }
        }
        for invitation in open {
            _ = await ask(
                .endOffer(invitation.id, Refusal(.declined, message: InvitationOutcome.takenBack)))
        }
        return open.count
    }

    /// Throws what is wrong with an invitation whoever it is for, before anybody is looked for.
    private func check(_ seat: Int?, _ context: [UInt8], _ timeout: Duration) throws(RoomError) {
        guard context.count <= 1_024 else {
            throw RoomError(.badOption, "the message has \(context.count) bytes, but may have at most 1,024")
        }
        guard (Duration.seconds(1)...Duration.seconds(600)).contains(timeout) else {
            throw RoomError(.badOption, "an invitation stands for 1s to 10m")
        }
        if let seat, !(1...options.seats).contains(seat) {
            throw RoomError(.noSuchSeat(seat, of: options.seats), who: nil)
        }
    }

    private func invite(
        _ controller: NearbyController, seat: Int?, context: [UInt8], timeout: Duration, isSecondTry: Bool
    ) async throws -> InvitationOutcome {
        try check(seat, context, timeout)
        guard let controllerID = ControllerID(controller.id) else {
            throw RoomError(.badOption, "\(controller.name) does not say which controller it is")
        }
        let id = OfferID(rawValue: .random(in: .min ... .max))
        let ticket = OfferTicket()
        let end = offers.open(id, to: controller)
        let terms = OfferTerms(
            id: id, controller: controllerID, seat: seat, ticketHash: ticket.hash, timeout: timeout)
        let standing: OfferID
        do {
            guard case .offer(let answer) = try await carryOut(.offer(terms)) else {
                preconditionFailure("the loop answers an offer with an offer")
            }
            standing = answer
        } catch {
            offers.forget(id)
            // Whether the room's thread has made it or not, nobody is to wait for its end.
            _ = await ask(.endOffer(id, Refusal(.expired, message: "The invitation was given up.")))
            throw error
        }
        guard standing == id else {
            offers.forget(id)
            // It was open a moment ago; if it has ended since, there is nothing left to wait for.
            guard let first = offers.end(of: standing) else {
                guard isSecondTry else {
                    return try await invite(
                        controller, seat: seat, context: context, timeout: timeout, isSecondTry: true)
                }
                let refusal = Refusal(
                    .expired, message: "Another invitation to it ended at this moment.", retryAfter: 1_000)
                return InvitationOutcome(controller, .refused(refusal))
            }
            return try await outcome(of: controller, first)
        }
        if end.value == nil {
            let message = offer(terms, ticket: ticket, context: context)
            offers.make(Call(id: id, controller: controller, message: message, end: end))
        }
        return try await outcome(of: controller, end)
    }

    private func outcome(
        of controller: NearbyController, _ end: Watched<OfferOutcome?>
    ) async throws -> InvitationOutcome {
        guard let outcome = await end.first(where: { $0 != nil }) ?? nil else { throw CancellationError() }
        return InvitationOutcome(controller, outcome)
    }

    private func offer(_ terms: OfferTerms, ticket: OfferTicket, context: [UInt8]) -> RoomOffer {
        RoomOffer(
            offer: terms.id.rawValue.paddedHex, controller: terms.controller.description,
            room: foundation.authority.roomID.description, pin: foundation.authority.pin.description, name: name,
            game: options.label?.text, port: port,
            addresses: self.ticket.addresses.filter { !$0.host.hasPrefix("127.") }.map(\.description),
            seat: terms.seat, context: context.isEmpty ? nil : Hexadecimal.encode(context),
            ticket: ticket.text, timeout: Int(terms.timeout.milliseconds))
    }

    /// Makes the calls of all invitations until the room closes.
    func makeCalls() async {
        guard let calls = try? OutgoingCall(authority: foundation.authority) else {
            return logger.error("this room's certificates cannot be shown to controllers that wait")
        }
        await withDiscardingTaskGroup { group in
            for await call in offers.calls {
                group.addTask { [self] in
                    guard let refusal = await calls.make(call) else { return }
                    _ = await ask(.endOffer(call.id, refusal))
                }
            }
            group.cancelAll()
        }
    }
}

extension NearbyController {
    /// A controller as it announces itself.
    init(_ controller: DiscoveredController, now: ContinuousClock.Instant) {
        self.init(
            id: controller.record.id, name: controller.displayName, addresses: controller.endpoints.map(\.description),
            pin: controller.record.pin?.description, haptics: controller.record.hasHaptics,
            waitedFor: (now - controller.firstHeard).milliseconds / 1_000)
    }
}
