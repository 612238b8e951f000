import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("What a room waits for")
struct TimerTests {
    private let times = SeatTimes(RoomConfiguration())

    /// When a timer of the only peer runs out, in milliseconds of the tests' clock; `nil` while it stands.
    private func due(_ timer: PeerTimer, _ room: HostedRoom) -> Double? {
        var peer = room.coordinator.peers.peer(at: 0)
        let due = peer?.due(timer, times)
        guard let due, due < .max else { return nil }
        return Double(due - HostTime.ms(0).nanoseconds) / 1e6
    }

    @Test("A seat's timers follow its state, one at a time")
    func seat() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        #expect((due(.idle, room), due(.grace, room), due(.silence, room)) == (10_000, nil, nil))
        room.pass(to: .ms(2_000))
        room.receive(pad.samples(0..<1), from: pad.address)
        #expect((due(.idle, room), due(.grace, room), due(.silence, room)) == (12_000, nil, 3_000))
        #expect(due(.streamDeath, room) == 3_000)
        room.pass(to: .ms(3_250))
        #expect((due(.silence, room), due(.streamDeath, room)) == (nil, nil))
        room.receive(pad.goodbye(.paused), from: pad.address)
        #expect((due(.idle, room), due(.grace, room)) == (nil, 33_250))
        #expect([PeerTimer.feedback, .receipt, .data, .message, .probe].allSatisfy { due($0, room) == nil })
    }

    @Test("A feedback is due for each of its reasons at the time that the table says")
    func feedback() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        #expect(due(.feedback, room) == nil)
        room.receive(pad.samples(0..<1), from: pad.address)
        // The first at once; nothing else counts before it.
        #expect(due(.feedback, room) == 0)
        #expect([PeerTimer.receipt, .data, .message, .probe].allSatisfy { due($0, room) == nil })
        room.sendFeedback()
        #expect((due(.feedback, room), due(.probe, room)) == (200, 64))
        // Nor does a stream's first sample wait, where something else had been answered before it.
        var other = HostedRoom(RoomConfiguration(policy: .open))
        var late = try #require(Pad(other.invite(Guest(1))?.seat))
        for _ in 0..<4 { other.receive(late.datagram(), from: late.address) }
        other.sendFeedback()
        #expect(due(.feedback, other) == 200)
        other.receive(late.samples(0..<1), from: late.address)
        #expect(due(.feedback, other) == 5)
        other.pass(to: other.now + .milliseconds(5))
        other.receive(late.samples(1..<2), from: late.address)
        #expect(due(.feedback, other) == 205)
        #expect((due(.receipt, room), due(.data, room), due(.message, room)) == (nil, nil, nil))
        room.receive(pad.datagram { _ = $0.writeMessage(id: 0, body: [6]) }, from: pad.address)
        #expect(due(.receipt, room) == 25)
        room.receive(pad.samples(2..<3), from: pad.address)
        #expect(due(.feedback, room) == 50)
        _ = room.coordinator.sendNewest([1], channel: 0, to: 0)
        room.coordinator.send(.identify, to: 0)
        // At once, but never within 5 ms of the last.
        #expect((due(.data, room), due(.message, room)) == (5, 5))
    }

    @Test("The room comes back for the earliest of all timers but the death of a stream, which waits for the tick")
    func earliest() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        for step in 0..<300 {
            if step % 3 == 0, step < 200 { room.receive(pad.samples(0..<UInt32(step + 1)), from: pad.address) }
            let earliest = PeerTimer.allCases.filter { $0 != .streamDeath }.compactMap { due($0, room) }.min()
            let next = room.coordinator.nextDeadline.map { Double($0.nanoseconds - HostTime.ms(0).nanoseconds) / 1e6 }
            #expect(next == earliest)
            room.stand(until: room.now + .milliseconds(17))
        }
    }

    @Test("Each kind of the room's own timers counts its first")
    func room() throws {
        var room = HostedRoom(RoomConfiguration(seats: 4, policy: .ask))
        #expect(RoomTimer.allCases.allSatisfy { room.coordinator.due($0) == .max })
        room.invite(Guest(1, timeout: 20_000))
        room.invite(Guest(2, timeout: 9_000))
        #expect(room.coordinator.due(.invitation) == HostTime.s(9).nanoseconds)
        room.call(Guest(3), timeout: .seconds(7))
        #expect(room.coordinator.due(.offer) == HostTime.s(7).nanoseconds)
        #expect(room.coordinator.due(.waiting) == HostTime.s(5).nanoseconds)
        #expect(room.coordinator.nextDeadline == .s(5))
        let accepted = try room.coordinator.accept("Pad 1", now: room.now).get()
        room.perform(accepted)
        let seats: [Seated] = room.answers.values.compactMap { $0.last?.seat }
        let seated: Seated = try #require(seats.first)
        var pad = try #require(Pad(seated))
        room.receive(pad.samples(0..<1), from: pad.address)
        room.sendFeedback()
        room.perform(room.coordinator.kick(0, message: nil, now: room.now))
        #expect(room.coordinator.due(.farewell) == .min)
        #expect(room.coordinator.due(.drain) == (room.now + .seconds(3)).nanoseconds)
        room.sendFeedback()
        #expect(room.coordinator.due(.farewell) == (room.now + .milliseconds(20)).nanoseconds)
    }
}
