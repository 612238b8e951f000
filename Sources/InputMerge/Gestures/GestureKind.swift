/// The name of a gesture, as events and definitions bear it.
public struct GestureKind: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The paper's plain jump: user acceleration along y above a threshold, and not again for a while.
    public static let keepCalmJump: GestureKind = "keepcalm-jump"
    /// A body leaves the ground and lands again.
    public static let jump: GestureKind = "jump"
    /// The device is dropped or thrown.
    public static let freeFall: GestureKind = "free-fall"
    /// The device leans away from where it lay at the last re-zero (at first: from face up).
    public static let tilt: GestureKind = "tilt"
    /// The device is moved to and fro, hard.
    public static let shake: GestureKind = "shake"
}
