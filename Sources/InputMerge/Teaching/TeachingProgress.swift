public import WireProtocol

/// How a player's lesson goes on.
public struct TeachingProgress: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        /// So many examples were shown; one more is wanted.
        case example(Int)
        /// This one was unlike those before, and does not count.
        case unlike(shown: Int)
        /// Nothing more was shown in time, or the operator called it off: everything is as before.
        case abandoned
        /// The gesture is recognised from now on.
        case finished(TaughtGesture)
    }

    public var player: PlayerNumber
    public var gesture: GestureKind
    /// How many examples are wanted.
    public var times: Int
    public var step: Step

    public init(player: PlayerNumber, gesture: GestureKind, times: Int, step: Step) {
        self.player = player
        self.gesture = gesture
        self.times = times
        self.step = step
    }
}
