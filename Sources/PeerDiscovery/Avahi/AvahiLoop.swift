internal import CAvahi
internal import Glibc
internal import Synchronization

/// Runs Swift's jobs on the thread of an `AvahiThreadedPoll`, woken by an eventfd.
///
/// Lives as long as the process. Its lock (`avahi_threaded_poll_lock`) is never taken from outside: all work comes in
/// through the queue.
final class AvahiLoop: SerialExecutor {
    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    /// Immutable, and used by the loop's own thread alone once it runs; libavahi guards what it shares with the thread.
    private nonisolated(unsafe) let threadedPoll: OpaquePointer?
    private let wakeup: CInt
    private let queue = Mutex<[Work]>([])
    private let thread = Atomic<UInt>(0)
    private let running = Atomic<Bool>(false)

    var isRunning: Bool { running.load(ordering: .acquiring) }
    var poll: UnsafePointer<AvahiPoll>? { threadedPoll.flatMap { avahi_threaded_poll_get($0) } }

    init() {
        wakeup = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        threadedPoll = wakeup >= 0 ? avahi_threaded_poll_new() : nil
        guard let threadedPoll, let poll, let newWatch = poll.pointee.watch_new else { return }
        let unretained = Unmanaged.passUnretained(self).toOpaque()
        guard newWatch(poll, wakeup, AVAHI_WATCH_IN, loopWasWoken, unretained) != nil,
            avahi_threaded_poll_start(threadedPoll) == 0
        else { return }
        running.store(true, ordering: .releasing)
    }

    func enqueue(_ job: consuming ExecutorJob) { post(.job(UnownedJob(job))) }

    /// Runs `call` on the thread, after what is queued.
    func post(_ call: @escaping @Sendable () -> Void) { post(.call(call)) }

    func checkIsolated() {
        precondition(thread.load(ordering: .acquiring) == pthread_self(), "not on the Avahi thread")
    }

    private func post(_ work: Work) {
        queue.withLock { $0.append(work) }
        // It can only fail with the counter full, and then the thread is awake.
        eventfd_write(wakeup, 1)
    }

    /// Does what is queued; only on the thread.
    func drain() {
        thread.store(pthread_self(), ordering: .releasing)
        var count: eventfd_t = 0
        eventfd_read(wakeup, &count)
        let work = queue.withLock { queue in
            defer { queue = [] }
            return queue
        }
        for item in work {
            switch item {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .call(let call): call()
            }
        }
    }
}

private func loopWasWoken(_: OpaquePointer?, _: CInt, _: AvahiWatchEvent, _ loop: UnsafeMutableRawPointer?) {
    guard let loop else { return }
    Unmanaged<AvahiLoop>.fromOpaque(loop).takeUnretainedValue().drain()
}
