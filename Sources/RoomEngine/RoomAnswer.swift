public import InputMerge
public import SessionCoordinator
public import WireProtocol

/// What the engine answers to a ``RoomCommand``.
public enum RoomAnswer: Sendable {
    case done
    case peers([PeerState])
    case frames([PeerFrames])
    case status(RoomState)
    case players([RoomEvent.Player])
    case motion(PlayerMotion?)
    case taught([TaughtSummary])
    /// The offer that stands now.
    case offer(OfferID)
}

/// One peer at one moment, from the coordinator's ledgers and the merge.
public struct PeerState: Sendable {
    public var report: PeerReport
    /// One way, since the room opened; `nil` while nothing was measured.
    public var oneWay: DelaySummary?
    /// Above the least delay of the last half minute.
    public var queueing: DelaySummary?
    /// The last minute, where that was asked for.
    public var glance: PeerGlance?
    /// Everything, where this peer alone was asked for.
    public var detail: Detail?

    /// What is told of one peer alone.
    public struct Detail: Sendable {
        public var detail: PeerDetail
        /// As the merge sees them.
        public var sensors: [SensorState]
        /// How readily the player's gestures are recognised: 0.5 to 2.
        public var sensitivity: Double
    }
}

/// The last 1,000 frames of one peer, oldest first, all stamped by the same two clocks.
public struct PeerFrames: Sendable {
    public var state: PeerState
    public var frames: [FrameStamps]
}

/// Everything about a room that its engine knows, at one moment.
public struct RoomState: Sendable {
    public var freeSeats: Int
    public var isLocked: Bool
    public var peers: [PeerState]
    /// Those who wait for the operator, oldest first.
    public var waiting: [Waiting]
    /// Datagrams that belong to nobody's ledger.
    public var strangers: StrangerCounts

    public struct Waiting: Hashable, Sendable {
        public var controller: ControllerID
        public var name: String
    }
}

/// Delays of one kind: from an HDR histogram of two significant digits, the smallest value at or above the given share.
public struct DelaySummary: Hashable, Sendable {
    public var count: Int
    /// All in microseconds.
    public var p50: UInt64
    public var p95: UInt64
    public var p99: UInt64
    public var maximum: UInt64
}

/// A gesture that a player taught, as operators see it.
public struct TaughtSummary: Hashable, Sendable, Codable {
    /// The player's number, from 1.
    public var player: Int
    public var gesture: String
    /// How many examples were shown.
    public var examples: Int
    /// How long they took in the mean, in s.
    public var seconds: Double
}
