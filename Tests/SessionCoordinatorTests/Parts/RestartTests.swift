import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("What begins anew, and what goes on")
struct RestartTests {
    @Test("Newest-wins data of a program that has begun anew is new, whatever the one before had counted to")
    func data() {
        var messages = PeerMessages()
        #expect(messages.isNewest(7, on: 1) && messages.isNewest(9, on: 2))
        #expect(!messages.isNewest(7, on: 1) && !messages.isNewest(1, on: 2))
        messages.restart()
        #expect(messages.isNewest(0, on: 1) && messages.isNewest(1, on: 2))
        #expect(messages.isNewest(0, on: 1) == false)
        // The channels are as many as before: those of the other program take none.
        for channel in UInt8(3)..<17 { #expect(messages.isNewest(1, on: channel) == true) }
        #expect(messages.isNewest(1, on: 17) == false)
    }

    @Test("Marks are used up, and come back one a second")
    func marks() {
        var budget = PeerBudget([StreamDeclaration()])
        #expect(budget.admitPause(at: 0) == true)
        for _ in 0...WireFormat.mostMarksAtOnce { #expect(budget.admitMark() == true) }
        #expect(budget.admitMark() == false)
        #expect(budget.admitPause(at: 2_000_000_000) == true)
        #expect([budget.admitMark(), budget.admitMark(), budget.admitMark()] == [true, true, false])
    }

    @Test("A wild frame that a good one followed confirms no later wild one")
    func wildFrames() {
        for isFollowed in [true, false] {
            var stream = LegacyStream(address: .lan(7))
            #expect(stream.admit(1_000, arrivedAt: .ms(0)) == .next)
            #expect(stream.admit(900_000, arrivedAt: .ms(10)) == .tooOld)
            if isFollowed { #expect(stream.admit(1_020, arrivedAt: .ms(20)) == .next) }
            #expect(stream.admit(900_020, arrivedAt: .ms(30)) == (isFollowed ? .tooOld : .restarted))
        }
    }

    @Test("Once a device's clock was set, its jitter is counted anew: the leap of the clock is no unevenness")
    func jitter() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        for step in 0..<20 as Range<Int64> {
            // After ten of them it is set back by 50 s.
            let clock = 100_000_000_000 + step * 20_000_000 - (step < 10 ? 0 : 50_000_000_000)
            room.receive(pad.datagram(sentAt: clock), from: pad.address)
            room.pass(to: room.now + .milliseconds(20))
        }
        #expect(room.report(of: Guest(1))?.jitter == 0)
        room.pass(to: room.now + .milliseconds(16))
        room.receive(pad.datagram(sentAt: 50_400_000_000), from: pad.address)
        #expect(room.report(of: Guest(1))?.jitter == 1_000_000)
    }

    @Test("A mark is of the last minute, whatever its controller says of when it was", arguments: [-3_600, -30, 20])
    func marksOfLongAgo(seconds: Int64) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        let clock: Int64 = 10_000_000_000_000
        let body = try LinkMessage.mark("lap", at: DeviceTime(nanoseconds: clock + seconds * 1_000_000_000)).encoded()
        var bytes = pad.datagram(sentAt: clock) { _ = $0.writeMessage(id: 0, body: body) }
        var sink = RecordingSink()
        let now = room.now
        bytes.withUnsafeMutableBytes { buffer in
            room.coordinator.receive(
                buffer, from: pad.address, arrivedAt: now, now: now, cipher: TestCipher(), sink: &sink)
        }
        let marks = room.coordinator.takeActions().compactMap { action in
            if case .mark(_, let text, let at) = action { (text: text, at: at) } else { nil }
        }
        #expect(marks.map(\.text) == ["lap"])
        #expect(marks.first?.at == room.now - .seconds(-min(0, max(seconds, -60))))
    }

    @Test("Of each channel the newest waits, whatever another channel says; all leave with the next feedback")
    func channels() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        // Nobody is sent much more than came from there before its address is proven.
        for _ in 0..<50 { room.receive(pad.datagram(), from: pad.address) }
        room.pass(to: .s(1))
        room.outgoing = []
        for (channel, byte) in [(1, 1), (2, 2), (1, 3)] as [(UInt8, UInt8)] {
            _ = room.coordinator.sendNewest([byte], channel: channel, to: 0)
        }
        room.pass(to: .s(2))
        var pieces: [[UInt8]] = []
        for sent in room.outgoing {
            pad.read(sent.bytes) { _, payload in
                for case .data(let channel, _, let body) in payload.blocks { pieces.append([channel] + Array(body)) }
            }
        }
        #expect(pieces == [[1, 3], [2, 2]])
    }
}
