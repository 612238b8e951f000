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

    private struct State {
        var events = EventBacklog(capacity: capacity)
        var motion: [NumberedEvent] = []
        var lost = 0
        var waiter: CheckedContinuation<NumberedEvent?, Never>?
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
            guard let waiter = state.waiter, let next = state.take(at: now) else { return .queued }
            state.waiter = nil
            return .handed(waiter, next)
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
        let waiter = state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    package func next() async -> NumberedEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = now()
                let outcome: (CheckedContinuation<NumberedEvent?, Never>?, NumberedEvent?) = state.withLock { state in
                    if let event = state.take(at: now) { return (continuation, event) }
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
