public import InputMerge
public import WireProtocol

/// A player's place in the room, its name, and the motion of its sensors.
extension Player {
    /// Gives it another seat; whoever sits there gets the one that becomes free. A player is known by its seat, so the
    /// game hears of it as players who leave and join, and this handle is then of whoever has the player's number.
    ///
    /// - Parameter seat: from 1.
    /// - Throws: ``RoomError`` when the player has left, has several controllers, or the room has no such seat.
    public func move(toSeat seat: Int) async throws {
        try await room.move(try await onlyController(), toSeat: seat)
    }

    /// Changes seats with another player, and with them numbers and colours.
    ///
    /// - Throws: ``RoomError`` when one of them has left, or has several controllers.
    public func swap(with other: Player) async throws {
        try await room.swap(try await onlyController(), with: try await other.onlyController())
    }

    /// Shows its controller under another name.
    ///
    /// - Parameter name: 1 to 63 bytes; made unlike all others.
    /// - Throws: ``RoomError`` when the player has left, has several controllers, or the name cannot be shown.
    public func rename(to name: String) async throws { try await room.rename(try await onlyController(), to: name) }

    /// The motion of one sensor of its first controller, as CoreMotion pushes it: sample by sample, or in batches by the
    /// sensor's own clock.
    ///
    /// Nothing is left out and nothing comes twice; a reader that is 256 batches behind loses the oldest. The stream ends
    /// when the controller leaves, when the room closes, when somebody else asks for the same sensor, and when nobody
    /// reads it any more.
    ///
    /// - Parameter stream: the sensor's number, as its controller declared it.
    /// - Throws: ``RoomError`` when the player has left, or has no such sensor.
    public func motions(
        stream: StreamID = 0, _ delivery: MotionDelivery = .batches(every: .seconds(1))
    ) async throws -> AsyncStream<MotionBatch> {
        try await room.motions(of: try await reference(), stream: stream, delivery)
    }

    /// The controller that has the player's one seat.
    private func onlyController() async throws -> String {
        let controllers = try await present().controllers
        guard controllers.count == 1, let only = controllers.first else {
            let labels = controllers.map(\.description)
            throw RoomError(
                .ambiguous, "P\(number) has \(controllers.count) controllers, each with a seat and a name of its own",
                candidates: labels)
        }
        return only.description
    }
}
