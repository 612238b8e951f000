extension ControlMessage: Codable {
    private enum Key: String, CodingKey { case type, kind, v }

    /// The word in `type`.
    public var type: String {
        switch self {
        case .hello: "hello"
        case .invite: "invite"
        case .waiting: "waiting"
        case .seated: "seated"
        case .refused: "refused"
        case .status: "status"
        case .goodbye: "goodbye"
        case .sensor: "sensor"
        case .renamed: "renamed"
        case .buttons: "buttons"
        case .recording: "recording"
        case .offer: "offer"
        case .unknown: "unknown"
        case .unrecognised(let type): type
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        switch self {
        case .hello(let body): try body.encode(to: encoder)
        case .invite(let body): try body.encode(to: encoder)
        case .waiting(let body): try body.encode(to: encoder)
        case .seated(let body): try body.encode(to: encoder)
        case .refused(let body): try body.encode(to: encoder)
        case .status(let body): try body.encode(to: encoder)
        case .goodbye(let body): try body.encode(to: encoder)
        case .sensor(let body): try body.encode(to: encoder)
        case .renamed(let body): try body.encode(to: encoder)
        case .buttons(let body): try body.encode(to: encoder)
        case .recording(let body): try body.encode(to: encoder)
        case .offer(let body): try body.encode(to: encoder)
        case .unknown(let kind): try container.encode(kind, forKey: .kind)
        case .unrecognised: break
        }
    }

    /// A type of a later version becomes `unrecognised`; what cannot be read at all throws a `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let type = try container.decode(String.self, forKey: .type)
        switch type {
        case "hello": self = .hello(try RoomGreeting(from: decoder))
        case "invite":
            let version = try container.decode(Int.self, forKey: .v)
            self = .invite(version == Self.version ? try Invitation(from: decoder) : Invitation(ofVersion: version))
        case "waiting": self = .waiting(try Waiting(from: decoder))
        case "seated": self = .seated(try Seated(from: decoder))
        case "refused": self = .refused(try Refusal(from: decoder))
        case "status": self = .status(try LinkStatus(from: decoder))
        case "sensor": self = .sensor(try SensorReport(from: decoder))
        case "renamed": self = .renamed(try Renamed(from: decoder))
        case "offer": self = .offer(try RoomOffer(from: decoder))
        case "buttons": self = .buttons(try ButtonList(from: decoder))
        case "recording": self = .recording(try RecordingNotice(from: decoder))
        case "goodbye": self = .goodbye(try Farewell(from: decoder))
        case "unknown": self = .unknown(type: try container.decodeIfPresent(String.self, forKey: .kind) ?? "")
        default: self = .unrecognised(type: String(type.prefix(64)))
        }
    }

    /// Why bytes could not be read as a message, for whoever wrote them: by the field, where one is at fault.
    package static func problem(reading error: any Error) -> String {
        let (path, fault): ([any CodingKey], String) =
            switch error {
            case DecodingError.keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case DecodingError.valueNotFound(_, let context): (context.codingPath, "is missing")
            case DecodingError.typeMismatch(_, let context): (context.codingPath, "cannot be read")
            case DecodingError.dataCorrupted(let context): (context.codingPath, "cannot be read")
            default: ([], "")
            }
        // Foundation says nothing of where a number stands that is beyond its field.
        guard !path.isEmpty else {
            return "That is no control message of this version, or a number in it is beyond what its field holds."
        }
        var field = ""
        for key in path {
            field += key.intValue.map { "[\($0)]" } ?? (field.isEmpty ? "" : ".") + key.stringValue
        }
        return "\(field) \(fault)."
    }
}
