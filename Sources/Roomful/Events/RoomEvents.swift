import Synchronization

/// A room's events as they happen, from the moment of asking; ends when the room closes.
///
/// A listener that is too slow for 4,096 events loses the oldest: ``lost`` counts them, and the numbers show the gap.
public struct RoomEvents: AsyncSequence, Sendable {
    private let queue: EventQueue
    private let token: Token

    /// Ends the subscription when the last copy of the sequence is gone.
    private final class Token: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    init(queue: EventQueue, end: @escaping @Sendable () -> Void) {
        self.queue = queue
        token = Token(end)
    }

    /// Events that this listener was too slow for.
    public var lost: Int { queue.lost }

    /// Whoever iterates comes to the end.
    func end() { queue.finish() }

    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue, token: token) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: EventQueue
        fileprivate let token: AnyObject

        public mutating func next() async -> EventRecord? { await queue.next() }

        public mutating func next(isolation _: isolated (any Actor)?) async throws(Never) -> EventRecord? {
            await queue.next()
        }
    }
}

/// One listener's bounded queue; motion waits beside it, the newest of each player.
final class EventQueue: Sendable {
    private static let capacity = 4_096

    private struct State {
        var events: [EventRecord] = []
        var head = 0
        var motion: [EventRecord] = []
        var lost = 0
        var waiter: CheckedContinuation<EventRecord?, Never>?
        var isFinished = false

        mutating func take() -> EventRecord? {
            if head < events.count {
                let event = events[head]
                head += 1
                if head > 512 || head == events.count {
                    events.removeFirst(head)
                    head = 0
                }
                return event
            }
            return motion.isEmpty ? nil : motion.removeFirst()
        }
    }

    private let state = Mutex(State())
    private let wantsMotion: Bool

    init(wantsMotion: Bool) { self.wantsMotion = wantsMotion }

    var lost: Int { state.withLock { $0.lost } }

    func offer(_ event: EventRecord) {
        let wake: (CheckedContinuation<EventRecord?, Never>, EventRecord)? = state.withLock { state in
            if case .motion(let motion) = event {
                guard wantsMotion else { return nil }
                state.motion.removeAll { if case .motion(let old) = $0 { old.player == motion.player } else { false } }
                state.motion.append(event)
            } else {
                if state.events.count - state.head >= Self.capacity {
                    state.head += 1
                    state.lost += 1
                }
                state.events.append(event)
            }
            guard let waiter = state.waiter, let next = state.take() else { return nil }
            state.waiter = nil
            return (waiter, next)
        }
        if let (waiter, next) = wake { waiter.resume(returning: next) }
    }

    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    func next() async -> EventRecord? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: (CheckedContinuation<EventRecord?, Never>?, EventRecord?) = state.withLock { state in
                    if let event = state.take() { return (continuation, event) }
                    if state.isFinished || Task.isCancelled { return (continuation, nil) }
                    // One reader at a time; a second one takes the first one's place.
                    defer { state.waiter = continuation }
                    return (state.waiter, nil)
                }
                outcome.0?.resume(returning: outcome.1)
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: nil)
        }
    }
}
