import Foundation
import OperatorFront
import Roomful
import WireProtocol

/// The room that a fleet joins: how it is reached, and its operator's socket where it runs on this machine.
struct FleetTarget: Sendable {
    var ticket: Ticket
    /// The room's UDP and TCP port, where the relay passes datagrams on to.
    var address: PeerAddress
    /// `nil` for a room on another machine: its books cannot be read here.
    var client: OperatorClient?

    /// Finds the room as it is named.
    ///
    /// - Parameter fingerprint: whom to believe at a first meeting.
    static func find(
        room: String?, at: String?, codeFile: String?, fingerprint: Pin?
    ) async throws -> FleetTarget {
        if let codeFile {
            let ticket = try Ticket(contentsOf: codeFile)
            guard let at else { return try await FleetTarget(ticket) }
            return try await FleetTarget(
                Ticket(
                    addresses: [place(at)], pin: ticket.pin, code: ticket.code, room: ticket.room,
                    roomID: ticket.roomID))
        }
        if at == nil {
            do {
                let client = try await OperatorClient(room: room)
                guard let text = try await client.ask(OperatorRequest(.ticket)).ticket else {
                    throw RoomError(.closed, "the room says no ticket; give it with --code-file")
                }
                return try await FleetTarget(Ticket(text), client: client)
            } catch let error as OperatorClient.Unreachable {
                // One of that name may run on another machine.
                guard room != nil else { throw error }
            }
        }
        return try await FleetTarget(scouted(room: room, at: at, fingerprint: fingerprint))
    }

    private init(_ ticket: Ticket, client: OperatorClient? = nil) async throws {
        var client = client
        if client == nil, let here = try? await OperatorClient(room: ticket.room),
            let status = try await here.ask(OperatorRequest(.status)).status, status.room == ticket.roomID.description
        {
            client = here
        }
        // A room on this machine is tried by the loopback device alone: no other network has a part in it.
        let port = ticket.addresses[0].port
        let chosen = client == nil ? ticket.addresses[0] : Ticket.Address("127.0.0.1:\(port)") ?? ticket.addresses[0]
        guard let address = PeerAddress(host: chosen.host, port: chosen.port) else {
            throw RoomError(.badOption, "give the room's IP address with --at, not \(chosen.host)")
        }
        self.ticket = try Ticket(
            addresses: [chosen], pin: ticket.pin, code: ticket.code, room: ticket.room, roomID: ticket.roomID)
        self.address = address
        self.client = client
    }

    private static func place(_ text: String) throws -> Ticket.Address {
        guard let address = Ticket.Address.onThisMachine(text) else {
            throw RoomError(.badOption, "--at takes HOST:PORT, such as 192.168.1.5:7777, not \"\(text)\"")
        }
        return address
    }

    /// Joins once, as `roomful join` does, to learn who the host is.
    private static func scouted(room: String?, at: String?, fingerprint: Pin?) async throws -> Ticket {
        var options = ControllerOptions(name: "Fleet scout")
        options.stateFolder = try StateFolder()
        let place: RoomAddress
        if let at {
            let address = try Self.place(at)
            place = .direct(host: address.host, port: Int(address.port))
        } else {
            place = .named(room ?? "")
        }
        let found = try await withController(
            options, joining: place, trust: fingerprint.map { .fingerprint($0) } ?? .knownHosts
        ) { controller in controller.room }
        guard let address = Ticket.Address(found.address) else {
            throw RoomError(.badOption, "the room's address \(found.address) is none that a fleet can use")
        }
        return try Ticket(addresses: [address], pin: found.pin, code: nil, room: found.name, roomID: found.id)
    }
}
