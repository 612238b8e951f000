import RoomEngine
import SessionCoordinator
import WireProtocol

/// What the host may do with its room and those who are in it.
extension Room {
    /// Everything about the room and its peers; of each its last minute, and what is wrong with it, where that is wanted.
    public func status(minute: Bool = false) async -> RoomStatus {
        guard case .success(.status(let status)) = await ask(.status(minute: minute)) else { return roomStatus(nil) }
        return roomStatus(status)
    }

    /// Everyone who holds a seat, or the one who is meant: `P3`, a name, or the beginning of an id.
    public func peers(matching who: String? = nil, minute: Bool = false) async throws -> [PeerStatus] {
        guard case .peers(let peers) = try await carryOut(.peers(who, minute: minute)) else { return [] }
        return peers.map(peerStatus)
    }

    /// The last 1,000 frames of each peer, or of the one who is meant, and the paper's figures of them. In rooms of more
    /// than 64 seats they are kept from the first call on.
    public func latency(of who: String? = nil) async throws -> [PeerLatency] {
        guard case .frames(let peers) = try await carryOut(.frames(who)) else { return [] }
        return peers.map { PeerLatency(peerStatus($0.state), frames: $0.frames) }
    }

    /// How a player moves now, made of its controllers as the room's fusion declares; `nil` while nothing came.
    ///
    /// For a game that draws at its own pace. One that would rather be told listens to `events(motion: true)`.
    public func motion(of player: Int) async -> EventRecord.Motion? {
        guard case .success(.motion(let motion?)) = await ask(.motion(of: player)) else { return nil }
        return EventRecord.Motion(
            motion, player: player, at: RecordClock(openedAt: openedAt).milliseconds(motion.occurredAt))
    }

    /// How those stood who have left, oldest first, at most 10,000.
    public func departed() async -> [PeerStatus] {
        let states =
            if case .success(.peers(let states)) = await ask(.departed) { states } else { loop.finalDepartures }
        return states.map(peerStatus)
    }

    /// Lets in the one who waits, or the one of those who wait.
    public func accept(_ who: String? = nil) async throws { _ = try await carryOut(.accept(who)) }

    /// Says no to the one who waits, with a reason for its screen.
    public func decline(_ who: String? = nil, message: String? = nil) async throws {
        _ = try await carryOut(.decline(who, message: message))
    }

    /// Takes a controller's seat; it is told why, and stays out until the room is unlocked or opened anew.
    public func kick(_ who: String, message: String? = nil) async throws {
        _ = try await carryOut(.kick(who, message: message))
    }

    /// Nobody new may join.
    public func lock() async { _ = await ask(.lock) }

    /// New controllers may join again.
    public func unlock() async { _ = await ask(.unlock) }

    /// Makes a controller flash, sound and vibrate, so that people see which it is.
    public func identify(_ who: String) async throws { _ = try await carryOut(.identify(who)) }

    /// The way the player's controllers are held now is straight ahead.
    public func rezero(_ who: String) async throws { _ = try await carryOut(.rezero(who)) }

    /// Gives a controller another seat, counted from 1; whoever sits there gets the one that becomes free. Games hear of
    /// it as players who leave and join.
    public func move(_ who: String, toSeat seat: Int) async throws { _ = try await carryOut(.move(who, seat: seat)) }

    /// Lets two controllers change seats.
    public func swap(_ who: String, with other: String) async throws { _ = try await carryOut(.swap(who, other)) }

    /// Calls a controller otherwise: 1 to 63 bytes, made unlike all others.
    public func rename(_ who: String, to name: String) async throws { _ = try await carryOut(.rename(who, to: name)) }

    /// Plays a haptic; what became of it comes as an event. Intensity and sharpness 0 to 1.
    ///
    /// While it plays, pushes and taps of that controller are not taken for gestures.
    ///
    /// - Parameter gesture: the id of the gesture event that it answers: then the event tells where the time went from
    ///   the movement on, else from the command on.
    public func play(
        on who: String, intensity: Double = 0.7, sharpness: Double = 0.5, duration: Duration = .milliseconds(60),
        answering gesture: String? = nil
    ) async throws {
        _ = try await carryOut(
            .play(who, intensity: intensity, sharpness: sharpness, duration: duration, answering: gesture))
    }

    /// Sends the game's own bytes, at most 511, reliably and in order.
    public func send(_ bytes: [UInt8], to who: String) async throws { _ = try await carryOut(.send(bytes, who)) }

    /// Sends the game's own bytes, at most 512, where only the newest matters.
    public func sendNewest(_ bytes: [UInt8], channel: UInt8 = 0, to who: String) async throws {
        _ = try await carryOut(.sendNewest(bytes, channel: channel, who))
    }

    /// Closes the room: everyone is told, ``events(after:motion:)`` end, and ``withRoom(_:body:)`` returns.
    public func stop() { loop.post(.close) }
}
