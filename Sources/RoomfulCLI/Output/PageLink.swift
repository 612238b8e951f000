import Identity
import Roomful
import WireProtocol

/// The address of one of a room's pages, as rooms make them: a place, a plain path, and perhaps a token behind the `#`.
///
/// Another host of a site, or whoever broke into a room's program, answers with what they like. Nothing else than such an
/// address gets into a browser or a file of ours.
struct PageLink {
    let text: String
    /// It leads to the machine on which it is opened: only there, where the room is, is it the room's.
    let isOfItsMachine: Bool

    /// - Throws: ``RoomError`` for anything else, without its words.
    init(_ text: String) throws {
        guard let place = Self.place(in: text) else {
            throw RoomError(
                .closed, "the room answered with an address that no room makes for its pages; nothing is opened")
        }
        self.text = text
        isOfItsMachine = Self.isOfItsMachine(place)
    }

    /// The same page, by a way that nobody could have foreseen: a browser shows what the room says now, and nothing that it
    /// has kept of whoever had this port before.
    var fresh: String {
        guard isOfItsMachine, let scheme = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let path = text.utf8[scheme...].dropFirst(3).firstIndex(of: UInt8(ascii: "/"))
        else { return text }
        let way = (0..<16).map { _ in "0123456789abcdef".randomElement() ?? "0" }
        return text[..<path] + "/fresh/" + String(way) + text[path...]
    }

    /// Also 0.0.0.0, which is loopback to whoever connects, and how people and resolvers write either: 127.1, localhost.
    private static func isOfItsMachine(_ place: Ticket.Address) -> Bool {
        var host = place.host.lowercased()[...]
        while host.last == "." { host.removeLast() }
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        if let address = PeerAddress(host: String(host), port: place.port) {
            return address.isLoopback || address.isUnspecified
        }
        // No name ends in a number (RFC 3696, 2): it is an address in a form that only resolvers know.
        guard let last = host.split(separator: ".").last else { return true }
        return last.hasPrefix("0x") || last.first?.isNumber == true && last.allSatisfy(\.isHexDigit)
    }

    /// Where it leads, if a room makes such addresses.
    private static func place(in text: String) -> Ticket.Address? {
        // Code units, not characters: a sign with an accent over it would not be seen as the sign that it is.
        guard let scheme = ["http://", "https://"].first(where: { text.utf8.starts(with: $0.utf8) }) else {
            return nil
        }
        let rest = Substring(text.utf8.dropFirst(scheme.utf8.count))
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")),
            let written = percentDecoded(rest[..<slash]),
            let place = Ticket.Address(written) ?? Ticket.Address("\(written):443")
        else { return nil }
        let parts = rest[slash...].utf8.split(
            separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].allSatisfy(isPlain) else { return nil }
        guard parts.count == 2 else { return place }
        let isToken = parts[1].starts(with: "t=".utf8) && AccessToken(Substring(parts[1].dropFirst(2))) != nil
        return isToken ? place : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
