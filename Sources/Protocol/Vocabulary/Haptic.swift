/// Something for a player to feel, in CoreHaptics' terms.
public struct Haptic: Hashable, Sendable {
    /// The host's number for this haptic; the receipt bears the same.
    public var id: UInt32
    /// 0 (nothing) to 1 (as strong as the device can).
    public var intensity: Double
    /// 0 (dull) to 1 (crisp).
    public var sharpness: Double
    /// 1 ms to 5 s.
    public var duration: Duration
    /// How long after it was commanded it is still worth playing, up to 10 s; older ones are refused as `expired`. On
    /// its way it says what is left of that when it is sent; 0 is for ever.
    public var timeToLive: Duration

    /// Something to feel; intensity and sharpness from 0 to 1, as in CoreHaptics. The defaults are a short, plain bump.
    public init(
        id: UInt32, intensity: Double = 0.7, sharpness: Double = 0.5, duration: Duration = .milliseconds(60),
        timeToLive: Duration = .milliseconds(500)
    ) {
        self.id = id
        self.intensity = intensity
        self.sharpness = sharpness
        self.duration = duration
        self.timeToLive = timeToLive
    }
}

/// What became of a haptic on the controller.
public struct HapticReceipt: Hashable, Sendable {
    /// Whether it was felt: every haptic has exactly one of the two.
    public enum Outcome: Hashable, Sendable {
        /// Played, beginning at this moment on the controller's clock.
        case played(at: DeviceTime)
        /// Not played, and why.
        case refused(Refusal)
    }

    /// Why a controller did not play a haptic.
    public enum Refusal: UInt8, Hashable, Sendable, CaseIterable {
        /// The device has nothing to play it with.
        case unsupported = 1
        /// It arrived later than its time to live, or was taken back, as it would have.
        case expired = 2
        /// The user or the system forbids it now (silent, hidden, no activation).
        case notAllowed = 3
        /// A stronger one is playing, or what would stand for it cannot be shown now.
        case busy = 4
    }

    /// The id of the haptic that it answers.
    public var id: UInt32
    /// Whether it was played, and when or why not.
    public var outcome: Outcome

    /// The answer to the haptic with this id.
    public init(id: UInt32, outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }
}
