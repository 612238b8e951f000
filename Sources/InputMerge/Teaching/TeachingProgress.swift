public import WireProtocol

/// How a player's lesson goes on.
public struct TeachingProgress: Hashable, Sendable {
    /// What happened in the lesson.
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

    /// Who teaches.
    public var player: PlayerNumber
    /// The gesture that is being shown.
    public var gesture: GestureKind
    /// How many examples are wanted; more than were asked for once more would help.
    public var times: Int
    /// What happened.
    public var step: Step
    /// Which gesture that was taught before is so near that this one might be taken for it.
    public var alike: GestureKind?

    /// A step of a lesson; `times` is the number of examples that is wanted now.
    public init(player: PlayerNumber, gesture: GestureKind, times: Int, step: Step, alike: GestureKind? = nil) {
        self.player = player
        self.gesture = gesture
        self.times = times
        self.step = step
        self.alike = alike
    }
}
