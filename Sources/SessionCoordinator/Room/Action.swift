public import WireProtocol

/// What the shell is to do, in order. Each action stands alone; nothing to do is an empty list.
public enum Action: Hashable, Sendable {
    /// Say this on the control connection.
    case answer(ConversationID, ControlMessage)
    /// Close the control connection once everything said there has left.
    case close(ConversationID)
    /// Commit these changes to disk, then say this (a seat is answered only once it is safe).
    case commit([LeaseChange], thenAnswer: ConversationID?, ControlMessage?)
    /// This peer's samples drive these players from now on; none when it left. Its place may be another's already: who
    /// it was stands here.
    case assign(PeerIndex, of: ControllerID, to: [PlayerNumber])
    /// This peer drives nobody until it is assigned again: what its player had begun by it ends.
    case unassign(PeerIndex)
    /// A program that the host does not know speaks for this peer from now on: what was learnt of its streams and of
    /// its clock is void. Its players stay.
    case restart(PeerIndex)
    /// This peer has a new link: it is told what its buttons can mean, and what it is to look for itself.
    case opened(PeerIndex)
    /// What the player of this peer brought or taught is not the next one's: let it go.
    case forget(PeerIndex, of: ControllerID)
    /// Something that a game or an operator wants to know.
    case occurred(Occurrence, at: HostTime)
    /// The player asks that the way the controller is held now be straight ahead.
    case rezero(PeerIndex)
    /// The controller's own program points at a moment in the room's recording.
    case mark(PeerIndex, String, at: HostTime)
    /// So many such marks were dropped by now, as they were too many.
    case marksDropped(PeerIndex, Int)
    /// The controller has found a gesture by itself.
    case found(PeerIndex, LocalFind, at: HostTime)
    /// What the controller played by itself for the gesture that it found under this number; `nil` for nothing.
    case felt(PeerIndex, UInt32, at: HostTime?)
    /// The controller's own program says something to the game, reliably.
    case message(PeerIndex, [UInt8])
    /// The same, newest wins.
    case data(PeerIndex, channel: UInt8, [UInt8])
    /// The host's invitation to an idle controller has ended.
    case offerEnded(OfferID, OfferOutcome)
}

/// What happens in a room, in the words of the event schema.
public enum Occurrence: Hashable, Sendable {
    /// A player came, went, came back, or has another name.
    case player(PlayerChange)
    /// How well a player's controller is heard changed.
    case link(LinkChange)
    /// What became of something that a player was to feel.
    case haptic(HapticOutcome)
    /// The room itself is locked, unlocked, closing, or goes by other terms.
    case room(RoomChange)
    /// An invitation waits for the operator.
    case asking(controller: ControllerID, name: String)
    /// Somebody came into the queue for a seat, was called to its front, or is in it no more.
    case queue(QueueChange)

    /// A player's seat, as it stands from now on.
    public struct PlayerChange: Hashable, Sendable {
        /// What happened to the seat.
        public enum State: String, Hashable, Sendable, Codable {
            /// Given, or exchanged for another one.
            case joined
            /// Its controller went silent or pauses; the seat is kept for the grace period.
            case lost
            /// The controller of a lost seat is heard again.
            case back
            /// Given up, taken away, or not taken up again in time.
            case left
            /// The operator changed the name.
            case renamed
        }
        /// What happened to the seat.
        public var state: State
        /// Whose seat it is.
        public var player: PlayerNumber
        /// The seat's place in the coordinator's table.
        public var peer: PeerIndex
        /// Whose seat it is, or was: its place may be another's by the time that this is read.
        public var controller: ControllerID
        /// The name under which the player is shown; unlike any other in the room.
        public var name: String
        /// 0xRRGGBB.
        public var color: UInt32
    }

    /// How well a controller, or one of its streams, is heard.
    public struct LinkChange: Hashable, Sendable {
        /// What is heard.
        public enum State: String, Hashable, Sendable, Codable {
            /// Datagrams come, and at least 90 % of what the sender numbered.
            case good
            /// In the last complete 5 s less than 90 % of the datagrams came.
            case poor
            /// Nothing that opens under the link's key came for 1 s.
            case silent
        }
        /// What is heard from now on.
        public var state: State
        /// Whose controller it is.
        public var player: PlayerNumber
        /// Its place in the coordinator's table.
        public var peer: PeerIndex
        /// The stream from which nothing comes, or something again, while the link as a whole lives; `nil` when the link
        /// itself changed.
        public var stream: StreamID?
        /// How its datagrams come.
        public var transport: Transport
        /// One-way delay of the last datagram in nanoseconds; `nil` while the clock is `none`.
        public var delay: Int64?
        /// `nil` where nothing is numbered, so that nobody can know.
        public var samplesMissing: UInt64?
        /// Datagrams of the link epoch that are known to have been sent and have not come; `nil` as ``samplesMissing``
        /// is.
        public var datagramsMissing: UInt64?
    }

    /// The one answer that every haptic gets.
    public struct HapticOutcome: Hashable, Sendable {
        /// Whether it was felt.
        public enum Outcome: Hashable, Sendable {
            /// At this moment on the host's clock, mapped from the controller's, ± ns; `nil` while its clock is not known:
            /// then it is the moment at which the receipt came.
            case played(at: HostTime, uncertaintyNanoseconds: Int64?)
            /// The controller did not play it, and says why.
            case refused(HapticReceipt.Refusal)
            /// No receipt came: not within 5 s after the controller had it, or not before the seat was given up.
            case lost
        }
        /// The number that ``Coordinator/play(intensity:sharpness:duration:timeToLive:on:)`` gave it.
        public var id: UInt32
        /// Who was to feel it.
        public var player: PlayerNumber
        /// The place in the coordinator's table of the controller that was to play it.
        public var peer: PeerIndex
        /// When the command first left the host; `nil` when it never did.
        public var sentAt: HostTime?
        /// Whether it was felt, and when.
        public var outcome: Outcome
    }

    /// Somebody came into the queue for a seat, was moved to its front, or is in it no more. Those behind move up without
    /// a word: the order follows from these.
    public struct QueueChange: Hashable, Sendable {
        /// What happened to its place.
        public enum State: String, Hashable, Sendable, Codable {
            /// It waits, at the end.
            case queued
            /// The operator called it in: it is the first now.
            case called
            /// A seat is its own.
            case seated
            /// It was not heard for 30 s.
            case lost
            /// It does not wait any more, or was declined.
            case left
        }
        /// What happened to its place.
        public var state: State
        /// Who waits, or waited.
        public var controller: ControllerID
        /// What it is called, unlike everybody else here.
        public var name: String
        /// Where it stands, or stood, from 1.
        public var place: Int

        /// - Parameter place: from 1.
        public init(state: State, controller: ControllerID, name: String, place: Int) {
            self.state = state
            self.controller = controller
            self.name = name
            self.place = place
        }
    }

    /// What the operator did to the room as a whole.
    public enum RoomChange: String, Hashable, Sendable, Codable {
        /// Nobody new is let in; those who have a seat may return.
        case locked
        /// New controllers are let in again, those whom the operator removed too.
        case unlocked
        /// The host ends the room: everyone is told goodbye.
        case closing
        /// The room goes by other terms: how many seats there are, who may come in, what is played.
        case changed
    }
}
