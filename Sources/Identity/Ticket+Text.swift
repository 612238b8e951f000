import WireProtocol
/// A ticket as the lines of a file.
///
/// ```
/// roomful-ticket 1
/// room Living Room
/// id 00112233445566778899aabbccddeeff
/// pin 3f2a91bc…
/// code 7KQM-2X9D
/// address 192.168.1.5:7777
/// ```
extension Ticket {
    /// Holds the code: write it for its owner only.
    public var text: String {
        var lines = ["roomful-ticket 1", "room \(room)", "id \(roomID)", "pin \(pin)"]
        if let code { lines.append("code \(code.text)") }
        lines += addresses.map { "address \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    init(lines text: Substring) throws(IdentityError) {
        var fields = Fields()
        var isTicket = false
        for line in text.split(whereSeparator: \.isNewline) {
            guard let (key, value) = split(line), !key.hasPrefix("#") else { continue }
            if !isTicket {
                guard key == "roomful-ticket" else {
                    throw .malformedTicket("it does not begin with “roomful-ticket 1”")
                }
                guard value == "1" else { throw .malformedTicket("it is of version \(printable(value)), not 1") }
                isTicket = true
            } else {
                try fields.set(key, value)
            }
        }
        guard isTicket else { throw .malformedTicket("it is empty") }
        try self.init(fields)
    }

    /// What was read so far, before it is known whether everything is there.
    struct Fields {
        var addresses: [Address] = []
        var pin: Pin?
        var code: AdmissionCode?
        var room: String?
        var roomID: RoomID?

        /// Takes a field by its name in a file; one that this version does not know is left out.
        mutating func set(_ key: String, _ value: String) throws(IdentityError) {
            switch key {
            case "room": room = value
            case "id": roomID = try parsed(RoomID(value), key)
            case "pin": pin = try parsed(Pin(value), key)
            case "code": code = try parsed(AdmissionCode(value), key)
            case "address": addresses.append(try parsed(Address(value), key))
            default: break
            }
        }
    }

    init(_ fields: Fields) throws(IdentityError) {
        guard let pin = fields.pin else { throw .malformedTicket("it has no pin") }
        guard let roomID = fields.roomID else { throw .malformedTicket("it has no room's id") }
        guard let room = fields.room else { throw .malformedTicket("it has no room's name") }
        try self.init(addresses: fields.addresses, pin: pin, code: fields.code, room: room, roomID: roomID)
    }
}

/// The value, or an error that names the field and never repeats what was in it.
func parsed<Value>(_ value: Value?, _ field: String) throws(IdentityError) -> Value {
    guard let value else { throw .malformedTicket("its \(field) is broken") }
    return value
}

/// The word before the first space, in lower case, and what follows, without spaces around it.
private func split(_ line: Substring) -> (key: String, value: String)? {
    var line = line
    while line.first?.isWhitespace == true { line.removeFirst() }
    while line.last?.isWhitespace == true { line.removeLast() }
    guard !line.isEmpty else { return nil }
    let key = line.prefix { !$0.isWhitespace }
    return (key.lowercased(), String(line[key.endIndex...].drop { $0.isWhitespace }))
}
