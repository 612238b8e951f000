import Identity
public import InputMerge
public import RoomEngine
package import RoomRecords
public import SessionCoordinator
import Synchronization
public import WireProtocol

/// What the host may do with its room and those who are in it. Games say whom they mean by a ``Player`` or an id;
/// operators by text, `who`: a player (`P3`), a name, or the beginning of an id.
extension Room {
    /// Those who want a seat and have none: who wait for you, oldest first, then who wait for a seat, in their order.
    public func newcomers() async -> [Newcomer] {
        guard case .success(.status(let state)) = await ask(.status(minute: false)) else { return [] }
        return state.newcomers
    }

    /// Lets in one who waits for you. Who waits for a seat is called in: it is the next to get one.
    ///
    /// - Parameter controller: as ``RoomEvent/asking(_:name:at:)`` and ``newcomers()`` name it.
    /// - Throws: ``RoomError`` when it does not wait any more, or every seat is taken.
    public func accept(_ controller: ControllerID) async throws { try await accept(controller.description) }

    /// Says no to one who waits.
    ///
    /// - Parameters:
    ///   - controller: as ``RoomEvent/asking(_:name:at:)`` and ``newcomers()`` name it.
    ///   - message: the reason for its screen.
    /// - Throws: ``RoomError`` when it does not wait any more.
    public func decline(_ controller: ControllerID, message: String? = nil) async throws {
        try await decline(controller.description, message: message)
    }

    /// Everything about the room and its peers; of each its last minute, and what is wrong with it, where that is wanted.
    package func status(minute: Bool = false) async -> RoomStatus {
        let answer = await ask(.status(minute: minute))
        if case .success(.status(let state)) = answer { return roomStatus(state) }
        var unknown = roomStatus(nil)
        if case .failure(let error) = answer, error == .waitsForBroker { unknown.isSilent = true }
        return unknown
    }

    /// Everyone who holds a seat, or the one who is meant: `P3`, a name, or the beginning of an id.
    package func peers(matching who: String? = nil, minute: Bool = false) async throws -> [PeerStatus] {
        guard case .peers(let peers) = try await carryOut(.peers(who, minute: minute)) else { return [] }
        return peers.map(peerStatus)
    }

    /// The last 1,000 frames of each peer, or of the one who is meant, and the paper's figures of them. In rooms of more
    /// than 64 seats they are kept from the first call on.
    package func latency(of who: String? = nil) async throws -> [PeerLatency] {
        guard case .frames(let peers) = try await carryOut(.frames(who)) else { return [] }
        return peers.map { PeerLatency(peerStatus($0.state), frames: $0.frames, clock: $0.state.report.clock) }
    }

    /// How those stood who have left, oldest first, at most 10,000.
    package func departed() async -> [PeerStatus] {
        let states =
            if case .success(.peers(let states)) = await ask(.departed) { states } else { loop.finalDepartures }
        return states.map(peerStatus)
    }

    /// Lets in the one who waits for you, or the one of those who wait: by name, or by the beginning of its id. Who waits
    /// for a seat is called in: it is the next to get one.
    @discardableResult
    package func accept(_ who: String? = nil) async throws -> Acceptance? {
        if case .accepted(let acceptance) = try await carryOut(.accept(who)) { acceptance } else { nil }
    }

    /// Lets in everyone who waits for you, the first first; says what became of each: a seat, or a place in the queue.
    @discardableResult
    public func acceptAll() async throws -> [Acceptance] {
        var all: [Acceptance] = []
        for newcomer in await status().newcomers where newcomer.place == nil {
            do {
                if let acceptance = try await accept(newcomer.controller) { all.append(acceptance) }
            } catch let error as RoomError where [.nobodyAsks, .notFound].contains(error.code) {
                all.append(Acceptance(controller: newcomer.controller, name: newcomer.name, .gone))
            } catch let error as RoomError where error.code == .full {
                all.append(Acceptance(controller: newcomer.controller, name: newcomer.name, .full))
            }
        }
        return all
    }

