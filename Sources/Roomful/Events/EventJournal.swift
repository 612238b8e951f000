import Synchronization

/// Numbers a room's events, remembers the last ones, and hands them to everyone who listens.
///
/// Each listener has a bounded queue of its own: a slow one loses its own oldest items, counted, and holds up nobody.
final class EventJournal: Sendable {
    /// Events that a listener can ask for afterwards.
    static let memory = 4_096

    private struct State {
        var last = 0
        var recent: [EventRecord] = []
        var listeners: [Int: EventQueue] = [:]
        var nextListener = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let motionListeners = Atomic(0)

    /// Whether anyone asked for motion.
    var isMotionWanted: Bool { motionListeners.load(ordering: .relaxed) > 0 }

    /// Gives the event the next number, if its kind has numbers, and hands it out.
    func publish(_ event: EventRecord) {
        var event = event
        let listeners = state.withLock { state in
            if event.isNumbered {
                state.last += 1
                event.number = state.last
                state.recent.append(event)
                if state.recent.count > Self.memory { state.recent.removeFirst(Self.memory / 4) }
            }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.offer(event) }
    }

    /// Begins to listen: first `hello`, then what is remembered after event `after`, then what happens.
    func listen(after: Int?, motion: Bool, hello: (Int) -> EventRecord) -> RoomEvents {
        let queue = EventQueue(wantsMotion: motion)
        let id: Int? = state.withLock { state in
            let start = min(max(0, after ?? state.last), state.last)
            queue.offer(hello(start))
            for event in state.recent where (event.number ?? 0) > start { queue.offer(event) }
            guard !state.isClosed else {
                queue.finish()
                return nil
            }
            state.nextListener += 1
            state.listeners[state.nextListener] = queue
            return state.nextListener
        }
        if motion, id != nil { motionListeners.add(1, ordering: .relaxed) }
        return RoomEvents(queue: queue) { [weak self] in
            guard let self, let id else { return }
            let wasThere = self.state.withLock { $0.listeners.removeValue(forKey: id) != nil }
            if motion, wasThere { self.motionListeners.subtract(1, ordering: .relaxed) }
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
