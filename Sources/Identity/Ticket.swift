public import WireProtocol

/// Everything that a controller needs to join a room: where it is, how it is recognised, and what admits.
///
/// The QR code carries it as a URL, `--code-file` as text. Whoever holds one with a code is let in, so it is written
/// for its owner only, and printing it by accident does not show the code.
public struct Ticket: Equatable, Sendable {
    /// Where the room can be reached, the best first; never empty.
    public let addresses: [Address]
    /// How the room's authority is recognised.
    public let pin: Pin
    /// What admits the controller; `nil` for a room that asks its operator, or nobody.
    public let code: AdmissionCode?
    /// The room's name, 1 to 63 bytes, without control characters.
    public let room: String
    /// The room that the ticket is for.
    public let roomID: RoomID

    /// The longest ticket that is read, in bytes.
    public static let longest = 2_048
    /// The most addresses of a ticket.
    public static let mostAddresses = 8

    /// - Throws: ``IdentityError`` with `malformedTicket` if there is no address, or if the name cannot be a room's.
    ///   Of more than 8 addresses the first 8 are kept.
    public init(
        addresses: [Address], pin: Pin, code: AdmissionCode?, room: String, roomID: RoomID
    ) throws(IdentityError) {
        guard !addresses.isEmpty else { throw .malformedTicket("it has no address") }
        guard (1...63).contains(room.utf8.count), room.unicodeScalars.allSatisfy(isPrintable) else {
            throw .malformedTicket("the room's name must have 1 to 63 bytes and no control characters")
        }
        self.addresses = Array(addresses.prefix(Ticket.mostAddresses))
        self.pin = pin
        self.code = code
        self.room = room
        self.roomID = roomID
    }

    /// Reads a ticket as text or as a URL, whichever it is.
    ///
    /// Line ends, case, blank lines, unknown fields and brackets or quotes around it do not matter; what is missing or broken
    /// is named.
    public init(_ text: String) throws(IdentityError) {
        guard text.utf8.count <= Ticket.longest else {
            throw .malformedTicket("it is longer than \(Ticket.longest) bytes")
        }
        let bare = Ticket.bare(text)
        if bare.lowercased().hasPrefix("https://") {
            try self.init(url: bare)
        } else {
            try self.init(lines: bare)
        }
    }

    /// Without what was copied with it. No ticket begins with a bracket or a quote; where one stands, its fellow is none of
    /// the ticket's end.
    private static func bare(_ text: String) -> Substring {
        var bare = text[...]
        while true {
            while let first = bare.first, first.isWhitespace || first == "\u{FEFF}" { bare.removeFirst() }
            while let last = bare.last, last.isWhitespace { bare.removeLast() }
            guard let first = bare.first, "<‹«(\"'“‘„‚".contains(first) else { return bare }
            bare.removeFirst()
            if let last = bare.last, ">›»)\"'”’“‘".contains(last) { bare.removeLast() }
        }
    }
}

extension Ticket: CustomStringConvertible {
    public var description: String {
        "ticket for \(room) at \(addresses.map(\.description).joined(separator: ", ")), pin \(pin.short)"
    }
}

extension IdentityError {
    static func malformedTicket(_ reason: String) -> IdentityError {
        IdentityError(.malformedTicket, "this is not a ticket for a room: \(reason)")
    }
}
