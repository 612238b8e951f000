package import NIOCore
import Synchronization

/// A connection that came, and is closed in order also when nobody takes it: it may come just as the port is closed, and
/// SwiftNIO ends the program where an asynchronous channel is dropped unused.
package final class CallerPipe: Sendable {
    private let pipe: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    private let isTaken = Mutex(false)

    package init(_ pipe: NIOAsyncChannel<ByteBuffer, ByteBuffer>) { self.pipe = pipe }

    deinit {
        guard !isTaken.withLock({ $0 }) else { return }
        let pipe = pipe
        Task { try? await pipe.executeThenClose { _, _ in } }
    }

    package var channel: any Channel { pipe.channel }

    /// For whoever serves it, and closes it.
    package func take() -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        isTaken.withLock { $0 = true }
        return pipe
    }
}
