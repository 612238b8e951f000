public import InputMerge
public import SessionCoordinator

/// What a host decides about its room, as far as the engine needs to know.
public struct EngineConfiguration: Hashable, Sendable {
    /// Who may sit, for how long in silence, and how links are sealed.
    public var room: RoomConfiguration
    /// How samples become gestures.
    public var merge: MergeConfiguration
    /// Whether each gesture that begins is answered by a short haptic on its controllers.
    public var answersGesturesWithHaptics: Bool

    /// A room that answers gestures with haptics, as phones are expected to, unless told otherwise.
    public init(
        room: RoomConfiguration, merge: MergeConfiguration = MergeConfiguration(),
        answersGesturesWithHaptics: Bool = true
    ) {
        self.room = room
        self.merge = merge
        self.answersGesturesWithHaptics = answersGesturesWithHaptics
    }
}
