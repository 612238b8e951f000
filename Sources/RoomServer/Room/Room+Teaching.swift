package import RoomEngine

/// What ``Player`` and operators say by text: a player (`P3`), a name, or the beginning of an id.
extension Room {
    /// Takes the player's next motions, from rest to rest, as examples of a gesture. Events of type `teaching` tell the
    /// progress; once it is finished, the gesture is recognised, and kept with the player's lease.
    ///
    /// - Parameter times: how many examples; 1 to 16, three are usual.
    package func teach(_ gesture: String, to who: String, times: Int = 3) async throws {
        _ = try await ask(.teaching(.teach(who, gesture: gesture, times: times))).get()
    }

    /// Calls the player's lesson off.
    package func cancelLesson(of who: String) async throws { _ = try await ask(.teaching(.cancel(who))).get() }

    /// What one player taught, or everyone.
    package func taught(by who: String? = nil) async throws -> [TaughtSummary] {
        guard case .taught(let gestures) = try await ask(.teaching(.taught(who))).get() else { return [] }
        return gestures
    }

    /// Calls a gesture that the player taught otherwise.
    ///
    /// - Throws: ``RoomError`` when nobody is called so, or taught it.
    package func renameTaught(_ gesture: String, of who: String, to name: String) async throws {
        _ = try await ask(.teaching(.rename(who, gesture, to: name))).get()
    }

    /// That was not it: what is like the last recognised of the player's taught gestures is not that gesture any more.
    package func refuseLatest(of who: String) async throws {
        _ = try await ask(.teaching(.refuseLatest(who))).get()
    }

    /// Forgets a gesture that the player taught.
    ///
    /// - Throws: ``RoomError`` when nobody is called so, or taught it.
    package func removeTaught(_ gesture: String, of who: String) async throws {
        _ = try await ask(.teaching(.remove(who, gesture))).get()
    }

    /// How readily a player's gestures are recognised: 1 as defined, 2 twice, 0.5 half as readily.
    package func setSensitivity(_ sensitivity: Double, of who: String) async throws {
        _ = try await ask(.teaching(.sensitivity(who, sensitivity))).get()
    }
}
