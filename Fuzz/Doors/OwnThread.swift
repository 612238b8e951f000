import Glibc
import Synchronization

/// What the room's port hands to the concurrency's threads is done on the fuzzer's own, when that says so: an embedded
/// event loop is of one thread, and what one input does it does the same each time.
enum OwnThread {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    private final class Executor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            OwnThread.jobs.withLock { $0.append(job) }
        }
    }

    private static let jobs = Mutex<[UnownedJob]>([])
    private static let executor = Executor()

    /// From now on nothing runs by itself.
    static func take() {
        guard let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            preconditionFailure("the concurrency's runtime has no hook")
        }
        hook.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in OwnThread.jobs.withLock { $0.append(job) } }
    }

    /// Does what waits, and what comes of that.
    static func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
    }
}
