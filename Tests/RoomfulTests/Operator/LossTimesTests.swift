import Testing
import WireProtocol

@testable import RoomRecords
@testable import SessionCoordinator

@Suite("Bursts and gaps as a peer's page tells them")
struct LossTimesTests {
    private func told(pace: Double?) -> PeerStatus.Losses {
        let losses = LossReport(numbers: 1_000, lost: 470, bursts: 1, burstNumbers: 500, burstLost: 470, gaps: 2)
        return PeerStatus.Losses(losses, epoch: DatagramLedger(), pace: pace)
    }

    @Test(
        "They last as long as the sender took for their numbers, whatever arrived of them, and however slowly it sends now",
        arguments: [1, 2, 7, 40])
    func times(step: Int) throws {
        var holes = HoleList()
        var previous: UInt32?
        func arrive(_ number: UInt32, at milliseconds: Int64) {
            holes.noteNewest(number, after: previous, at: HostTime(nanoseconds: milliseconds * 1_000_000))
            previous = number
        }
        #expect(holes.pace(upTo: nil) == nil)
        // Each 10 ms for a minute, and then each second for 5 s.
        for number in stride(from: 3, to: 6_000, by: step) { arrive(UInt32(number), at: Int64(number) * 10) }
        for number in 1...5 { arrive(5_999 + UInt32(number), at: 60_000 + Int64(number) * 1_000) }
        let pace = try #require(holes.pace(upTo: previous))
        let losses = told(pace: pace)
        let (burst, gap) = (try #require(losses.meanBurstMs), try #require(losses.meanGapMs))
        #expect(losses.meanBurst == 500 && abs(burst - 5_413.3) < 0.1)
        #expect(losses.meanGap == 250 && abs(gap - 2_706.6) < 0.1)
    }

    @Test("Where one number came and no second, nobody knows how long they were")
    func unknown() {
        var holes = HoleList()
        holes.noteNewest(9, after: nil, at: HostTime(nanoseconds: 5))
        #expect(holes.pace(upTo: 9) == nil)
        let losses = told(pace: nil)
        #expect(losses.meanBurst == 500 && losses.meanBurstMs == nil && losses.meanGapMs == nil)
    }
}
