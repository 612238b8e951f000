import Roomful
import ServiceLifecycle
import Synchronization

/// Tells the service manager when the rooms can be joined, and for as long as each room's own thread answers.
///
/// What feeds the watchdog is an answer of every room's thread, so a loop that hangs is noticed and the program started
/// again, with its seats kept.
struct Supervision: NamedService {
    var description: String { "supervision" }
    private let manager: ServiceManager
    private let expected: Int
    private let openings = AsyncStream<Room?>.makeStream(bufferingPolicy: .unbounded)
    private let watched = Watched()
    /// Ends when this host takes part in no room any more that several could own.
    private let partings = AsyncStream<Void>.makeStream()

    /// The rooms whose threads must answer.
    private final class Watched: Sendable {
        let rooms = Mutex<[Room]>([])
    }

    /// - Parameter expected: how many rooms must be open before the program counts as ready.
    init(_ manager: ServiceManager, rooms expected: Int) {
        self.manager = manager
        self.expected = expected
    }

    /// A room is open: controllers can join it, and its thread is watched.
    func opened(_ room: Room) {
        watched.rooms.withLock { $0.append(room) }
        // One that several hosts could own comes and goes: standsBy() has counted it.
        if room.options.tenure == nil { openings.continuation.yield(room) }
    }

    /// It closes, or another host has it: nobody waits for its thread any more.
    func closed(_ room: Room) { watched.rooms.withLock { $0.removeAll { $0 === room } } }

    /// This host takes part in a room that several could own: it may be open here, or not, and may be deposed without harm.
    func standsBy() { openings.continuation.yield(nil) }

    /// It does not take part in that room any more.
    func parts() { partings.continuation.yield() }

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await cancelWhenGracefulShutdown { try await watch() }
        } onGracefulShutdown: {
            manager.tell("STOPPING=1")
        }
    }

    private func watch() async throws {
        var (rooms, shared): ([Room], Int) = ([], 0)
        for await room in openings.stream {
            if let room { rooms.append(room) } else { shared += 1 }
            if rooms.count + shared == expected { break }
        }
        guard rooms.count + shared == expected, !Task.isCancelled else { return }
        let names = rooms.map { "\"\($0.name)\" at port \($0.port)" }.joined(separator: ", ")
        manager.tell("READY=1\nSTATUS=\(names)")
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await feed() }
            // The program ends with its last room, not with whoever watches.
            for room in rooms { await room.untilClosed() }
            for await _ in partings.stream.prefix(shared) {}
            group.cancelAll()
        }
    }

    private func feed() async {
        let pause = (manager.patience ?? .seconds(60)) / 3
        while (try? await Task.sleep(for: pause)) != nil {
            for room in watched.rooms.withLock({ $0 }) { _ = await room.status() }
            manager.tell("WATCHDOG=1")
        }
    }
}
