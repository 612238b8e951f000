import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

/// 90 days of 1,000 visits each, with the room's own database: `MonthsCheck`.
@Suite("A room that nobody looks after")
struct ExhibitTests {
    @Test("Days of visitors who leave, vanish and come back, and a power cut while they play, leave nothing behind")
    func days() throws {
        var exhibit = try Exhibit(seed: 7, seats: 8, rate: 30)
        var kept: [ControllerID: Lease] = [:]
        var most = 0
        for day in 0..<3 {
            try exhibit.day(
                visits: day == 1 ? 120 : 12,
                keep: { changes in
                    for change in changes {
                        switch change {
                        case .keep(let lease): kept[lease.controller] = lease
                        case .remove(let controller): kept[controller] = nil
                        }
                    }
                    most = max(most, kept.count)
                },
                powerCut: day == 1
                    ? {
                        kept.values.sorted { $0.seat < $1.seat }.map { lease in
                            var lease = lease
                            lease.generation = 0
                            return lease
                        }
                    } : nil)
            #expect(kept.isEmpty && exhibit.leases.isEmpty)
        }
        let counts = exhibit.counts
        #expect(exhibit.violations == [] && most > 0)
        #expect(counts.restored > 1 && counts.joined == counts.left)
        #expect(counts.visits == 144 && counts.left == counts.visits - counts.refused)
        #expect(counts.goodbyes + counts.vanished == counts.left && counts.vanished > 0 && counts.returns > 0)
        #expect(counts.gestures == counts.left)
    }
}
