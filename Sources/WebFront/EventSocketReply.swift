import RoomRecords
import WireProtocol

/// The answer to a command among the events: what a POST is answered, with its type and the asker's id.
struct EventSocketReply: Encodable, Sendable {
    /// What the asker knows its command by: a number or a text, which the answer bears as it came.
    enum ID: Hashable, Sendable {
        case whole(Int)
        case number(Double)
        case text(String)

        /// In bytes of UTF-8.
        static let longest = 128
    }

    struct Mark: Decodable, Sendable { var id: ID? }

    static let unusableID = OperatorReply(
        RoomError(.badOption, "an id is a number, or a text of at most \(ID.longest) bytes: this is not carried out"))

    var reply: OperatorReply
    var id: ID?

    init(_ reply: OperatorReply, id: ID? = nil) {
        self.reply = reply
        self.id = id
    }

    private enum Key: CodingKey { case type, id }

    func encode(to encoder: any Encoder) throws {
        try reply.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("reply", forKey: .type)
        try container.encodeIfPresent(id, forKey: .id)
    }
}

extension EventSocketReply.ID: Codable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let whole = try? value.decode(Int.self) {
            self = .whole(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            let text = try value.decode(String.self)
            guard text.utf8.count <= Self.longest else {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "longer than \(Self.longest) bytes")
            }
            self = .text(text)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .whole(let whole): try value.encode(whole)
        case .number(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        }
    }
}
