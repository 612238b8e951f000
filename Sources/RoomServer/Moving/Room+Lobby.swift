import Foundation
import Identity
import PeerDiscovery
package import RoomRecords
import SessionCoordinator
import SiteRecords
import Synchronization
package import WireProtocol

/// The way in for the whole house, as this room's port serves it.
extension Room {
    /// A page asks so often, ms.
    private static let askAgain = 2_000
    /// A seat is kept for so long, ms: on a phone somebody may have to read a warning.
    private static let kept = 60_000.0
    /// A guest is asked for in so many rooms in one turn.
    private static let mostTries = 4

    /// Where the lobby is, for a QR code; holds the room's long code. `nil` where this room serves none.
    package var lobbyLink: String? {
        guard options.site?.lobby != nil, let hash = link.firstIndex(of: "#") else { return nil }
        return "\(link[..<hash])lobby/\(link[hash...])"
    }

    /// Sends a guest to a free seat of the house, or tells it to wait.
    package func guide(_ request: LobbyRequest, from source: PeerAddress?) async -> LobbyAnswer {
        guard options.site?.lobby != nil, let messenger = messenger.withLock({ $0 }) else {
            return refusal("noLobby", "This room serves no lobby; its own page is at /.")
        }
        guard let controller = ControllerID(request.controller), Hexadecimal.decode(request.key)?.count == 32 else {
            return refusal("badOption", "A guest says who it is, and its key of 64 hexadecimal digits.")
        }
        guard options.policy != .code || request.code.flatMap({ AdmissionCode($0) }) == foundation.codes.scanned
        else {
            return refusal("wrongCode", "That code was for this lobby once, or is for another: scan it anew.")
        }
        let guest = Lobby.Guest(
            controller: controller.description, key: request.key.lowercased(), origin: source,
            last: request.last.flatMap { RoomID($0)?.description })
        do {
            for _ in 0..<Self.mostTries {
                let rooms = try await messenger.rooms().filter { $0.game == options.label?.text }
                switch lobby.withLock({ $0.ask(guest, among: rooms, now: uptime) }) {
                case .go(let way): return LobbyAnswer(go: .init(way))
                case .wait(let place): return waiting(place: place, rooms: rooms.count)
                case .full: return waiting(place: nil, rooms: rooms.count)
                case .isAnother:
                    return refusal("alreadySeated", "Somebody waits here under this name, and has another key.")
                case .unwanted:
                    return refusal("unwanted", "No room of the house takes this controller: ask whoever runs them.")
                case .askBack(let room):
                    if let way = await seat(guest, in: room, messenger, returns: true) {
                        return LobbyAnswer(go: .init(way))
                    }
                case .ask(let room):
                    if let way = await seat(guest, in: room, messenger) { return LobbyAnswer(go: .init(way)) }
                }
            }
        } catch {
            // The broker is away: this room alone is known, and its own queue is as good.
            return LobbyAnswer(
                go: .init(room: foundation.authority.roomID.description, name: name, url: link, warns: false))
        }
        return waiting(place: nil, rooms: 1)
    }

    /// Asks a room for a seat, or whether the guest has one there.
    private func seat(
        _ guest: Lobby.Guest, in room: SiteRoom, _ messenger: any SiteMessenger, returns: Bool = false
    ) async -> Lobby.Way? {
        let ticket = OfferTicket()
        let wish = SeatWish(
            controller: guest.controller, ticketHash: Hexadecimal.encode(ticket.hash), timeout: Self.kept,
            lobby: SeatWish.Lobby(game: options.label?.text, returns: returns ? true : nil))
        do {
            let reply = try await messenger.ask(HostRequest(.promise, seat: wish), of: room, within: .seconds(5))
            guard let promise = reply.promise else { throw RoomError(.network, "it answers nothing") }
            guard let offer = promise.offer else {
                lobby.withLock { $0.isThere(guest) }
                return Lobby.Way(
                    room: room.room, name: promise.name, link: promise.link + "&k=\(guest.controller)",
                    warns: promise.warns)
            }
            let way = Lobby.Way(
                room: room.room, name: promise.name,
                link: promise.link + "&t=\(ticket.text)&k=\(guest.controller)", warns: promise.warns)
            lobby.withLock { $0.promised(guest, way, until: uptime + Self.kept, now: uptime) }
            follow(offer, of: guest, in: room, messenger)
            return way
        } catch {
            guard !returns else {
                lobby.withLock { $0.isNotThere(guest) }
                return nil
            }
            // What is against this guest alone says nothing of the room.
            let no: Lobby.Refusal =
                switch (error as? RoomError)?.code.rawValue {
                case RefusalReason.kicked.rawValue, RefusalReason.alreadySeated.rawValue: .unwanted
                case RefusalReason.busy.rawValue: .busy
                default: .full
                }
            lobby.withLock { $0.refused(guest, by: room.room, because: no, now: uptime) }
            return nil
        }
    }

    /// Once the guest sits, its machine keeps nobody's seat any more.
    private func follow(
        _ offer: String, of guest: Lobby.Guest, in room: SiteRoom, _ messenger: any SiteMessenger
    ) {
        let request = HostRequest(.outcome, offer: offer, timeout: Self.kept)
        Task {
            let reply = try? await messenger.ask(request, of: room, within: .milliseconds(Int64(Self.kept) + 5_000))
            if reply?.outcome?.seat != nil { lobby.withLock { $0.seated(guest) } }
        }
    }

    private var uptime: Double { (ContinuousClock.now - begun).milliseconds }

    private func waiting(place: Int?, rooms: Int) -> LobbyAnswer {
        LobbyAnswer(wait: .init(place: place, rooms: rooms, again: Self.askAgain))
    }

    private func refusal(_ code: String, _ message: String) -> LobbyAnswer {
        LobbyAnswer(error: .init(code: code, message: message))
    }
}

extension LobbyAnswer.Way {
    init(_ way: Lobby.Way) { self.init(room: way.room, name: way.name, url: way.link, warns: way.warns) }
}
