public import InputMerge
public import SessionCoordinator
public import WireProtocol

/// Something that happened in a room, in the room's own terms: moments on the host's clock, typed ids, kinds of gestures.
///
/// What is printed, stored and sent of it is made at the edge (`EventRecord` in Roomful).
public enum RoomEvent: Hashable, Sendable {
    /// A player joined, was lost, came back, left or was renamed.
    case player(Player)
    /// A player's gesture began, changed or ended; the ids are those of `gesture.controllers`, in their order.
    case gesture(GestureEvent, controllers: [ControllerID])
    /// A player's motion, newest wins, 60 times a second; only while somebody wants it.
    case motion(PlayerNumber, PlayerMotion)
    /// What a team did because its players did.
    case team(TeamGestureEvent)
    /// Who was first, with ties, and final.
    case verdict(Verdict)
    /// A controller's link became good, poor or silent.
    case link(Occurrence.LinkChange, controller: ControllerID, at: HostTime)
    /// What became of a haptic.
    case haptic(Haptic)
    /// The room was locked, unlocked, goes by other terms, or closes.
    case room(Occurrence.RoomChange, at: HostTime)
    /// An invitation waits for the operator.
    case asking(ControllerID, name: String, at: HostTime)
    /// Somebody came into the queue for a seat, was called to its front, or is in it no more.
    case queue(Occurrence.QueueChange, at: HostTime)
    /// A player's lesson goes on.
    case teaching(TeachingProgress, at: HostTime)
    /// A player makes a motion that may become a gesture which it taught.
    case shaping(ShapingEvent, controller: ControllerID)
    /// A sensor of a player's controller came, went, took over, or sends what cannot be right.
    case sensor(SensorEvent, player: PlayerNumber, controller: ControllerID)
    /// A player's device came into the water, went deeper or rose, or is out of it again; once a second how deep it is there.
    case submersion(SubmersionEvent, player: PlayerNumber, controller: ControllerID)
    /// So much of what a controller did was not told, as it was more than anybody does.
    case omitted(Omission, player: PlayerNumber, controller: ControllerID)
    /// A controller's battery runs low (20, 10 and 5 %), or is charged again after that.
    case battery(BatteryNotice)
    /// A controller had found a gesture by itself: whether the host saw it, too.
    case local(LocalVerdict)

    /// A player as it stands, or what changed of it.
    public struct Player: Hashable, Sendable {
        /// When it became so, on the host's clock.
        public var at: HostTime
        /// From 1.
        public var player: PlayerNumber
        /// Whether it plays now, and how that came.
        public var state: Occurrence.PlayerChange.State
        /// The name under which it is shown; unlike any other in the room.
        public var name: String
        /// 0xRRGGBB.
        public var color: UInt32
        /// Which controller this is about, by its stable identity.
        public var controllers: [ControllerID]
    }

    /// What became of a haptic, and how long the way to it was.
    public struct Haptic: Hashable, Sendable {
        /// Whether it was felt: every haptic has exactly one of these.
        public enum Outcome: Hashable, Sendable {
            /// Felt from this moment on the host's clock, and how its time was spent, where the controller's clock is
            /// known.
            case played(at: HostTime, HapticLatency?)
            /// The controller did not play it, and says why.
            case refused(HapticReceipt.Refusal)
            /// No receipt came in time, or before the seat was given up.
            case lost
        }
        /// When the room heard of it, or gave up waiting.
        public var at: HostTime
        /// Who was to feel it.
        public var player: PlayerNumber
        /// The number under which it was sent to the controller.
        public var id: UInt32
        /// Which controller was to play it.
        public var controller: ControllerID
        /// Whether it was felt.
        public var outcome: Outcome
    }
}

/// Where a haptic's time went: sensor > network > fusion > command > played. What is not known is `nil`.
public struct HapticLatency: Hashable, Sendable {
    /// A length of time that may be below 0 by as much as it may be wrong.
    public struct Span: Hashable, Sendable {
        /// The length; its sign is true only beyond ``uncertainty``.
        public var duration: Duration
        /// The truth lies within ± this.
        public var uncertainty: Duration
    }

    /// The gesture that it answers; `nil` when nobody said: then the first three parts are not known.
    public var gesture: GestureID?
    /// From the movement until its sample left the controller.
    public var sensor: Span?
    /// From there to the host's socket.
    public var network: Span?
    /// Until the gesture was told: earlier samples and other controllers were waited for.
    public var fusion: Span?
    /// Until the command left the host; without a gesture, from when it was given.
    public var command: Span?
    /// Until the controller began to play it.
    public var played: Span?
    /// From the movement, or without a gesture from the command, until it was played.
    public var total: Span?
}
