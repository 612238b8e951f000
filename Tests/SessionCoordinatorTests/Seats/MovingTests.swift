import SessionCoordinator
import Testing
import WireProtocol

@Suite("Who is player 1 is up to the operator")
struct MovingTests {
    private struct Told: Equatable {
        var player: PlayerNumber
        var state: Occurrence.PlayerChange.State
        var name: String
    }

    private func told(_ room: HostedRoom, after first: Int) -> [Told] {
        room.occurrences[first...].compactMap {
            if case .player(let change) = $0.what {
                Told(player: change.player, state: change.state, name: change.name)
            } else {
                nil
            }
        }
    }

    /// The places that a controller's link was told of, in the order of their coming.
    private func notices(_ room: HostedRoom, _ pad: Pad) -> [LinkMessage] {
        room.outgoing.flatMap { sent in
            pad.read(sent.bytes) { _, payload in
                payload.blocks.compactMap { block -> LinkMessage? in
                    guard case .message(_, let body) = block else { return nil }
                    return try? LinkMessage(reading: body)
                }
            } ?? []
        }
    }

    private func makeRoom(seats: Int = 4) throws -> (room: HostedRoom, blue: Pad, red: Pad) {
        var room = HostedRoom(RoomConfiguration(seats: seats, policy: .open))
        var blue = try #require(Pad(room.invite(Guest(1, name: "Blue"))?.seat))
        var red = try #require(Pad(room.invite(Guest(2, name: "Red"))?.seat, address: .lan(11)))
        room.receive(blue.datagram(), from: blue.address)
        room.receive(red.datagram(), from: red.address)
        return (room, blue, red)
    }

    @Test("Moving to a free seat: the player leaves, and joins with another number and colour; the controller is told")
    func move() throws {
        var (room, blue, _) = try makeRoom()
        let before = room.occurrences.count
        room.perform(try room.coordinator.move(0, to: 3, now: room.now).get())
        #expect(
            told(room, after: before) == [
                Told(player: 1, state: .left, name: "Blue"), Told(player: 3, state: .joined, name: "Blue"),
            ])
        #expect(room.disk.first { $0.name == "Blue" }?.seat == 3)
        room.pass(to: room.now + .milliseconds(100))
        let color = try #require(room.report(of: Guest(1))?.color)
        #expect(notices(room, blue).first == .seat(.init(seat: 3, player: 3, color: color)))
        // The seat that became free is the next one's.
        #expect(room.invite(Guest(3))?.seat?.seat == 1)
        room.receive(blue.datagram(), from: blue.address)
        #expect(room.seatState(of: Guest(1)) == "active")
    }

    @Test("Moving to a seat that is taken is changing seats")
    func swap() throws {
        var (room, blue, red) = try makeRoom(seats: 2)
        let before = room.occurrences.count
        let actions = try room.coordinator.move(0, to: 2, now: room.now).get()
        room.perform(actions)
        // What both had begun ends before either is told to have left.
        #expect(Array(actions.prefix(2)) == [.unassign(0), .unassign(1)])
        // Both leases are written in one step: no two ever have one seat.
        #expect(actions.compactMap { if case .commit(let changes, _, _) = $0 { changes.count } else { nil } } == [2])
        #expect(
            told(room, after: before) == [
                Told(player: 1, state: .left, name: "Blue"), Told(player: 2, state: .left, name: "Red"),
                Told(player: 2, state: .joined, name: "Blue"), Told(player: 1, state: .joined, name: "Red"),
            ])
        #expect(room.coordinator.reports(now: room.now).map(\.name) == ["Red", "Blue"])
        room.pass(to: room.now + .milliseconds(100))
        #expect(notices(room, blue).count == 1 && notices(room, red).count == 1)
    }

    @Test("However many of the game's messages wait, who is moved hears of its last place, behind them")
    func crowded() throws {
        var (room, blue, _) = try makeRoom()
        let taken = (0..<300).count { _ in room.coordinator.send(.application([1]), to: 0) }
        #expect(taken == 256)
        for seat in [3, 4, 3] { room.perform(try room.coordinator.move(0, to: seat, now: room.now).get()) }
        room.receive(blue.datagram { _ = $0.writeReceipt(next: 256) }, from: blue.address)
        room.pass(to: room.now + .milliseconds(100))
        let color = try #require(room.report(of: Guest(1))?.color)
        #expect(Set(notices(room, blue)) == [.seat(.init(seat: 3, player: 3, color: color))])
        // Games have their whole room again, once it has heard.
        room.receive(blue.datagram { _ = $0.writeReceipt(next: 257) }, from: blue.address)
        let again = (0..<300).count { _ in room.coordinator.send(.application([1]), to: 0) }
        #expect(again == 256)
    }

    @Test("Nobody moves to a seat that the room does not have, and nothing happens to who sits there already")
    func nowhere() throws {
        var (room, _, _) = try makeRoom(seats: 2)
        let before = room.occurrences.count
        for seat in [0, 3, -1, .max] {
            #expect(room.coordinator.move(0, to: seat, now: room.now) == .failure(.noSuchSeat(seat, of: 2)))
        }
        #expect(room.coordinator.move(0, to: 1, now: room.now) == .success([]))
        #expect(room.occurrences.count == before)
    }

    @Test("Who has a seat elsewhere leaves none that is kept for it, heard here or not", arguments: [true, false])
    func departed(isHeard: Bool) throws {
        var room = HostedRoom(RoomConfiguration(seats: 2, policy: .ask))
        var guest = Guest(1)
        room.call(guest)
        #expect(room.coordinator.freeSeats == 1)
        guest.ticket = "ticket"
        var pad = try #require(Pad(room.invite(guest)?.seat))
        if isHeard { room.receive(pad.datagram(), from: pad.address) }
        let index = try room.coordinator.find("P1").get()
        room.perform(room.coordinator.depart(index, message: "It plays elsewhere.", now: room.now))
        #expect(room.coordinator.freeSeats == 2)
        #expect(room.invite(guest)?.refusal?.reason == .expired)
    }
}
