import InputMerge
import WireProtocol

/// What a player brings along, as it is kept with the lease of the player's controller.
struct StoredTalents: Hashable, Sendable, Codable {
    /// How readily the player's gestures are recognised: 0.5 to 2.
    var sensitivity = 1.0
    var gestures: [TaughtGesture] = []

    var isEmpty: Bool { sensitivity == 1 && gestures.isEmpty }
}
