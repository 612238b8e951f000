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
    /// What controllers look for themselves, so that it is felt at once; of ``gesturesFoundLocally``.
    public var localGestures: [GestureKind]

    /// What a controller can look for at all.
    public static let gesturesFoundLocally: [GestureKind] = [.tap]

    /// A room that answers gestures with haptics, as phones are expected to, unless told otherwise.
    public init(
        room: RoomConfiguration, merge: MergeConfiguration = MergeConfiguration(),
        answersGesturesWithHaptics: Bool = true, localGestures: [GestureKind] = []
    ) {
        self.room = room
        self.merge = merge
        self.answersGesturesWithHaptics = answersGesturesWithHaptics
        self.localGestures = localGestures
    }

    /// Why these cannot be looked for by controllers, in words; `nil` when they can.
    public func problem(ofLocal gestures: [GestureKind]) -> String? {
        let possible = Self.gesturesFoundLocally.map(\.rawValue).joined(separator: ", ")
        for gesture in gestures {
            if !Self.gesturesFoundLocally.contains(gesture) {
                return "controllers can look for \(possible) themselves, and not for \"\(gesture.rawValue)\""
            }
            if !merge.gestures.contains(where: { $0.kind == gesture }) {
                return "this room does not watch for \"\(gesture.rawValue)\", so its controllers cannot either"
            }
        }
        return nil
    }
}
