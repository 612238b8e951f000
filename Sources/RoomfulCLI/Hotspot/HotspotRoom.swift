import Identity
import OperatorFront
import RoomRecords
import Roomful
import WireProtocol

/// The room of this machine that a hotspot leads into.
struct HotspotRoom: Sendable {
    let name: String
    private let client: OperatorClient

    /// Finds the room that is named, or the only one.
    ///
    /// - Returns: `nil` where it is not open yet.
    init?(named name: String?) async throws {
        do {
            client = try await OperatorClient(room: name)
            guard let status = try await client.ask(OperatorRequest(.status)).status else { return nil }
            self.name = status.name
        } catch let problem as OperatorClient.Unreachable {
            switch problem {
            case .noRoom, .noSuchRoom, .standsBy: return nil
            case .whichRoom(let running):
                let names = running.map { "\"\($0)\"" }.joined(separator: ", ")
                throw RoomError(.ambiguous, "several rooms run here; say which, as in roomful hotspot NAME: \(names)")
            default: throw problem
            }
        }
    }

    /// How phones join it by this machine's address in the hotspot, once the room goes by that.
    func poster(at address: String?) async throws -> RoomPoster {
        let end = ContinuousClock.now + .seconds(15)
        while true {
            let reply = try await client.ask(OperatorRequest(.ticket))
            guard let link = reply.url, let ticket = try reply.ticket.map({ try Ticket($0) }) else {
                throw RoomError(.notFound, "this room's host is of a version that has no QR code; start it anew")
            }
            let isElsewhere = link.hasSuffix("&u=1")
            let place = ticket.addresses.first { $0.host == address }
            if isElsewhere || address == nil || place != nil || ContinuousClock.now > end {
                let here = try place.map {
                    try Ticket(
                        addresses: [$0], pin: ticket.pin, code: ticket.code, room: ticket.room, roomID: ticket.roomID)
                }
                return RoomPoster(
                    room: ticket.room, link: isElsewhere ? link : here?.link(at: nil) ?? link, code: reply.code,
                    warns: reply.warns ?? true)
            }
            // A room looks for its machine's addresses every few seconds.
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}
