public import WireProtocol

/// A controller's right to a seat, which outlives its connection, and the host.
public struct Lease: Hashable, Sendable {
    /// Whose seat it is, by its stable identity.
    public var controller: ControllerID
    /// From 1.
    public var seat: Int
    /// From 1.
    public var player: PlayerNumber
    /// Shown to people: sanitised, unlike any other in the room.
    public var name: String
    /// 0xRRGGBB.
    public var color: UInt32
    /// SHA-256 of the resumption secret that brings the controller back.
    public var secretHash: [UInt8]
    /// SHA-256 of the secret before it: valid until the first datagram under the newest keys.
    public var previousSecretHash: [UInt8]?
    /// Counts the link epochs, so that a connection id is not used twice while the host lives; across restarts it is
    /// the keys that differ.
    public var generation: UInt16

    /// A lease as it is kept on disk; a new one has no secret before it and counts its link epochs from 0.
    public init(
        controller: ControllerID, seat: Int, player: PlayerNumber, name: String, color: UInt32, secretHash: [UInt8],
        previousSecretHash: [UInt8]? = nil, generation: UInt16 = 0
    ) {
        self.controller = controller
        self.seat = seat
        self.player = player
        self.name = name
        self.color = color
        self.secretHash = secretHash
        self.previousSecretHash = previousSecretHash
        self.generation = generation
    }
}

/// A change to what is kept about leases. The shell commits it before the answer that depends on it leaves.
public enum LeaseChange: Hashable, Sendable {
    /// Write this lease in place of the controller's earlier one.
    case keep(Lease)
    /// Forget the controller's lease: its seat is free for good.
    case remove(ControllerID)

    /// Whose lease it is about.
    package var controller: ControllerID {
        switch self {
        case .keep(let lease): lease.controller
        case .remove(let controller): controller
        }
    }
}

/// How a seat stands.
public enum SeatState: Hashable, Sendable {
    /// Granted; nothing has been heard under its keys yet.
    case reserved(since: HostTime)
    /// Its controller is heard.
    case active
    /// Its controller went silent or said that it pauses; the seat is kept until the deadline.
    case lost(until: HostTime)

    /// The same without its times.
    public var stage: SeatStage {
        switch self {
        case .reserved: .reserved
        case .active: .active
        case .lost: .lost
        }
    }
}

/// How far a seat has come, by the word for people and JSON.
public enum SeatStage: String, Hashable, Sendable {
    /// Granted; nothing has been heard under its keys yet.
    case reserved
    /// Its controller is heard.
    case active
    /// Its controller is not heard; the seat is kept for a while.
    case lost
    /// Nobody's any more.
    case released
}
