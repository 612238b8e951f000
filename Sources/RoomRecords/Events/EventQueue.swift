import Datagrams
import RoomEngine
import Synchronization
package import WireProtocol

/// One listener's bounded queue; motion waits beside it, the newest of each player.
///
/// What waits is trimmed when something is offered, not when it is read. Who takes nothing for ``patience`` while
/// something waits is let go: what waits is dropped, and the listener comes to the end.
package final class EventQueue: Sendable {
    package static let patience: Duration = .seconds(30)
    private static let capacity = 4_096

    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<NumberedEvent?, Never>
    }

    private struct State {
        var events = EventBacklog(capacity: capacity)
        var motion: [NumberedEvent] = []
        var lost = 0
        /// Who waits for the next event, the first first.
        var waiters: [Waiter] = []
        var nextID = 0
        var isFinished = false
        var wasLetGo = false
        /// Since when something waits and nothing was taken; `nil` while nothing waits.
        var waitsSince: HostTime?

        var hasWaiting: Bool { !events.isEmpty || !motion.isEmpty }

        /// The number of the last event that was taken.
        var last = 0

        mutating func take(at now: HostTime) -> NumberedEvent? {
            let next = events.popFirst() ?? (motion.isEmpty ? nil : motion.removeFirst())
            last = next?.number ?? last
            waitsSince = hasWaiting ? now : nil
            return next
        }
    }

    private let state = Mutex(State())
    package let wantsMotion: Bool
    private let now: @Sendable () -> HostTime

    /// - Parameter now: the host's clock.
    package init(wantsMotion: Bool, now: @escaping @Sendable () -> HostTime = HostClock.now) {
        self.wantsMotion = wantsMotion
        self.now = now
    }

    package var lost: Int { state.withLock { $0.lost } }
    package var last: Int { state.withLock { $0.last } }
    var wasLetGo: Bool { state.withLock { $0.wasLetGo } }

    /// Adds an event for the listener.
    ///
    /// - Returns: false when there is none any more.
    @discardableResult
    package func offer(_ event: NumberedEvent) -> Bool {
        let now = now()
        enum Outcome {
            case queued, gone
            case handed(CheckedContinuation<NumberedEvent?, Never>, NumberedEvent)
        }
        let outcome: Outcome = state.withLock { state in
            guard !state.isFinished else { return .gone }
            if let since = state.waitsSince, now - since >= Self.patience {
                state.events.removeAll()
                state.motion = []
                state.isFinished = true
                state.wasLetGo = true
                return .gone
            }
            if case .motion(let player, _) = event.event {
                guard wantsMotion else { return .queued }
                state.motion.removeAll { if case .motion(player, _) = $0.event { true } else { false } }
                state.motion.append(event)
            } else {
                state.lost += state.events.append(event)
            }
            if state.waitsSince == nil { state.waitsSince = now }
            guard !state.waiters.isEmpty, let next = state.take(at: now) else { return .queued }
            return .handed(state.waiters.removeFirst().continuation, next)
        }
        switch outcome {
        case .queued: return true
        case .gone: return false
        case .handed(let waiter, let next):
            waiter.resume(returning: next)
            return true
        }
    }

    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    package func next() async -> NumberedEvent? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = now()
                let known: NumberedEvent?? = state.withLock { state in
                    if let event = state.take(at: now) { return .some(event) }
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: nil)
        }
    }
}
