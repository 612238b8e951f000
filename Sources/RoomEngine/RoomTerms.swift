public import InputMerge
public import SessionCoordinator

/// What of a room its host may change while people play. Everything else stays until the room is opened anew.
public struct RoomTerms: Hashable, Sendable {
    /// 1 to 10,000; never fewer than the highest seat that is taken or promised.
    public var seats: Int
    /// Who may take a seat from now on.
    public var policy: RoomConfiguration.Policy
    /// Who names browsers' controllers.
    public var names: RoomConfiguration.Names
    /// Silence after which an active seat is lost: 1 s to 10 min.
    public var idleTimeout: Duration
    /// How long a seat that is lost from now on is kept: 0 to 24 h.
    public var graceTimeout: Duration
    /// After so long without play what a player left behind is cleared away: 10 s to 24 h; `nil` for never.
    public var idleReset: Duration?
    /// What players can do; the same kinds in the same order, by other thresholds.
    public var gestures: [GestureDefinition]
    /// Which gestures are contests, and how they are judged.
    public var contests: ContestRules

    /// The terms of a room as it is configured.
    public init(_ configuration: EngineConfiguration) {
        let room = configuration.room
        seats = room.seats
        policy = room.policy
        names = room.names
        idleTimeout = room.idleTimeout
        graceTimeout = room.graceTimeout
        idleReset = room.idleReset
        gestures = configuration.merge.gestures
        contests = configuration.merge.contests
    }

    /// Which of these no room can have, when it opens as later.
    package static func problem(seats: Int, idle: Duration, grace: Duration, idleReset: Duration?) -> String? {
        if !RoomConfiguration.possibleSeats.contains(seats) { return "a room has 1 to 10000 seats, not \(seats)" }
        if !(Duration.seconds(1)...Duration.seconds(600)).contains(idle) { return "idle must be 1s to 10m" }
        if !(Duration.zero...Duration.seconds(86_400)).contains(grace) { return "grace must be 0s to 24h" }
        if let idleReset, !(Duration.seconds(10)...Duration.seconds(86_400)).contains(idleReset) {
            return "idle-reset must be 10s to 24h"
        }
        return nil
    }

    /// Which of them no room can have, in words for whoever set it; `nil` when all can be.
    public var problem: String? {
        if let problem = Self.problem(seats: seats, idle: idleTimeout, grace: graceTimeout, idleReset: idleReset) {
            return problem
        }
        for gesture in gestures {
            if let problem = gesture.problem { return problem }
        }
        return contests.problem ?? contests.missing(from: gestures)
    }
}

extension EngineConfiguration {
    /// Has these terms from now on, all of them, and whatever else it had.
    package mutating func apply(_ terms: RoomTerms) {
        room.seats = terms.seats
        room.policy = terms.policy
        room.names = terms.names
        room.idleTimeout = terms.idleTimeout
        room.graceTimeout = terms.graceTimeout
        room.idleReset = terms.idleReset
        merge.gestures = terms.gestures
        merge.contests = terms.contests
    }
}
