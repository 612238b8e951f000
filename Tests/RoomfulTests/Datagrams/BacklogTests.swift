import Testing
import WireProtocol

@testable import RoomServer

@Suite("How far a room has read")
struct BacklogTests {
    private let start = HostTime(nanoseconds: 0)

    private func at(_ milliseconds: Int64) -> HostTime { start + .milliseconds(milliseconds) }

    @Test("Where nothing waits, all was heard")
    func empty() {
        var backlog = Backlog(now: start)
        #expect(backlog.heardUntil == nil)
        backlog.begin([.link, .letters], now: at(10))
        backlog.read(.link, until: at(9))
        backlog.emptied(.link, at: at(10))
        backlog.emptied(.letters, at: at(11))
        #expect(backlog.heardUntil == nil)
    }

    @Test("Of several ways, the one that was read least counts: it may hold what arrived first")
    func severalWays() {
        var backlog = Backlog(now: start)
        backlog.begin([.link], now: at(1_000))
        backlog.emptied(.link, at: at(1_000))
        // The host stood still for three seconds; browsers' datagrams came all the while.
        backlog.begin([.link, .letters], now: at(4_000))
        backlog.read(.link, until: at(2_500))
        #expect(backlog.heardUntil == at(1_000), "nothing of the letters was read since")
        backlog.read(.letters, until: at(1_200))
        #expect(backlog.heardUntil == at(1_200))
        backlog.emptied(.letters, at: at(4_001))
        #expect(backlog.heardUntil == at(2_500))
        backlog.emptied(.link, at: at(4_002))
        #expect(backlog.heardUntil == nil)
    }

    @Test("After the host stood still, letters are awaited for a moment: other threads find them, and stamp them late")
    func stoodStill() {
        var backlog = Backlog(now: start)
        backlog.begin([.link, .letters], now: at(10))
        backlog.emptied(.link, at: at(10))
        backlog.emptied(.letters, at: at(10))
        // It stood still from 10 ms to 510.
        backlog.stoodStill(until: at(510))
        for turn: Int64 in [510, 560, 610] {
            backlog.begin([.link, .letters], now: at(turn))
            backlog.emptied(.link, at: at(turn))
            backlog.read(.letters, until: at(turn))
            backlog.emptied(.letters, at: at(turn))
            #expect(backlog.heardUntil == at(10) && backlog.isAwaitingLetters)
        }
        // Though it stands still once more: else nothing would ever be given up.
        backlog.stoodStill(until: at(660))
        backlog.begin([.letters], now: at(660))
        backlog.emptied(.letters, at: at(660))
        #expect(backlog.heardUntil == nil && !backlog.isAwaitingLetters)
    }

    @Test("A way that was left full and then found empty holds nothing back")
    func leftFull() {
        var backlog = Backlog(now: start)
        backlog.begin([.link], now: at(10))
        backlog.read(.link, until: at(5))
        #expect(backlog.heardUntil == at(5))
        backlog.begin([], now: at(20))
        #expect(backlog.heardUntil == nil)
        // What is read later than it arrived does not set it back.
        backlog.begin([.link], now: at(30))
        backlog.read(.link, until: at(7))
        #expect(backlog.heardUntil == at(20))
    }
}
