/// Why a side leaves, by the word of control messages. A struct of static members, so that reasons can be added.
public struct FarewellReason: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral word: String) { self.init(rawValue: word) }

    /// The controller leaves for good: its seat is free at once.
    public static let left = FarewellReason(rawValue: "left")
    /// The controller pauses: its seat stays reserved.
    public static let paused = FarewellReason(rawValue: "paused")
    /// Its page was closed, and may come back: its seat stays reserved for a moment.
    public static let away = FarewellReason(rawValue: "away")
    /// The host closes the room.
    public static let closing = FarewellReason(rawValue: "closing")
    /// The operator took the seat.
    public static let kicked = FarewellReason(rawValue: "kicked")
    /// Another connection speaks for this controller.
    public static let replaced = FarewellReason(rawValue: "replaced")
    /// The controller has a seat in another room by now.
    public static let moved = FarewellReason(rawValue: "moved")
    /// The controller sent far more than it declared.
    public static let tooFast = FarewellReason(rawValue: "tooFast")

    /// Those that this version says.
    package static let all: Set<FarewellReason> = [
        .left, .paused, .away, .closing, .kicked, .replaced, .moved, .tooFast,
    ]
}

extension GoodbyeReason {
    /// What a control message's reason is to a link; what links have no word for is the end too.
    package init(_ reason: FarewellReason) {
        switch reason {
        case .left: self = .left
        case .paused: self = .paused
        case .closing: self = .closing
        case .kicked: self = .kicked
        case .replaced: self = .replaced
        case .tooFast: self = .tooFast
        default: self = .other
        }
    }
}
