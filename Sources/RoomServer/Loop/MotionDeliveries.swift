import InputMerge
import RoomEngine
import Synchronization

/// The streams of those who read one sensor's motion in batches, by the number that the engine knows them by.
final class MotionDeliveries: Sendable {
    private struct State {
        var next: UInt64 = 0
        var streams: [ListenerID: AsyncStream<MotionBatch>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// A stream of its own for one more listener; a reader that is 256 batches behind loses the oldest.
    func open() -> (listener: ListenerID, batches: AsyncStream<MotionBatch>) {
        let (batches, continuation) = AsyncStream.makeStream(
            of: MotionBatch.self, bufferingPolicy: .bufferingNewest(256))
        let listener = state.withLock { state in
            state.next += 1
            let listener = ListenerID(rawValue: state.next)
            state.streams[listener] = continuation
            return listener
        }
        return (listener, batches)
    }

    /// Hands a batch on; false when nobody reads it any more.
    func yield(_ batch: MotionBatch, to listener: ListenerID) -> Bool {
        guard let stream = state.withLock({ $0.streams[listener] }) else { return false }
        if case .terminated = stream.yield(batch) {
            end(listener)
            return false
        }
        return true
    }

    func end(_ listener: ListenerID) {
        state.withLock { $0.streams.removeValue(forKey: listener) }?.finish()
    }

    /// The room has closed: nothing comes any more.
    func endAll() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            return state.streams.values.map { $0 }
        }
        for stream in streams { stream.finish() }
    }
}
