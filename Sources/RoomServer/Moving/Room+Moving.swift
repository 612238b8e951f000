import Connections
import ControlPort
import Foundation
import Identity
import Logging
import RoomEngine
package import RoomRecords
import SessionCoordinator
import SiteRecords
import Synchronization
import WireProtocol

/// Handing a player over to another room of the site.
extension Room {
    /// For so long the seat there is kept unless the operator says otherwise: on a phone somebody may have to read a warning.
    static let usualMove = 60_000.0
    /// More than an answer needs on its way.
    private static let way = Duration.seconds(5)

    /// The room's way to the others, while its site is there.
    package func useMessenger(_ messenger: (any SiteMessenger)?) { self.messenger.withLock { $0 = messenger } }

    /// Moves a player to another room of the site: it keeps its name, colour, taught gestures and sensitivity.
    ///
    /// The seat there is kept before anything is said here; the seat here is given up once the player sits there.
    ///
    /// - Throws: ``RoomError``: the player stays, and why.
    package func move(_ request: OperatorRequest) async throws -> MoveReport {
        guard let messenger = messenger.withLock({ $0 }) else {
            throw RoomError(
                .badOption, "this room is in no site: open it, and the other room, with --site nats://HOST:PORT")
        }
        guard let destination = request.to, !destination.isEmpty else {
            throw RoomError(.badOption, "say to which room: roomful move P3 --to \"Hall 2\"")
        }
        let timeout = request.timeout ?? Self.usualMove
        guard (5_000...600_000).contains(timeout) else { throw RoomError(.badOption, "a move takes 5s to 10m") }
        let who = request.who ?? ""
        guard case .luggage(let luggage) = try await carryOut(.luggage(who)) else {
            preconditionFailure("the loop answers who a player is with who it is")
        }
        guard luggage.transport != .legacy else {
            throw RoomError(
                .badOption, "\(luggage.player.name) sends unsealed frames, and hears nothing: it cannot be moved")
        }
        guard let conversation = luggage.conversation else {
            throw RoomError(
                .closed,
                "\(luggage.player.name) has no control connection now, and cannot be told; try again in two minutes")
        }
        guard moving.withLock({ $0.insert(luggage.controller).inserted }) else {
            throw RoomError(.full, "\(luggage.player.name) is being moved already")
        }
        defer { _ = moving.withLock { $0.remove(luggage.controller) } }
        let target = try await messenger.room(destination)
        guard target.room != foundation.authority.roomID.description else {
            throw RoomError(
                .badOption, "\(luggage.player.name) is in \"\(name)\" already; seats change by: roomful seat move")
        }
        let journey = Journey(
            luggage: luggage, conversation: conversation, target: target, messenger: messenger, timeout: timeout,
            seat: request.seat)
        return try await travel(journey)
    }

    private struct Journey: Sendable {
        var luggage: Luggage
        var conversation: ConversationID
        var target: SiteRoom
        var messenger: any SiteMessenger
        var timeout: Double
        var seat: Int?
    }

    private func travel(_ journey: Journey) async throws -> MoveReport {
        let (luggage, target) = (journey.luggage, journey.target)
        let ticket = OfferTicket()
        let wish = SeatWish(
            controller: luggage.controller.description, ticketHash: Hexadecimal.encode(ticket.hash),
            timeout: journey.timeout, seat: journey.seat,
            player: SeatWish.Player(
                name: luggage.player.name, color: luggage.player.color, talents: luggage.talents))
        let stays = "\(luggage.player.name) stays in \"\(name)\""
        let reply: HostReply
        do {
            reply = try await journey.messenger.ask(HostRequest(.promise, seat: wish), of: target, within: Self.way)
        } catch let error as RoomError {
            throw RoomError(error.code, "\(stays), as \"\(target.name)\" keeps no seat for it: \(error.message)")
        }
        guard let promise = reply.promise, let number = promise.offer else {
            throw RoomError(.network, "\"\(target.name)\" answered what this version does not understand")
        }
        let id = luggage.controller.description.prefix(8)
        logger.notice("P\(luggage.number) (\(id)) is being moved to \"\(target.name)\" on \(target.host)")
        let offer = RoomOffer(
            offer: number, controller: luggage.controller.description, room: promise.room, pin: promise.pin,
            name: promise.name, game: promise.game, port: promise.port, addresses: promise.addresses,
            seat: journey.seat, ticket: ticket.text, timeout: Int(journey.timeout), url: promise.link,
            warns: promise.warns)
        switch await outcome(of: journey, promise, offer) {
        case .free(let seat, let player):
            let words = "It plays in \"\(target.name)\" now."
            _ = await ask(.depart(luggage.controller.description, message: words))
            return MoveReport(
                controller: luggage.controller.description, name: luggage.player.name, room: target.name,
                host: target.host, seat: seat, player: player)
        case .stay(let words):
            throw RoomError(.full, "\(stays): \(words)")
        case .nothing, .takeBack: preconditionFailure("a move ends with a seat here or there")
        }
    }

    /// Tells the controller, and waits for what becomes of it.
    private func outcome(of journey: Journey, _ promise: SeatPromise, _ offer: RoomOffer) async -> SeatMove.Step {
        let (inputs, input) = AsyncStream.makeStream(of: SeatMove.Input.self)
        let (messenger, target, timeout) = (journey.messenger, journey.target, journey.timeout)
        @Sendable func hear(_ task: HostRequest.Task, for time: Duration) async -> SeatMove.Input {
            let request = HostRequest(task, offer: promise.offer, timeout: time.milliseconds)
            do {
                let reply = try await messenger.ask(request, of: target, within: time + Self.way)
                return reply.outcome?.input ?? .silent("\"\(target.name)\" does not say what became of it")
            } catch {
                return .silent("\(error)")
            }
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { [conversations] in
                for await refusal in conversations.hand(offer, to: journey.conversation) {
                    input.yield(.refused(refusal.message))
                }
            }
            // It is answered when the promise has ended: who knows how it ended does not wait for that.
            Task { input.yield(await hear(.outcome, for: .milliseconds(Int64(timeout)))) }
            group.addTask {
                if (try? await Task.sleep(for: .milliseconds(Int64(timeout)))) != nil { input.yield(.timeIsUp) }
            }
            defer { group.cancelAll() }
            var move = SeatMove()
            for await news in inputs {
                switch move.take(news) {
                case .nothing: continue
                case .takeBack: group.addTask { input.yield(await hear(.takeBack, for: .seconds(5))) }
                case .free(let seat, let player): return .free(seat: seat, player: player)
                case .stay(let words): return .stay(words)
                }
            }
            return .stay("the room closes")
        }
    }
}
