import Glibc

/// There is no thread to be had for this program.
package struct ThreadError: Error, Hashable, CustomStringConvertible {
    /// What may be in the way of more.
    package static let limits = "TasksMax of its service, pids.max of its container, ulimit -u or ulimit -v"

    /// The system's own number (errno).
    let number: Int32

    package var description: String {
        "this program may have no more threads (\(String(cString: strerror(number)))); raise what limits it: \(Self.limits)"
    }
}

private final class ThreadWork: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
}

/// Runs `body` on a thread of its own. Foundation's `Thread` keeps it to itself where the system gives none.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
    let work = Unmanaged.passRetained(ThreadWork(name, body))
    var thread = pthread_t()
    let number = pthread_create(
        &thread, nil,
        { pointer in
            guard let pointer else { return nil }
            let work = Unmanaged<ThreadWork>.fromOpaque(pointer).takeRetainedValue()
            nameThisThread(work.name)
            work.body()
            return nil
        }, work.toOpaque())
    guard number == 0 else {
        work.release()
        throw ThreadError(number: number)
    }
    pthread_detach(thread)
}

/// How many of so many threads this program can have beside those that it has: tries it.
package func threadsToBeHad(of wanted: Int) -> Int {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { gate.deallocate() }
    pthread_mutex_init(gate, nil)
    pthread_mutex_lock(gate)
    var threads: [pthread_t] = []
    while threads.count < wanted {
        var thread = pthread_t()
        let number = pthread_create(
            &thread, nil,
            { pointer in
                guard let gate = pointer?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
                pthread_mutex_lock(gate)
                pthread_mutex_unlock(gate)
                return nil
            }, gate)
        guard number == 0 else { break }
        threads.append(thread)
    }
    pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    pthread_mutex_destroy(gate)
    return threads.count
}
