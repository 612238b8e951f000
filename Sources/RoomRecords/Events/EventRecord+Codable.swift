import Datagrams
import InputMerge
import WireProtocol

extension EventRecord: Codable {
    private enum Key: String, CodingKey { case type }

    /// Of what it tells; the word in `type`.
    package enum Kind: String, CaseIterable, Sendable {
        case hello, player, gesture, motion, team, verdict, link, haptic, room, asking, queue, teaching, shaping, sensor
        case omitted, battery, submersion, local
    }

    package var kind: Kind {
        switch self {
        case .hello: .hello
        case .player: .player
        case .gesture: .gesture
        case .motion: .motion
        case .team: .team
        case .verdict: .verdict
        case .link: .link
        case .haptic: .haptic
        case .room: .room
        case .asking: .asking
        case .queue: .queue
        case .teaching: .teaching
        case .shaping: .shaping
        case .sensor: .sensor
        case .omitted: .omitted
        case .battery: .battery
        case .submersion: .submersion
        case .local: .local
        }
    }

    /// The word in `type`.
    package var type: String { kind.rawValue }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        switch self {
        case .hello(let body): try body.encode(to: encoder)
        case .player(let body): try body.encode(to: encoder)
        case .gesture(let body): try body.encode(to: encoder)
        case .motion(let body): try body.encode(to: encoder)
        case .team(let body): try body.encode(to: encoder)
        case .verdict(let body): try body.encode(to: encoder)
        case .link(let body): try body.encode(to: encoder)
        case .haptic(let body): try body.encode(to: encoder)
        case .room(let body): try body.encode(to: encoder)
        case .asking(let body): try body.encode(to: encoder)
        case .queue(let body): try body.encode(to: encoder)
        case .teaching(let body): try body.encode(to: encoder)
        case .shaping(let body): try body.encode(to: encoder)
        case .sensor(let body): try body.encode(to: encoder)
        case .omitted(let body): try body.encode(to: encoder)
        case .battery(let body): try body.encode(to: encoder)
        case .submersion(let body): try body.encode(to: encoder)
        case .local(let body): try body.encode(to: encoder)
        }
    }

    /// - Throws: `DecodingError` for a type that this version does not know; a reader skips such a line.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let type = try container.decode(String.self, forKey: .type)
        switch Kind(rawValue: type) {
        case .hello: self = .hello(try Hello(from: decoder))
        case .player: self = .player(try Player(from: decoder))
        case .gesture: self = .gesture(try Gesture(from: decoder))
        case .motion: self = .motion(try Motion(from: decoder))
        case .team: self = .team(try Team(from: decoder))
        case .verdict: self = .verdict(try Verdict(from: decoder))
        case .link: self = .link(try Link(from: decoder))
        case .haptic: self = .haptic(try Haptic(from: decoder))
        case .room: self = .room(try Room(from: decoder))
        case .asking: self = .asking(try Asking(from: decoder))
        case .queue: self = .queue(try Queue(from: decoder))
        case .teaching: self = .teaching(try Teaching(from: decoder))
        case .shaping: self = .shaping(try Shaping(from: decoder))
        case .sensor: self = .sensor(try Sensor(from: decoder))
        case .omitted: self = .omitted(try Omitted(from: decoder))
        case .battery: self = .battery(try Battery(from: decoder))
        case .submersion: self = .submersion(try Submersion(from: decoder))
        case .local: self = .local(try Local(from: decoder))
        case nil:
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: container, debugDescription: "no event is of type \"\(type)\" in this version")
        }
    }
}
