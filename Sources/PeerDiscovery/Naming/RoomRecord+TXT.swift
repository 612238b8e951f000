import WireProtocol

extension RoomRecord {
    /// The record as `key=value` strings, `txtvers` first. Never above 255 bytes each and 300 together.
    public var strings: [[UInt8]] {
        TXTValues.strings([
            ("txtvers", TXTValues.layout),
            ("v", protocolVersion.map(String.init)),
            ("id", id.description),
            ("game", game?.text),
            ("free", freeSeats.map(String.init)),
            ("seats", totalSeats.map(String.init)),
            ("policy", policy?.rawValue),
            ("pin", pin?.description),
            ("locked", isLocked ? "1" : nil),
        ])
    }

    /// Reads what some device on the network sent as a TXT record.
    ///
    /// Of a repeated key the first counts; unknown keys and strings without a key are ignored (RFC 6763, 6.4). A value
    /// that makes no sense is taken as absent.
    public init(strings: [[UInt8]]) throws(RecordRejection) {
        let values = try TXTValues(strings, of: ["v", "id", "game", "free", "seats", "policy", "pin", "locked"])
        guard let id = values["id"].flatMap({ RoomID($0) }) else { throw .noRoomID }
        self.init(id: id)
        protocolVersion = values.decimal("v")
        game = values["game"].flatMap(GameLabel.init)
        totalSeats = values.decimal("seats")
        freeSeats = values.decimal("free").flatMap { $0 <= totalSeats ?? .max ? $0 : nil }
        policy = values["policy"].flatMap(Policy.init)
        pin = values["pin"].flatMap { Pin(announced: $0) }
        isLocked = values["locked"] == "1"
    }
}

/// Why a TXT record does not describe a room of ours.
public enum RecordRejection: Error, Sendable, Hashable {
    /// More than 1,300 bytes.
    case oversize
    /// `txtvers` is not 1.
    case unknownLayout
    /// `id` is absent or no 32 hexadecimal digits.
    case noRoomID
}
