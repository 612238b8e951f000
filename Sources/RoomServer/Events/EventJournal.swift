import Datagrams
import RoomEngine
import RoomRecords
import Synchronization
import WireProtocol

/// Numbers a room's events, remembers the last ones, and hands them to everyone who listens.
///
/// Each listener has a bounded queue of its own: a slow one loses its own items, counted, and holds up nobody. What is
/// remembered, and what waits, is shared fairly among those whom it is about (``EventBacklog``).
final class EventJournal: Sendable {
    /// Events that a listener can ask for afterwards: at least three quarters of so many.
    static let memory = 4_096

    private struct State {
        var last = 0
        var recent = EventBacklog(capacity: EventJournal.memory)
        var listeners: [Int: EventQueue] = [:]
        var nextListener = 0
        var isClosed = false
    }

    private let state: Mutex<State>
    /// The number of the last event before the first of this journal: another host's, or 0.
    private let first: Int
    private let motionListeners = Atomic(0)
    private let now: @Sendable () -> HostTime

    /// - Parameters:
    ///   - first: numbers begin after this one.
    ///   - now: the host's clock.
    init(after first: Int = 0, now: @escaping @Sendable () -> HostTime = HostClock.now) {
        self.first = first
        self.now = now
        state = Mutex(State(last: first))
    }

    /// Whether anyone asked for motion.
    var isMotionWanted: Bool { motionListeners.load(ordering: .relaxed) > 0 }

    /// The number of the last event that has one.
    var last: Int { state.withLock { $0.last } }

    /// Gives the event the next number, if its kind has numbers, and hands it out.
    ///
    /// - Returns: the event with its number.
    @discardableResult
    func publish(_ event: RoomEvent) -> NumberedEvent {
        var event = NumberedEvent(event)
        let listeners = state.withLock { state in
            if event.event.isNumbered {
                state.last += 1
                event.number = state.last
                _ = state.recent.append(event)
            }
            return state.listeners
        }
        for (id, listener) in listeners where !listener.offer(event) { remove(id, motion: listener.wantsMotion) }
        return event
    }

    private func remove(_ id: Int, motion: Bool) {
        let wasThere = state.withLock { $0.listeners.removeValue(forKey: id) != nil }
        if motion, wasThere { motionListeners.subtract(1, ordering: .relaxed) }
    }

    /// Begins to listen: first what is remembered after event `after`, then what happens.
    ///
    /// - Parameter opening: how things stand, with the number of the last event before.
    func listen(after: Int?, motion: Bool, opening: (Int) -> RoomEvents.Opening) -> RoomEvents {
        let queue = EventQueue(wantsMotion: motion, now: now)
        let (start, missing, id): (Int, Int, Int?) = state.withLock { state in
            let start = min(max(first, after ?? state.last), state.last)
            var missing = state.last - start
            for event in state.recent.waiting where (event.number ?? 0) > start {
                queue.offer(event)
                missing -= 1
            }
            guard !state.isClosed else {
                queue.finish()
                return (start, missing, nil)
            }
            state.nextListener += 1
            state.listeners[state.nextListener] = queue
            return (start, missing, state.nextListener)
        }
        if motion, id != nil { motionListeners.add(1, ordering: .relaxed) }
        var opened = opening(start)
        opened.missing = missing
        return RoomEvents(opened, queue: queue) { [weak self] in
            guard let id else { return }
            self?.remove(id, motion: motion)
        }
    }

    /// No event will come any more.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
