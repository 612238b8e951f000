import Identity
import Roomful

/// The address of one of a room's pages, as rooms make them: a place, a plain path, and perhaps a token behind the `#`.
///
/// Another host of a site, or whoever broke into a room's program, answers with what they like. Nothing else than such an
/// address gets into a browser or a file of ours.
struct PageLink {
    let text: String

    /// - Throws: ``RoomError`` for anything else, without its words.
    init(_ text: String) throws {
        guard Self.isOfARoom(text) else {
            throw RoomError(
                .closed, "the room answered with an address that no room makes for its pages; nothing is opened")
        }
        self.text = text
    }

    private static func isOfARoom(_ text: String) -> Bool {
        // Code units, not characters: a sign with an accent over it would not be seen as the sign that it is.
        guard let scheme = ["http://", "https://"].first(where: { text.utf8.starts(with: $0.utf8) }) else {
            return false
        }
        let rest = Substring(text.utf8.dropFirst(scheme.utf8.count))
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")),
            let place = percentDecoded(rest[..<slash]), Ticket.Address(place) ?? Ticket.Address("\(place):443") != nil
        else { return false }
        let parts = rest[slash...].utf8.split(
            separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].allSatisfy(isPlain) else { return false }
        guard parts.count == 2 else { return true }
        return parts[1].starts(with: "t=".utf8) && AccessToken(Substring(parts[1].dropFirst(2))) != nil
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
