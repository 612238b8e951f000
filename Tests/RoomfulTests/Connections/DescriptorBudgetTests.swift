import Foundation
import Testing

@testable import RoomServer

@Suite("What a process may have open")
struct DescriptorBudgetTests {
    @Test("Its rooms are never given more together than it may open, and what one gives back another has")
    func together() async {
        // In a process of its own, as the limit is everyone's.
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 512, rlim_max: 512)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }
            let first = DescriptorBudget.grant(wanted: 300)
            let second = DescriptorBudget.grant(wanted: 300)
            guard first.connections == 300, second.connections > 1 else { exit(3) }
            guard first.connections + second.connections + DescriptorBudget.reserve < 512 else { exit(4) }
            // Once, however often it is said.
            first.release()
            first.release()
            let third = DescriptorBudget.grant(wanted: 300)
            guard third.connections > second.connections else { exit(5) }
            guard third.connections + second.connections + DescriptorBudget.reserve < 512 else { exit(6) }
            // What it cannot do without a room has as long as nobody uses it.
            guard DescriptorBudget.grant(wanted: 300).connections == 1 else { exit(7) }
            guard DescriptorBudget.grant(wanted: 300, needed: 140).connections == 140 else { exit(8) }
        }
    }
}
