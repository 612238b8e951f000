internal import CAvahi
internal import Glibc

/// The one thread of the process that talks to Avahi: whatever is marked `@AvahiThread` runs on it and nowhere else.
///
/// It is the thread of an `AvahiThreadedPoll`, made a Swift executor: Avahi's callbacks and our actor-isolated code take
/// turns on it, so neither needs a lock, and a D-Bus call that blocks keeps nobody waiting but Avahi's own users.
@globalActor
actor AvahiThread {
    static let shared = AvahiThread()

    private static let loop = AvahiLoop()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }

    /// Whether there is such a thread. If the system could not give us one, nothing may be handed to it.
    nonisolated static var isRunning: Bool { loop.isRunning }

    /// What people are told then.
    static let missing = "no thread for discovery; free some memory or file descriptors"

    /// What Avahi's constructors take as their event loop.
    static var poll: UnsafePointer<AvahiPoll>? { loop.poll }

    /// Does `work` on the thread after what it is doing now.
    ///
    /// This is how every Avahi callback ends: it notes what happened and returns, and only then do we act. So nothing is
    /// ever freed from within its own callback, nor used before its constructor has returned.
    nonisolated static func later(_ work: @escaping @AvahiThread @Sendable () -> Void) {
        guard isRunning else { return }
        loop.post { assumeIsolated(work) }
    }

    /// Does at once what waits to be done, on the thread already. A watch that is always ready would else keep it waiting,
    /// since Avahi's loop serves the newest watch first.
    nonisolated static func catchUp() { loop.drain() }

    /// Does `work` on the thread, and returns when it is done, or after `limit` if a hanging daemon holds the thread up;
    /// it is done then as soon as the thread is free.
    nonisolated static func perform(
        within limit: Duration, _ work: @escaping @AvahiThread @Sendable () -> Void
    ) async {
        guard isRunning else { return }
        let (end, ended) = AsyncStream.makeStream(of: Never.self)
        later {
            work()
            ended.finish()
        }
        let alarm = Task {
            try? await Task.sleep(for: limit)
            ended.finish()
        }
        for await _ in end {}
        alarm.cancel()
    }

    /// How long whoever stops something waits for a daemon that hangs.
    static let patience = Duration.seconds(1)

    /// Does `work` at once, on the promise, which is checked, that this is the thread already.
    nonisolated static func assumeIsolated(_ work: @AvahiThread () -> Void) {
        shared.preconditionIsolated("called by Avahi on a foreign thread")
        // As in MainActor.assumeIsolated: only the isolation is taken off the type, once it is known to hold.
        withoutActuallyEscaping(work) { work in
            unsafeBitCast(work, to: (() -> Void).self)()
        }
    }
}
