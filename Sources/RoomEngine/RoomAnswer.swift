public import InputMerge
public import SessionCoordinator
public import WireProtocol

/// What the engine answers to a ``RoomCommand``.
public enum RoomAnswer: Sendable {
    /// It was done, and there is nothing to tell.
    case done
    /// Somebody who waited was let in.
    case accepted(Acceptance)
    /// Peers by seat, or those who left, oldest first.
    case peers([PeerState])
    /// The frames of one peer, or of all, by seat.
    case frames([PeerFrames])
    /// The room as a whole.
    case status(RoomState)
    /// A player once for each controller that drives it, by seat; and who waits for a seat, in order.
    case players([RoomEvent.Player], queue: [Occurrence.QueueChange])
    /// How the player moves; `nil` while no controller of its is heard.
    case motion(PlayerMotion?)
    /// Until when everything is known that each player did, by player, and which gestures the room watches for. What happened
    /// before that was told before this answer.
    case watermarks(at: HostTime, [PlayerWatermark], watched: [GestureKind])
    /// What players taught, by player, then in the order in which it was taught.
    case taught([TaughtSummary])
    /// The terms that are valid now.
    case terms(RoomTerms)
    /// The offer that stands now.
    case offer(OfferID)
    /// What a player takes to another room.
    case luggage(Luggage)
}

/// What a player takes to another room, and where its controller is spoken to.
public struct Luggage: Hashable, Sendable {
    /// Its stable identity: it is the same in every room.
    public var controller: ControllerID
    /// The player's number here, from 1.
    public var number: PlayerNumber
    /// Its name and colour.
    public var player: MovingPlayer
    /// What it taught, and how its gestures are recognised.
    public var talents: PlayerTalents
    /// How its datagrams come: whether it is a page.
    public var transport: Transport
    /// Its control connection; `nil` while it has none.
    public var conversation: ConversationID?
}

/// One peer at one moment, from the coordinator's ledgers and the merge.
public struct PeerState: Sendable {
    /// Its seat, its link and its ledgers.
    public var report: PeerReport
    /// One way, of its present stay; `nil` while nothing was measured.
    public var oneWay: DelaySummary?
    /// How far the least sure of these may be wrong, in nanoseconds.
    package var oneWayUncertainty: Int64?
    /// Above the least delay of the last half minute.
    public var queueing: DelaySummary?
    /// How deep it is under water, as far as a sensor of it measures that.
    public var submersion: SubmersionEvent?
    /// The last minute, where that was asked for.
    public var glance: PeerGlance?
    /// Everything, where this peer alone was asked for.
    public var detail: Detail?

    /// What is told of one peer alone.
    public struct Detail: Sendable {
        /// Losses, seconds and streams, from the coordinator.
        public var detail: PeerDetail
        /// As the merge sees them.
        public var sensors: [SensorState]
        /// How readily the player's gestures are recognised: 0.5 to 2.
        public var sensitivity: Double
    }
}

/// The last 1,000 frames of one peer, oldest first, all stamped by the same two clocks.
public struct PeerFrames: Sendable {
    /// Whose frames they are.
    public var state: PeerState
    /// Send and arrival stamps, oldest first.
    public var frames: [FrameStamps]
}

/// Everything about a room that its engine knows, at one moment.
public struct RoomState: Sendable {
    /// Seats that are neither leased nor promised.
    public var freeSeats: Int
    /// Whether the operator keeps new controllers out.
    public var isLocked: Bool
    /// Those who hold a seat, by seat.
    public var peers: [PeerState]
    /// Those who wait: for the operator, oldest first, then for a seat, in their order.
    public var newcomers: [Newcomer]
    /// Datagrams that belong to nobody's ledger.
    public var strangers: StrangerCounts
    /// Datagrams in every account together, the strangers' and departed peers' included.
    public var classified: UInt64
}

/// Delays of one kind: from an HDR histogram of two significant digits, the smallest value at or above the given share.
public struct DelaySummary: Hashable, Sendable {
    /// How many delays it rests on.
    public var count: Int
    /// All in microseconds.
    public var p50: UInt64
    /// See ``p50``: 95 of 100 delays are at most so long.
    public var p95: UInt64
    /// See ``p50``: 99 of 100 delays are at most so long.
    public var p99: UInt64
    /// The longest of all, as it was: no bucket's.
    public var maximum: UInt64
}

/// A gesture that a player taught, as operators see it.
public struct TaughtSummary: Hashable, Sendable, Codable {
    /// The player's number, from 1.
    public var player: Int
    /// The name under which it was taught, and that its events bear.
    public var gesture: String
    /// How many examples were shown.
    public var examples: Int
    /// How long they took in the mean, in s.
    public var seconds: Double
}
