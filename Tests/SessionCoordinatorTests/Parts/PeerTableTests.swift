import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Who sits where")
struct PeerTableTests {
    private func makePeer(_ number: UInt64, at index: PeerIndex) -> Peer {
        let lease = Lease(
            controller: ControllerID(high: 0, low: number), seat: Int(number), player: 1, name: "\(number)", color: 0,
            secretHash: [])
        return Peer(at: index, stay: 1, lease: lease, seat: .active, now: .ms(0))
    }

    @Test("Whoever comes and goes, each place leads to who sits there, and a new one gets the lowest free place")
    func model() {
        var random = SeededGenerator(seed: 5)
        var table = PeerTable()
        var seated: [PeerIndex: UInt64] = [:]
        for number in 1...2_000 as ClosedRange<UInt64> {
            if seated.count < 12, random.chance(0.55) {
                let free = (0...seated.count).first { seated[$0] == nil }
                let index = table.seat { makePeer(number, at: $0) }
                #expect(index == free)
                seated[index] = number
            } else {
                let index = PeerIndex(random.next() % 14)
                #expect(table.vacate(index)?.lease.controller.low == seated.removeValue(forKey: index))
            }
            #expect(table.count == seated.count)
            for index in -1..<15 {
                #expect(table.isSeated(index) == (seated[index] != nil))
                #expect(table.read(index) { $0.lease.controller.low } == seated[index])
                #expect(table.read(index) { $0.index } ?? index == index)
            }
            #expect(table.places() == seated.keys.sorted())
            guard let (index, low) = seated.first else { continue }
            #expect(table.place { $0.lease.controller.low == low } == index)
            table.update(index) { $0.lease.name += "!" }
            #expect(table.peer(at: index)?.lease.name.hasSuffix("!") == true)
        }
    }
}
