public import InputMerge

/// What a player brings along wherever they sit: kept with the lease of the player's controller.
public struct PlayerTalents: Hashable, Sendable, Codable {
    /// How readily the player's gestures are recognised: 0.5 to 2, 1 as defined.
    public var sensitivity: Double
    /// What the player taught.
    public var gestures: [TaughtGesture]

    public init(sensitivity: Double = 1, gestures: [TaughtGesture] = []) {
        self.sensitivity = sensitivity
        self.gestures = gestures
    }

    /// Whether the player is like any other.
    public var isEmpty: Bool { sensitivity == 1 && gestures.isEmpty }
}