    /// Says no to the one who waits, with a reason for its screen.
    package func decline(_ who: String? = nil, message: String? = nil) async throws {
        _ = try await carryOut(.decline(who, message: message))
    }

    /// Takes a controller's seat; it is told why, and stays out until the room is unlocked, or was closed.
    package func kick(_ who: String, message: String? = nil) async throws {
        _ = try await carryOut(.kick(who, message: message))
    }

    /// Nobody new may join.
    public func lock() async { _ = await ask(.lock) }

    /// New controllers may join again.
    public func unlock() async { _ = await ask(.unlock) }

    /// Makes a controller flash, sound and vibrate, so that people see which it is.
    package func identify(_ who: String) async throws { _ = try await carryOut(.identify(who)) }

    /// The way the player's controllers are held now is straight ahead.
    package func rezero(_ who: String) async throws { _ = try await carryOut(.rezero(who)) }

    /// Lets controllers look for these gestures themselves from now on, and for no others, so that they are felt without a
    /// way to the host and back; see ``RoomOptions/localGestures``.
    ///
    /// - Throws: ``RoomError`` with code `badOption` for what controllers cannot look for, or the room does not watch for.
    public func detectLocally(_ gestures: [GestureKind]) async throws { _ = try await carryOut(.detect(gestures)) }

    /// Gives a controller another seat, counted from 1; whoever sits there gets the one that becomes free. Games hear of
    /// it as players who leave and join.
    package func move(_ who: String, toSeat seat: Int) async throws { _ = try await carryOut(.move(who, seat: seat)) }

    /// Lets two controllers change seats.
    package func swap(_ who: String, with other: String) async throws { _ = try await carryOut(.swap(who, other)) }

    /// Calls a controller otherwise: 1 to 63 bytes, made unlike all others.
    package func rename(_ who: String, to name: String) async throws { _ = try await carryOut(.rename(who, to: name)) }

    /// Plays a haptic; what became of it comes as an event. Intensity and sharpness 0 to 1.
    ///
    /// While it plays, pushes and taps of that controller are not taken for gestures.
    ///
    /// - Parameter gesture: the id of the gesture event that it answers: then the event tells where the time went from
    ///   the movement on, else from the command on.
    package func play(
        on who: String, intensity: Double = 0.7, sharpness: Double = 0.5, duration: Duration = .milliseconds(60),
        answering gesture: String? = nil
    ) async throws {
        _ = try await carryOut(
            .play(who, intensity: intensity, sharpness: sharpness, duration: duration, answering: gesture))
    }

    /// Sends the game's own bytes, at most 511, reliably and in order.
    package func send(_ bytes: [UInt8], to who: String) async throws { _ = try await carryOut(.send(bytes, who)) }

    /// Sends the game's own bytes, at most 512, where only the newest matters.
    package func sendNewest(_ bytes: [UInt8], channel: UInt8 = 0, to who: String) async throws {
        _ = try await carryOut(.sendNewest(bytes, channel: channel, who))
    }

    /// Closes the room: everyone is told, all that is read of it ends (``events(after:motion:)``, ``messages``,
    /// ``discoveryChanges``, motions), and ``withRoom(_:body:)`` returns once its body has.
    ///
    /// - Parameter backIn: when the room will be open again, at most 24 h: controllers and phones then wait for it, and
    ///   return to their seats by themselves. `nil` sends them away.
    public func stop(backIn: Duration? = nil) {
        if backIn != nil { comesBack.store(true, ordering: .relaxed) }
        loop.post(.close(backIn: backIn))
    }

    /// The host ends, and not because anybody wants the room closed: a standby that is ready goes on with it.
    package func leave() {
        // A word to close it for good stands.
        let goesOn = !isClosedForGood.load(ordering: .relaxed) && options.tenure?.leave() == true
        stop(backIn: goesOn ? .seconds(1) : nil)
    }

    /// As ``stop(backIn:)``, and nothing is kept of those who played: neither seats and names nor what they taught.
    package func closeForGood() {
        isClosedForGood.store(true, ordering: .relaxed)
        stop()
    }
}
