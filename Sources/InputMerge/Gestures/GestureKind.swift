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
    /// A short, fast turn that stops again.
    public static let flick: GestureKind = "flick"
    /// The device is swung like a racket, and may hit something.
    public static let swing: GestureKind = "swing"
    /// A turn about one axis, as of a key.
    public static let twist: GestureKind = "twist"
    /// A finger taps the device.
    public static let tap: GestureKind = "tap"
    /// The device is not moved at all.
    public static let holdStill: GestureKind = "hold-still"
    /// Steps, and what is as regular.
    public static let rhythm: GestureKind = "rhythm"
    /// The device leans away from where it lay at the last re-zero (at first: from face up).
    public static let tilt: GestureKind = "tilt"
    /// The device is moved to and fro, hard.
    public static let shake: GestureKind = "shake"
}
