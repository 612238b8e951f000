import Testing
import WireProtocol

@testable import Datagrams
@testable import Roomful

@Suite("When datagrams reached their socket")
struct ArrivalClockTests {
    private func ms(_ milliseconds: Int64) -> HostTime { HostTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("The kernel's stamp counts, and a datagram without one came just now")
    func stamps() {
        let clock = ArrivalClock(openedAt: ms(0))
        #expect(clock.arrival(waited: 3_000_000, now: ms(10)) == ms(7))
        #expect(clock.arrival(waited: nil, now: ms(10)) == ms(10))
    }

    @Test("A wall clock set ahead or back while datagrams wait moves them no further than to when the socket was empty")
    func steps() {
        var clock = ArrivalClock(openedAt: ms(0))
        clock.noteEmpty(since: ms(100))
        #expect(clock.arrival(waited: 86_400_000_000_000, now: ms(110)) == ms(100))
        #expect(clock.arrival(waited: -86_400_000_000_000, now: ms(110)) == ms(110))
        #expect(clock.arrival(waited: .max, now: ms(110)) == ms(100))
    }
}
