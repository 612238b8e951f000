import Connections
import ControllerClient
import Roomful
import Synchronization
import WireProtocol

/// Controllers that all want in at the same moment, stay until the last has a seat, and leave together.
struct Crowd {
    /// So many are under way at once: a host lets no more strangers than 128 of one machine wait at its door, and more would
    /// only wait for each other.
    private static let width = 64

    private let count: Int
    private let ticket: Ticket
    private let round: Int

    init(_ count: Int, to ticket: Ticket, round: Int) {
        (self.count, self.ticket, self.round) = (count, ticket, round)
    }

    /// Milliseconds from the first one's first packet until each had its seat, in order.
    func join() async throws -> [Double] {
        let threads = try (0..<2).map { _ in try LinkThread(capacity: count) }
        defer { for thread in threads { thread.finish() } }
        let (seated, underWay, isComplete) = (Watched(0), Watched(0), Watched(false))
        let began = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: Double.self) { group in
            for place in 0..<count {
                _ = await underWay.first { $0 < Self.width }
                underWay.change { $0 += 1 }
                group.addTask {
                    var options = ControllerOptions(name: "Crowd \(round).\(place)")
                    options.linkThread = threads[place % 2]
                    options.discovery = .none
                    do {
                        return try await withController(options, joining: .ticket(ticket)) { _ in
                            let time = (ContinuousClock.now - began) / .milliseconds(1)
                            underWay.change { $0 -= 1 }
                            // A thousand that each looked at every arrival would be what is measured.
                            let place = seated.change { seated in
                                seated += 1
                                return seated
                            }
                            if place == count { isComplete.change { $0 = true } }
                            _ = await isComplete.first { $0 }
                            return time
                        }
                    } catch {
                        // The next ones come to their end, too.
                        underWay.change { $0 = 0 }
                        throw error
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return times.sorted()
    }
}
