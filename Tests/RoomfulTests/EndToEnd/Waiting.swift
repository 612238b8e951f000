import Foundation
import RoomRecords
import Synchronization

/// How long a fact is waited for: nobody's promise, but longer than any machine stands still.
let patience = Duration.seconds(60)

/// What was awaited in vain.
struct NotSeen: Error, CustomStringConvertible {
    let description: String
    init(_ what: String) { description = "\(what) was awaited for \(patience)" }
    init(beforeTheEnd what: String) { description = "\(what) did not come before there were no more to come" }
}

/// Looks again until it is so.
func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !isSo() {
        guard ContinuousClock.now < deadline else { throw NotSeen(what) }
        try await Task.sleep(for: .milliseconds(10))
    }
}

extension AsyncSequence where Self: Sendable, Failure == Never {
    /// The first of its elements that is what is wanted, as what it is wanted for.
    func first<Wanted: Sendable>(
        _ what: String, _ wanted: @escaping @Sendable (Element) -> Wanted?
    ) async throws -> Wanted {
        let waiting = Task {
            for await element in self { if let wanted = wanted(element) { return wanted as Wanted? } }
            return nil
        }
        let limit = Task {
            try await Task.sleep(for: patience)
            waiting.cancel()
        }
        defer { limit.cancel() }
        let found = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        guard let found else { throw waiting.isCancelled ? NotSeen(what) : NotSeen(beforeTheEnd: what) }
        return found
    }
}

/// How long this machine, or this process alone, has stood still since a moment: what somebody who does nothing but sleep
/// for 5 ms at a time overslept.
struct Standstill: Sendable {
    /// When each ended, and how long it was.
    private static let all = Mutex<[(end: ContinuousClock.Instant, length: Duration)]>([])
    private static let watcher: Void = {
        let thread = Thread {
            var before = ContinuousClock.now
            while true {
                usleep(5_000)
                let now = ContinuousClock.now
                // Less is the scheduler's usual way.
                let pause = now - before - .milliseconds(5)
                before = now
                guard pause > .milliseconds(20) else { continue }
                all.withLock { $0.append((now, pause)) }
            }
        }
        thread.start()
    }()

    private let began: ContinuousClock.Instant

    init() {
        _ = Self.watcher
        began = .now
    }

    private var pauses: [Duration] {
        // What it sleeps through now, it knows when it has woken.
        usleep(20_000)
        return Self.all.withLock { $0.filter { $0.end > began }.map(\.length) }
    }

    /// All of it; what counts from the outside, such as how long somebody took, counts without it.
    var total: Duration { pauses.reduce(.zero, +) }
    /// The longest at once.
    var longest: Duration { pauses.max() ?? .zero }
}

extension RunningProgram {
    /// Whether this controller runs, and never gave its host up for silent. Where all that plays stands still for as long as
    /// a host may be silent, each hears nothing of the other, and asks again: that costs neither a seat nor a sample.
    func keptItsHost(on machine: Standstill) -> Bool {
        isRunning && (!output.contains("reconnecting") || machine.longest > .milliseconds(500))
    }
}

extension PeerStatus.Samples {
    /// What came: where the machine stands still for a second, some of it comes too late to count, and stands in the books.
    var arrived: Int { delivered + late }
}
