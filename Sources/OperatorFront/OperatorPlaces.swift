import Synchronization

/// Who may talk to a room at once: so many connections that ask, and as many that follow its events.
///
/// Where there is no place for one more that asks, another makes room: the one that has been silent for longest, and where
/// none is silent, the one whose answer has been under way for longest. So a crowd that says nothing, or reads no answers,
/// keeps no operator out. Who follows keeps its place, as long as it reads.
final class OperatorPlaces: Sendable {
    static let most = 16

    private struct Place {
        let id: Int
        let giveWay: @Sendable () -> Void
        /// Whether a command is being answered.
        var isBusy = false
    }

    private struct State {
        /// In the order in which they came or were last answered, the longest silent first.
        var asking: [Place] = []
        var following: Set<Int> = []
        var nextID = 0

        mutating func displaced() -> Place? {
            guard asking.count >= OperatorPlaces.most else { return nil }
            return asking.remove(at: asking.firstIndex { !$0.isBusy } ?? 0)
        }
    }

    private let state = Mutex(State())

    /// Takes a place for a connection.
    ///
    /// - Parameter giveWay: closes it, when another needs its place.
    /// - Returns: the number of the place, to be given back with ``leave(_:)``.
    func enter(_ giveWay: @escaping @Sendable () -> Void) -> Int {
        let (id, displaced) = state.withLock { state in
            let displaced = state.displaced()
            state.nextID += 1
            state.asking.append(Place(id: state.nextID, giveWay: giveWay))
            return (state.nextID, displaced)
        }
        displaced?.giveWay()
        return id
    }

    /// A command came, or its answer was taken: from now on it counts as silent again.
    func note(_ id: Int, isBusy: Bool) {
        state.withLock { state in
            guard let index = state.asking.firstIndex(where: { $0.id == id }) else { return }
            var place = state.asking.remove(at: index)
            place.isBusy = isBusy
            state.asking.append(place)
        }
    }

    /// Becomes one that follows events.
    ///
    /// - Returns: false when as many follow as may.
    func follow(_ id: Int) -> Bool {
        state.withLock { state in
            guard state.following.count < Self.most else { return false }
            state.asking.removeAll { $0.id == id }
            state.following.insert(id)
            return true
        }
    }

    func leave(_ id: Int) {
        state.withLock { state in
            state.asking.removeAll { $0.id == id }
            state.following.remove(id)
        }
    }
}
