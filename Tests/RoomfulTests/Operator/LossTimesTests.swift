import Testing

@testable import RoomRecords
@testable import SessionCoordinator

@Suite("Bursts and gaps as a peer's page tells them")
struct LossTimesTests {
    private func told(expected: UInt64, authenticated: UInt64) -> PeerStatus.Losses {
        let losses = LossReport(numbers: 1_000, lost: 470, bursts: 1, burstNumbers: 500, burstLost: 470, gaps: 2)
        let interval = IntervalReport(
            length: 5_000_000_000, authenticated: authenticated, bytes: 0, expected: expected, received: authenticated)
        return PeerStatus.Losses(losses, epoch: DatagramLedger(), interval: interval)
    }

    @Test(
        "They last as long as the sender took for their numbers, whatever arrived of them, and how often",
        arguments: [0, 130, 250, 700] as [UInt64])
    func times(arrived: UInt64) {
        let losses = told(expected: 250, authenticated: arrived)
        #expect(losses.meanBurst == 500 && losses.meanBurstMs == 10_000)
        #expect(losses.meanGap == 250 && losses.meanGapMs == 5_000)
    }

    @Test("Where the last seconds brought no new number, nobody knows how long they were")
    func silence() {
        let losses = told(expected: 0, authenticated: 0)
        #expect(losses.meanBurst == 500 && losses.meanBurstMs == nil && losses.meanGapMs == nil)
    }
}
