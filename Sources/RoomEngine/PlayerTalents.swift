public import InputMerge
import SessionCoordinator
import WireProtocol

/// What a player brings along wherever they sit: kept with the lease of the player's controller.
public struct PlayerTalents: Hashable, Sendable, Codable {
    /// How readily the player's gestures are recognised: 0.5 to 2, 1 as defined.
    public var sensitivity: Double
    /// What the player taught.
    public var gestures: [TaughtGesture]
    /// How long the player flies, as far as jumps have shown.
    public var airtimes: Airtimes

    /// Nothing known: gestures count as configured, and none was taught.
    public init(sensitivity: Double = 1, gestures: [TaughtGesture] = [], airtimes: Airtimes = Airtimes()) {
        self.sensitivity = sensitivity
        self.gestures = gestures
        self.airtimes = airtimes
    }

    private enum Key: String, CodingKey { case sensitivity, gestures, airtimes }

    /// What was kept before jumps were learnt knows of none.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        sensitivity = try fields.decode(Double.self, forKey: .sensitivity)
        gestures = try fields.decode([TaughtGesture].self, forKey: .gestures)
        airtimes = try fields.decodeIfPresent(Airtimes.self, forKey: .airtimes) ?? Airtimes()
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(sensitivity, forKey: .sensitivity)
        try fields.encode(gestures, forKey: .gestures)
        if airtimes.count > 0 { try fields.encode(airtimes, forKey: .airtimes) }
    }

    /// Whether the player is like any other.
    public var isEmpty: Bool { sensitivity == 1 && gestures.isEmpty && airtimes.count == 0 }
}

/// What somebody brings along who was invited from another room, and has not come yet.
struct Traveller: Hashable, Sendable {
    var offer: OfferID
    var controller: ControllerID
    var talents: PlayerTalents
}
