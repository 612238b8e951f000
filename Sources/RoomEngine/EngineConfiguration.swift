public import InputMerge
public import SessionCoordinator

/// What a host decides about its room, as far as the engine needs to know.
public struct EngineConfiguration: Hashable, Sendable {
    public var room: RoomConfiguration
    /// How samples become gestures.
    public var merge: MergeConfiguration
    /// Whether each gesture that begins is answered by a short haptic on its controllers.
    public var answersGesturesWithHaptics: Bool

    public init(
        room: RoomConfiguration, merge: MergeConfiguration = MergeConfiguration(),
        answersGesturesWithHaptics: Bool = true
    ) {
        self.room = room
        self.merge = merge
        self.answersGesturesWithHaptics = answersGesturesWithHaptics
    }
}
