import Testing
import WireProtocol

@testable import ControllerClient

@Suite("Marks that a controller may send")
struct MarkAllowanceTests {
    @Test("At once 20 are taken, then one a second, and what is refused costs nothing")
    func marks() {
        var allowance = MarkAllowance()
        func taken(at second: Int64, of count: Int) -> Int {
            (0..<count).filter { _ in allowance.take(at: DeviceTime(nanoseconds: second * 1_000_000_000)) }.count
        }
        let (atOnce, after, later) = (taken(at: 100, of: 500), taken(at: 103, of: 10), taken(at: 4_000, of: 500))
        #expect((atOnce, after, later) == (20, 3, 20))
    }
}
