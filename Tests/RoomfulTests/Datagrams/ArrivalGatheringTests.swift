import Datagrams
import NIOCore
import NIOPosix
import Testing
import WireProtocol

@testable import ControlPort

@Suite("Datagrams that gather before they are read")
struct ArrivalGatheringTests {
    /// The pauses of a second in which so many datagrams come, evenly, and the thread wakes up every half millisecond.
    private func pauses(rate: UInt64, atMost window: Duration) -> [Int64?] {
        var gathering = Gathering(atMost: window, now: HostTime(nanoseconds: 0))
        return (1...2_000).map { step in
            gathering.pause(
                arrived: rate * UInt64(step) / 2_000, isBehind: false, now: HostTime(nanoseconds: Int64(step) * 500_000)
            )
        }
    }

    @Test("Where few speak nobody waits: 21 controllers at 100 Hz are read as they come")
    func few() { #expect(pauses(rate: 2_100, atMost: .microseconds(500)).allSatisfy { $0 == nil }) }

    @Test("Where many speak each reading waits for the time that was set, from the first moments on")
    func many() {
        let pauses = pauses(rate: 30_000, atMost: .microseconds(500))
        #expect(pauses.dropFirst(50).allSatisfy { $0 == 500_000 })
    }

    @Test("With no time set nobody waits, however many come")
    func never() { #expect(pauses(rate: .max / 4_000, atMost: .zero).allSatisfy { $0 == nil }) }

    @Test("What waits is read at once: in a flood that is more than a turn reads, nobody waits for more")
    func behind() {
        var gathering = Gathering(atMost: .milliseconds(5), now: HostTime(nanoseconds: 0))
        func at(_ milliseconds: Int64) -> HostTime { HostTime(nanoseconds: milliseconds * 1_000_000) }
        let empty = gathering.pause(arrived: 30_000, isBehind: false, now: at(30))
        let behind = gathering.pause(arrived: 60_000, isBehind: true, now: at(60))
        #expect(empty == 5_000_000)
        #expect(behind == nil)
    }

    @Test("Once the many are gone the few are read as they come again")
    func goneAgain() {
        var gathering = Gathering(atMost: .milliseconds(1), now: HostTime(nanoseconds: 0))
        let busy = gathering.pause(arrived: 1_000, isBehind: false, now: HostTime(nanoseconds: 30_000_000))
        let quiet = gathering.pause(arrived: 1_001, isBehind: false, now: HostTime(nanoseconds: 60_000_000))
        #expect(busy == 1_000_000)
        #expect(quiet == nil)
    }

    @Test("No number of datagrams, and no clock, traps")
    func extremes() {
        var gathering = Gathering(atMost: .milliseconds(5), now: HostTime(nanoseconds: 0))
        for (arrived, now) in [(UInt64.max, Int64.max), (0, 0), (.max, 30_000_000), (5, .max / 2)] {
            _ = gathering.pause(arrived: arrived, isBehind: false, now: HostTime(nanoseconds: now))
        }
    }

    /// What a thread that reads connections does after it has read: how long it rests.
    private func rest(rate: UInt64, atMost window: Duration) async throws -> Duration {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.any()
        let rested = try await loop.submit { () -> EventLoopFuture<Duration> in
            guard let pause = ReadingPause.here(atMost: window) else { return loop.makeSucceededFuture(.zero) }
            // Believed after 20 ms; the last of them is read now.
            let now = HostClock.now()
            pause.note(1, arrivedAt: now, on: loop)
            pause.note(Int(rate / 10), arrivedAt: now + .milliseconds(100), on: loop)
            let began = ContinuousClock.now
            return loop.submit {}.map { ContinuousClock.now - began }
        }.flatMap(\.self).get()
        try await group.shutdownGracefully()
        return rested
    }

    @Test("A thread that reads many browsers rests before it reads again, and one that reads few does not")
    func browsers() async throws {
        // The moment of the last lies 100 ms ahead of the clock: it rests until then, and for the window.
        #expect(try await rest(rate: 30_000, atMost: .milliseconds(5)) >= .milliseconds(100))
        #expect(try await rest(rate: 500, atMost: .milliseconds(5)) < .milliseconds(100))
        #expect(try await rest(rate: 30_000, atMost: .zero) == .zero)
    }
}
