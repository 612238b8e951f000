public import InputMerge
public import RoomEngine

/// Gestures that a player shows, and how readily all of its gestures are recognised. They are kept with its seat.
extension Player {
    /// Takes the player's next motions, from rest to rest, as examples of a gesture. Events of type `teaching` tell the
    /// progress; once it is finished, the gesture is recognised. A lesson that nobody finishes ends after 120 s.
    ///
    /// - Parameters:
    ///   - gesture: a name of at most 40 characters that no built-in gesture has.
    ///   - times: how many examples, 1 to 16; three are usual.
    /// - Throws: ``RoomError`` when the player has left, or the name or the number cannot be used.
    public func teach(_ gesture: GestureKind, times: Int = 3) async throws {
        try await room.teach(gesture.rawValue, to: try await reference(), times: times)
    }

    /// Calls its lesson off: everything is as before.
    ///
    /// - Throws: ``RoomError`` when the player has left.
    public func cancelLesson() async throws { try await room.cancelLesson(of: try await reference()) }

    /// What it taught, in the order in which it was taught.
    ///
    /// - Throws: ``RoomError`` when the player has left.
    public func taught() async throws -> [TaughtSummary] { try await room.taught(by: try await reference()) }

    /// Gives a gesture that it taught another name.
    ///
    /// - Throws: ``RoomError`` when the player has left, or did not teach it.
    public func renameTaught(_ gesture: GestureKind, to name: GestureKind) async throws {
        try await room.renameTaught(gesture.rawValue, of: try await reference(), to: name.rawValue)
    }

    /// Forgets a gesture that it taught.
    ///
    /// - Throws: ``RoomError`` when the player has left, or did not teach it.
    public func removeTaught(_ gesture: GestureKind) async throws {
        try await room.removeTaught(gesture.rawValue, of: try await reference())
    }

    /// That was not it: what is like the last recognised of its taught gestures is not that gesture any more.
    ///
    /// - Throws: ``RoomError`` when the player has left, or none was recognised of late.
    public func refuseLatest() async throws { try await room.refuseLatest(of: try await reference()) }

    /// How readily its gestures are recognised.
    ///
    /// - Parameter sensitivity: 1 as defined, 2 twice as readily, 0.5 half as readily; nothing beyond.
    /// - Throws: ``RoomError`` when the player has left, or the value is out of its range.
    public func setSensitivity(_ sensitivity: Double) async throws {
        try await room.setSensitivity(sensitivity, of: try await reference())
    }
}
