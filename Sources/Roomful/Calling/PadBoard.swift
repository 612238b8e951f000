import Synchronization
import WireProtocol

/// The controllers that wait nearby, as they were last seen, and since when.
final class PadBoard: Sendable {
    private let entries = Mutex<[NearbyController]>([])
    private let firstSeen = Mutex<[String: HostTime]>([:])

    /// By name, then by id.
    var nearby: [NearbyController] {
        let seen = firstSeen.withLock { $0 }
        let now = HostClock.now()
        return entries.withLock { $0 }.map { controller in
            var controller = controller
            if let since = seen[controller.id] { controller.waitedFor = (now - since).milliseconds / 1_000 }
            return controller
        }
    }

    /// Replaces the list; `waitedFor` is worked out here.
    func post(_ controllers: [NearbyController]) {
        let now = HostClock.now()
        firstSeen.withLock { seen in
            let present = Set(controllers.map(\.id))
            seen = seen.filter { present.contains($0.key) }
            for id in present where seen[id] == nil { seen[id] = now }
        }
        let sorted = controllers.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        entries.withLock { $0 = Array(sorted.prefix(1_000)) }
    }
}
