internal import Synchronization

/// Where the searching thread pins up what it found, for any number of readers at their own pace.
final class RoomBoard: Sendable {
    private struct State {
        var rooms: [DiscoveredRoom] = []
        var displayNames: [String] = []
        var tally = DirectoryTally()
        var availability = DiscoveryAvailability.starting
        var backend: DiscoveryBackend?
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var readersSoFar = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    var snapshot: RoomSnapshot {
        state.withLock {
            RoomSnapshot(
                rooms: $0.rooms, displayNames: $0.displayNames, availability: $0.availability,
                backend: $0.backend, tally: $0.tally)
        }
    }

    /// Wakes its reader now, and after each change; changes that nobody fetched in time wake once.
    func bell() -> AsyncStream<Void> {
        let (bell, rope) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.readersSoFar += 1
            state.readers[state.readersSoFar] = rope
            return state.isClosed ? nil : state.readersSoFar
        }
        rope.yield()
        guard let number else {
            rope.finish()
            return bell
        }
        rope.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return bell
    }

    func post(_ directory: PeerDirectory, hasNewRooms: Bool) {
        let readers = state.withLock { state in
            state.rooms = directory.rooms
            state.displayNames = directory.displayNames
            state.tally = directory.tally
            return hasNewRooms ? Array(state.readers.values) : []
        }
        for reader in readers { reader.yield() }
    }

    func post(_ availability: DiscoveryAvailability, _ backend: DiscoveryBackend? = nil) {
        state.withLock {
            $0.availability = availability
            $0.backend = backend
        }
    }

    /// Ends every reader's changes. The last list stays up.
    func close() {
        let readers = state.withLock { state in
            state.isClosed = true
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
