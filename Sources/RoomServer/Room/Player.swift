public import InputMerge
import RoomEngine
import SessionCoordinator
public import WireProtocol

/// One player of an open room, who can be asked and told things.
///
/// ```swift
/// for await event in await room.events() {
///     guard case .gesture(let gesture, _) = event, gesture.phase == .began else { continue }
///     try await room.player(gesture.player).play(intensity: gesture.strength, answering: gesture.id)
/// }
/// ```
/// (Where ``RoomOptions/answersGesturesWithHaptics`` is `false`: otherwise the room has answered the gesture already.)
///
/// A player has one controller, or all of them where the room is collaborative: what is told reaches each. Whoever comes
/// back after a while is the same player; a handle of one who left throws `notFound`.
public struct Player: Sendable, Identifiable {
    /// How a player stands at one moment.
    public struct Standing: Hashable, Sendable {
        /// As the room shows it.
        public var name: String
        /// 0xRRGGBB.
        public var color: UInt32
        /// The player's controllers, in ascending order.
        public var controllers: [ControllerID]
        /// Their seats, from 1, in ascending order.
        public var seats: [Int]
        /// Whether no controller of it is connected; its seats are kept for ``RoomOptions/grace``.
        public var isLost: Bool
    }

    /// What people call it: 1 is "P1".
    public let number: PlayerNumber
    /// The same as ``number``.
    public var id: PlayerNumber { number }
    let room: Room

    init(_ number: PlayerNumber, in room: Room) {
        self.number = number
        self.room = room
    }

    // MARK: What it can be asked

    /// How it stands now; `nil` when it has left, or the room is closed.
    public func standing() async -> Standing? {
        guard case .success(.peers(let peers)) = await room.ask(.peers(nil, minute: false)) else { return nil }
        let reports = peers.map(\.report).filter { $0.player == number }
        guard let first = reports.min(by: { $0.seat < $1.seat }) else { return nil }
        return Standing(
            name: first.name, color: first.color, controllers: reports.map(\.controller).sorted(),
            seats: reports.map(\.seat).sorted(), isLost: reports.allSatisfy { $0.seatState == .lost })
    }

    /// How it moves now, made of its controllers as the room's fusion declares; `nil` while nothing came.
    ///
    /// For a game that draws at its own pace. One that would rather be told listens to `events(motion: true)`.
    public func motion() async -> PlayerMotion? {
        guard case .success(.motion(let motion)) = await room.ask(.motion(of: number)) else { return nil }
        return motion
    }

    // MARK: What it can be told

    /// Plays a haptic; what became of it comes as an event. While it plays, pushes and taps of that controller are not
    /// taken for gestures. An intensity or a sharpness beyond its limits is taken as the nearest within them.
    ///
    /// - Parameters:
    ///   - intensity: how strong, 0 to 1.
    ///   - sharpness: from dull to crisp, 0 to 1.
    ///   - duration: at most 5 s.
    ///   - gesture: the gesture that it answers: then the event tells where the time went from the movement on, else
    ///     from the command on.
    /// - Throws: ``RoomError`` when the player has left, or the room is closed.
    public func play(
        intensity: Double = 0.7, sharpness: Double = 0.5, duration: Duration = .milliseconds(60),
        answering gesture: GestureID? = nil
    ) async throws {
        try await each {
            try await room.play(
                on: $0, intensity: intensity, sharpness: sharpness, duration: duration,
                answering: gesture?.description)
        }
    }

    /// Takes its seat; it is told why, and stays out until the room is unlocked or opened anew.
    ///
    /// - Parameter message: the reason for its screen.
    /// - Throws: ``RoomError`` when the player has left, or the room is closed.
    public func kick(message: String? = nil) async throws {
        try await each { try await room.kick($0, message: message) }
    }

    /// Makes its controllers flash, sound and vibrate, so that people see who it is.
    ///
    /// - Throws: ``RoomError`` when the player has left, all of its controllers are lost, or the room is closed.
    public func identify() async throws {
        _ = try await present()
        try await room.identify("P\(number)")
    }

    /// The way its controllers are held now is straight ahead.
    ///
    /// - Throws: ``RoomError`` when the player has left, all of its controllers are lost, or the room is closed.
    public func rezero() async throws {
        _ = try await present()
        try await room.rezero("P\(number)")
    }

    /// Sends the game's own bytes to its program, reliably and in order.
    ///
    /// - Parameter bytes: at most 511.
    /// - Throws: ``RoomError`` when the player has left, or they are too many.
    public func send(_ bytes: [UInt8]) async throws { try await each { try await room.send(bytes, to: $0) } }

    /// Sends the game's own bytes to its program, where only the newest matters.
    ///
    /// - Parameters:
    ///   - bytes: at most 512.
    ///   - channel: newer bytes replace older ones of the same channel.
    /// - Throws: ``RoomError`` when the player has left, or they are too many.
    public func sendNewest(_ bytes: [UInt8], channel: UInt8 = 0) async throws {
        try await each { try await room.sendNewest(bytes, channel: channel, to: $0) }
    }

    /// Does it for each of the player's controllers, by its whole id, which nobody's name stands for.
    ///
    /// - Throws: the first error, after all had their turn: one that cannot vibrate keeps nobody else from it.
    func each(_ body: (String) async throws -> Void) async throws {
        var failure: (any Error)?
        for controller in try await present().controllers {
            do { try await body(controller.description) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// How it stands.
    ///
    /// - Throws: ``RoomError`` when it has left, or the room is closed.
    func present() async throws -> Standing {
        if let standing = await standing() { return standing }
        throw RoomError(.notFound, "P\(number) has no seat in this room, or the room is closed")
    }

    /// What stands for the player in a command: the whole id of the first of its controllers.
    func reference() async throws -> String {
        try await present().controllers.first?.description ?? "P\(number)"
    }
}

extension Room {
    /// The player of this number, who may come and go: asking it shows.
    public func player(_ number: PlayerNumber) -> Player { Player(number, in: self) }

    /// Who has a seat now, by number.
    public func players() async -> [Player] {
        guard case .success(.players(let players, _)) = await ask(.players) else { return [] }
        return Set(players.map(\.player)).sorted().map { player($0) }
    }
}
