/// How the gestures of several controllers become gestures of the one player whom they drive.
public enum FusionRule: Hashable, Sendable {
    /// Whatever any controller does, the player does.
    case any
    /// The player does what every live controller did within this time, once: synchrony. 10 ms to 10 s.
    case all(within: Duration)

    var problem: String? {
        switch self {
        case .any: nil
        case .all(let window): outOfRange("within", window, in: .milliseconds(10) ... .seconds(10))
        }
    }
}
