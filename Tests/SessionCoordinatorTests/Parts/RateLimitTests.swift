import SessionCoordinator
import Testing
import WireProtocol

@Suite("The rate that a peer may send at")
struct RateLimitTests {
    private struct Fast {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad: Pad
        var next: UInt32 = 0
        let conversation: ConversationID

        init() throws {
            conversation = room.newConversation()
            pad = try #require(Pad(room.invite(Guest(1), from: conversation)?.seat))
        }

        /// One second of datagrams, each with so many samples that never came before.
        mutating func second(datagrams: Int, samplesEach: UInt32 = 1) {
            let start = room.now
            for number in 0..<datagrams {
                room.pass(to: start + .nanoseconds(Int64(number) * 1_000_000_000 / Int64(datagrams)))
                let datagram = pad.samples(next..<next + samplesEach, floor: next)
                next += samplesEach
                room.receive(datagram, from: pad.address)
            }
            room.pass(to: start + .seconds(1))
        }

        var report: PeerReport? { room.report(of: Guest(1)) ?? room.departed.last }
    }

    @Test(
        "Ten times the declared rate is slowed, then the seat is taken with a reason, in datagrams or in samples: P7",
        arguments: [(1_000, 1), (100, 10), (250, 4)] as [(Int, UInt32)])
    func tenTimes(rate: (datagrams: Int, samplesEach: UInt32)) throws {
        var fast = try Fast()
        var seconds = 0
        while fast.room.playerStates.last != .left, seconds < 30 {
            fast.second(datagrams: rate.datagrams, samplesEach: rate.samplesEach)
            seconds += 1
        }
        #expect((6...15).contains(seconds))
        let report = try #require(fast.report)
        #expect(report.seatState == .released)
        // What was limited is in the datagrams' account as everything that arrived, and its samples are in none.
        #expect(report.datagrams.rateLimited > UInt64(rate.datagrams))
        #expect(report.datagrams.unique > report.datagrams.rateLimited)
        let read = (report.datagrams.unique - report.datagrams.rateLimited) * UInt64(rate.samplesEach)
        #expect(report.samples.delivered == read)
        guard case .goodbye(let farewell)? = fast.room.answers[fast.conversation]?.last else {
            Issue.record("the controller was not told")
            return
        }
        #expect(farewell.reason == .tooFast)
        #expect(fast.room.outgoing.compactMap { fast.pad.farewell(in: $0.bytes) }.contains(.tooFast))
    }

    @Test("Who joins again every two seconds is no other than before: it loses its seat like anyone: P7")
    func tooFastByTurns() throws {
        var fast = try Fast()
        var (guest, seconds) = (Guest(1), 0)
        while fast.room.playerStates.last != .left, seconds < 30 {
            if seconds % 2 == 0 {
                let said = fast.room.answers.values.flatMap { $0 }.compactMap(\.seat)
                let last = try #require(said.max { $0.link.connection < $1.link.connection })
                guest.process += 1
                guest = guest.returning(with: last)
                fast.pad = try #require(Pad(fast.room.invite(guest)?.seat))
                fast.next = 0
            }
            fast.second(datagrams: 1_000)
            seconds += 1
        }
        #expect((5...15).contains(seconds), "\(seconds) s")
    }

    @Test(
        "A controller that repeats what was lost, or all of 10 s after an outage, or has its host stand still for 4 s more, is not limited",
        arguments: [1_000, 1_400])
    func honest(saved: UInt32) throws {
        var fast = try Fast()
        // 100 fresh samples a second in 125 datagrams, and as many that only repeat.
        for _ in 0..<20 {
            fast.second(datagrams: 100)
            for _ in 0..<150 { fast.room.receive(fast.pad.datagram(), from: fast.pad.address) }
        }
        // An outage, then its samples at once, 40 to a datagram, beside what is fresh.
        fast.room.pass(to: fast.room.now + .seconds(9))
        for _ in 0..<saved / 40 {
            fast.room.receive(fast.pad.samples(fast.next..<fast.next + 40, floor: fast.next), from: fast.pad.address)
            fast.next += 40
        }
        fast.second(datagrams: 100)
        #expect(fast.report?.datagrams.rateLimited == 0)
        #expect(fast.report?.samples.delivered == UInt64(fast.next))
    }

    @Test("Who is limited for a moment keeps the seat, and what was not read comes again")
    func recovers() throws {
        var fast = try Fast()
        for _ in 0..<2 { fast.second(datagrams: 2_000) }
        let limited = try #require(fast.report?.datagrams.rateLimited)
        #expect(limited > 0)
        for _ in 0..<10 { fast.second(datagrams: 100) }
        #expect(fast.report?.datagrams.rateLimited == limited)
        #expect(fast.report?.seatState == .active)
    }

    @Test("A goodbye counts however fast its sender was")
    func goodbye() throws {
        var fast = try Fast()
        fast.second(datagrams: 4_000)
        fast.room.receive(fast.pad.goodbye(.left), from: fast.pad.address)
        #expect(fast.room.playerStates.last == .left)
        #expect(fast.report?.datagrams.tailMissing == 0)
    }
}
