/// What a controller looks for in its own motion, so that its player feels it without a way to the host and back.
///
/// The host decides all the same: what the controller found is held against what the host sees in the same samples.
public struct LocalDetection: Hashable, Sendable {
    /// A finger taps the device: the host's own rule, as its gesture has it.
    public struct Tap: Hashable, Sendable {
        /// How hard a knock must be, in g: 0 to 65.535, in steps of 0.001.
        public var knock: Double
        /// Nothing is below this, in g: 0 to 65.535, in steps of 0.001.
        public var calm: Double
        /// A tap turns the device slower than this, in rad/s: 0 to 65.535, in steps of 0.001.
        public var turn: Double
        /// It is over within this: 0 to 65,535 ms.
        public var longest: Duration
        /// For so long before it, and for half of it afterwards, nothing else happens: 0 to 65,535 ms.
        public var quiet: Duration

        /// A rule; what is beyond its range is cut where it is sent.
        public init(knock: Double, calm: Double, turn: Double, longest: Duration, quiet: Duration) {
            self.knock = knock
            self.calm = calm
            self.turn = turn
            self.longest = longest
            self.quiet = quiet
        }
    }

    /// `nil` while taps are not to be looked for.
    public var tap: Tap?
    /// What is played at once; a ``Haptic/duration`` of zero for nothing. Its id and time to live mean nothing.
    public var haptic: Haptic

    /// What to look for, and what to play then.
    public init(tap: Tap?, haptic: Haptic) {
        self.tap = tap
        self.haptic = haptic
    }
}

/// A gesture that a controller found in its own motion.
public struct LocalFind: Hashable, Sendable {
    /// What a controller can look for.
    public enum Gesture: UInt8, Hashable, Sendable, CaseIterable {
        /// A finger taps the device.
        case tap = 1
    }

    /// What was found.
    public var gesture: Gesture
    /// The controller's own number for it, at least ``firstID``: the receipt of what is played for it bears it.
    public var id: UInt32
    /// When the sample was taken that showed it.
    public var occurredAt: DeviceTime

    /// Haptics of the host's have lower numbers.
    public static let firstID: UInt32 = 0x8000_0000

    /// - Parameter id: at least ``firstID``.
    public init(gesture: Gesture, id: UInt32, occurredAt: DeviceTime) {
        self.gesture = gesture
        self.id = id
        self.occurredAt = occurredAt
    }
}
