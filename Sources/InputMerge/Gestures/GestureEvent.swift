public import WireProtocol

/// A player's gesture, or a part of it: every `began` is followed by exactly one `ended` with the same id.
public struct GestureEvent: Hashable, Sendable {
    /// Which part of a gesture it tells.
    public enum Phase: String, Hashable, Sendable, Codable, Comparable {
        /// It is recognised; told once.
        case began
        /// It is stronger than was told, or more is known of it. Any number of times.
        case changed
        /// It is over; told once for each that began.
        case ended

        public static func < (a: Phase, b: Phase) -> Bool { a.rank < b.rank }

        private var rank: Int {
            switch self {
            case .began: 0
            case .changed: 1
            case .ended: 2
            }
        }
    }

    /// How it came about.
    public enum Source: String, Hashable, Sendable, Codable {
        /// The device was moved.
        case motion
        /// A button was pressed that means the gesture; of several controllers, at least one's.
        case button
    }

    /// Who did it.
    public var player: PlayerNumber
    /// What was done.
    public var gesture: GestureKind
    /// Which part of it this is.
    public var phase: Phase
    /// The same from `began` to `ended`.
    public var id: GestureID
    /// When it happened: device time mapped to the host's clock.
    public var occurredAt: HostTime
    /// How far ``occurredAt`` may be wrong either way, in ns: clock, a sample period and sensor latency; and how far it
    /// was moved so that a stream's time does not run backwards. `nil` only while the controller's clock was not measured.
    public var uncertaintyNanoseconds: Int64?
    /// 0 (just enough) to 1 (as strong as the definition counts).
    public var strength: Double
    /// 0 to 1: how far beyond its threshold, halved shortly after a hole in the stream.
    public var confidence: Double
    /// Who did it, in ascending order.
    public var controllers: [PeerIndex]
    /// Height, time to contact and the like, as far as this gesture has them.
    public var measures: GestureMeasures
    /// Whether somebody moved, or pressed a button instead.
    public var source: Source
    /// Part of ``uncertaintyNanoseconds``: the time before ``occurredAt``, since the sample before, at which nobody looked,
    /// or since its first sign, which a haptic may have made.
    public var unseenNanoseconds: Int64

    /// A part of a gesture, as the merge found it; nothing is checked.
    public init(
        player: PlayerNumber, gesture: GestureKind, phase: Phase, id: GestureID, occurredAt: HostTime,
        uncertaintyNanoseconds: Int64?, strength: Double, confidence: Double, controllers: [PeerIndex],
        measures: GestureMeasures = GestureMeasures(), source: Source = .motion, unseenNanoseconds: Int64 = 0
    ) {
        self.player = player
        self.gesture = gesture
        self.phase = phase
        self.id = id
        self.occurredAt = occurredAt
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
        self.strength = strength
        self.confidence = confidence
        self.controllers = controllers
        self.measures = measures
        self.source = source
        self.unseenNanoseconds = unseenNanoseconds
    }
}

/// One gesture of one player, unique within a ``Merge``.
///
/// Numbered per player, so that what others do meanwhile never changes a player's ids.
public struct GestureID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Who did it.
    public var player: PlayerNumber
    /// 1 for the player's first gesture.
    public var serial: UInt64

    /// The player's gesture of this number, counted from 1.
    public init(player: PlayerNumber, serial: UInt64) {
        self.player = player
        self.serial = serial
    }

    /// Of its ``description``; `nil` for a text that is none.
    public init?(_ text: String) {
        let parts = text.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
        guard text.first == "g", parts.count == 2, let player = PlayerNumber(parts[0]), let serial = UInt64(parts[1])
        else { return nil }
        self.init(player: player, serial: serial)
    }

    public static func < (a: GestureID, b: GestureID) -> Bool { (a.player, a.serial) < (b.player, b.serial) }

    /// For events: `g2-41` is P2's 41st gesture.
    public var description: String { "g\(player)-\(serial)" }
}
