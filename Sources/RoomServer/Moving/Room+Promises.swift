import Connections
import Foundation
import Identity
import InputMerge
import PeerDiscovery
import RoomEngine
package import RoomRecords
import SessionCoordinator
import SiteRecords
import Synchronization
import WireProtocol

extension RoomError.Code {
    /// Somebody is asked for twice at once.
    static let busy = RoomError.Code(rawValue: RefusalReason.busy.rawValue)
}

/// Keeping seats for those whom other rooms of the site send: the same offers as to controllers that wait nearby, but for
/// the call.
extension Room {
    /// So many are remembered; the oldest go first.
    static let mostPromises = 256

    /// A seat that is kept for whoever brings the ticket, or how that ended.
    struct Promise: Sendable {
        let id: OfferID
        let end: Watched<OfferOutcome?>
    }

    /// What another host asks.
    ///
    /// - Throws: ``RoomError``, one line that says what to do.
    package func answer(_ request: HostRequest) async throws -> HostReply {
        switch request.task {
        case .promise:
            guard let seat = request.seat else { throw RoomError(.badOption, "a promise needs to say for whom") }
            return HostReply(promise: try await promise(seat))
        case .outcome:
            let patience = min(max(request.timeout ?? 0, 0), 600_000)
            return HostReply(outcome: try await outcome(of: request.offer, within: .milliseconds(Int64(patience))))
        case .takeBack:
            if let id = promise(request.offer)?.id {
                _ = await ask(.endOffer(id, Refusal(.declined, message: "It was taken back.")))
            }
            return HostReply(outcome: try await outcome(of: request.offer, within: .seconds(5)))
        }
    }

    private func promise(_ wish: SeatWish) async throws -> SeatPromise {
        let id = OfferID(rawValue: .random(in: .min ... .max))
        let terms = try wish.terms(numbered: id)
        if let lobby = wish.lobby {
            try check(lobby)
            // It comes back to its seat by itself.
            if (try? await peers(matching: terms.controller.description))?.isEmpty == false { return place(offer: nil) }
            if lobby.returns == true { throw RoomError(.notFound, "it has no seat there") }
        }
        let guest = NearbyController(
            id: terms.controller.description, name: printable(terms.player?.name ?? "a guest"), addresses: [], pin: nil,
            haptics: false, waitedFor: 0)
        let end = offers.open(id, to: guest)
        do {
            guard case .offer(id) = try await carryOut(.offer(terms)) else {
                throw RoomError(.busy, "a seat there is kept for it already; ask again when that has ended")
            }
        } catch {
            offers.forget(id)
            throw error
        }
        if case .refused(let refusal) = end.value {
            throw RoomError(RoomError.Code(rawValue: refusal.reason.rawValue), refusal.message)
        }
        promises.withLock { promises in
            promises.append(Promise(id: id, end: end))
            promises.removeFirst(max(0, promises.count - Self.mostPromises))
        }
        return place(offer: id.rawValue.paddedHex)
    }

    private func place(offer: String?) -> SeatPromise {
        let ticket = ticketWithoutCode
        return SeatPromise(
            offer: offer, room: foundation.authority.roomID.description,
            pin: foundation.authority.pin.description, name: name, game: options.label?.text, port: port,
            addresses: ticket.addresses.map(\.description), link: ticket.link(at: options.url), warns: warnsPhones)
    }

    /// Where the room is, for somebody who is admitted otherwise.
    private var ticketWithoutCode: Ticket {
        let ticket = ticket
        let bare = try? Ticket(
            addresses: ticket.addresses, pin: ticket.pin, code: nil, room: ticket.room, roomID: ticket.roomID)
        guard let bare else { preconditionFailure("a ticket is one without its code, too") }
        return bare
    }

    /// Whether a lobby's guest may come, whatever the lobby thinks of it.
    private func check(_ lobby: SeatWish.Lobby) throws {
        guard options.site?.lobby != nil, options.policy != .ask else {
            throw RoomError(.badOption, "this room takes no guests of a lobby")
        }
        guard lobby.game == options.label?.text else { throw RoomError(.badOption, "this room plays another game") }
    }

    private func promise(_ number: String?) -> Promise? {
        promises.withLock { promises in promises.last { $0.id.rawValue.paddedHex == number } }
    }

    private func outcome(of number: String?, within patience: Duration) async throws -> SeatOutcome {
        guard let promise = promise(number) else {
            throw RoomError(.notFound, "this room knows of no such promise; it may have opened anew since")
        }
        guard let end = await promise.end.first(within: patience, where: { $0 != nil }) ?? nil else {
            throw RoomError(.network, "nobody has come yet")
        }
        return switch end {
        case .accepted(let seat, let player): SeatOutcome(seat: seat, player: Int(player))
        case .refused(let refusal): SeatOutcome(message: refusal.message)
        }
    }
}
