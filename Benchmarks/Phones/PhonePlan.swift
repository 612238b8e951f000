import Foundation
import Roomful

/// How many phones do what for how long.
struct PhonePlan: Sendable {
    var phones = 150
    /// Samples a second of each.
    var rate = 60.0
    var seconds = 20.0
    /// Where to; `nil` makes a room.
    var link: RoomLink?

    init(_ arguments: some Collection<String>) throws {
        var rest = Array(arguments)[...]
        var via: String?
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Misuse() }
            switch option {
            case "--phones": phones = try Self.number(value, 1...10_000)
            case "--rate": rate = Double(try Self.number(value, 1...1_000))
            case "--for": seconds = Double(try Self.number(value.replacing("s", with: ""), 1...86_400))
            case "--link": link = try RoomLink(value)
            case "--via": via = value
            default: throw Misuse()
            }
        }
        if let via {
            guard let address = Ticket.Address(via) else { throw Misuse() }
            link?.connectTo = address
        }
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else { throw Misuse() }
        return number
    }

    struct Misuse: Error, CustomStringConvertible {
        let description =
            "use: PhoneBenchmark [--phones 150] [--rate 60] [--for 20] [--link URL [--via ADDRESS:PORT]]"
    }
}

/// A room as a QR code names it, and where the connection really goes.
struct RoomLink: Sendable {
    let ticket: Ticket
    /// What browsers say to whom they speak: a `Host` header.
    let authority: String
    var connectTo: Ticket.Address

    init(_ url: String) throws {
        ticket = try Ticket(url)
        authority = String(url.dropFirst("https://".count).prefix { $0 != "/" })
        connectTo = ticket.addresses[0]
    }

    /// The name without a port, for TLS; `nil` for an address.
    var serverName: String? {
        let host = ticket.addresses[0].host
        return host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } ? nil : host
    }
}
