import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Who comes when all seats are taken: first come, first seated")
struct QueueTests {
    /// A room of one seat in which somebody sits, and who does.
    private func fullRoom(_ policy: RoomConfiguration.Policy = .open) throws -> (HostedRoom, Pad) {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: policy))
        _ = room.invite(Guest(1))
        if policy == .ask { room.perform(try room.coordinator.accept(nil, now: room.now).get()) }
        let seated = try #require(room.answers[ConversationID(rawValue: 1)]?.last?.seat)
        var pad = try #require(Pad(seated))
        room.receive(pad.datagram(), from: pad.address)
        return (room, pad)
    }

    private func patient(_ number: UInt64) -> Guest {
        var guest = Guest(number)
        guest.wait = true
        return guest
    }

    private func heard(_ room: HostedRoom, _ conversation: ConversationID) -> ControlMessage? {
        room.answers[conversation]?.last
    }

    @Test("They see their places, are seated in their order, and whoever would not wait is refused")
    func order() throws {
        var (room, pad) = try fullRoom()
        let (a, b) = (room.newConversation(), room.newConversation())
        #expect(room.invite(patient(2), from: a)?.waiting?.place == 1)
        #expect(room.invite(patient(3), from: b)?.waiting?.place == 2)
        #expect(room.invite(Guest(4))?.refusal?.reason == .full)
        room.receive(pad.goodbye(.left), from: pad.address)
        // Whoever comes at this moment comes behind those who wait.
        #expect(room.invite(patient(5))?.waiting?.place == 3)
        #expect(room.invite(Guest(4))?.refusal?.reason == .full)
        room.stand(until: room.now + .milliseconds(1))
        #expect(heard(room, a)?.seat?.seat == 1)
        #expect(heard(room, b)?.waiting?.place == 1)
        #expect(room.coordinator.newcomers.map(\.place) == [1, 2])
        #expect(room.coordinator.freeSeats == 0)
    }

    @Test("Who waits, for a seat or the operator, is told so again every 5 s while it is connected, and nobody else")
    func toldAgain() throws {
        var (room, _) = try fullRoom()
        let (a, b) = (room.newConversation(), room.newConversation())
        room.invite(patient(2), from: a)
        room.pass(to: .s(2))
        room.invite(patient(3), from: b)
        room.pass(to: .s(16))
        room.perform(room.coordinator.disconnected(b, now: room.now))
        room.pass(to: .s(21))
        #expect(room.answers[a]?.map { $0.waiting?.place } == [1, 1, 1, 1, 1])
        #expect(room.answers[b]?.map { $0.waiting?.place } == [2, 2, 2, 2])
        let changes = room.occurrences.count { if case .queue = $0.what { true } else { false } }
        #expect(changes == 2, "nothing has changed")

        var asked = HostedRoom(RoomConfiguration(seats: 1, policy: .ask))
        let asks = asked.newConversation()
        asked.invite(Guest(2, timeout: 12_000), from: asks)
        asked.pass(to: .s(11))
        #expect(asked.answers[asks]?.map { $0.waiting?.timeout } == [12_000, 7_000, 2_000])
        #expect(asked.occurrences.count == 1)
    }

    @Test(
        "Whoever goes away from the queue of a quiet, locked room is forgotten after 30 s: waiting is no pause of the host"
    )
    func quietRoom() throws {
        var (room, pad) = try fullRoom()
        let conversation = room.newConversation()
        room.invite(patient(2), from: conversation)
        room.perform(room.coordinator.lock(now: room.now))
        room.receive(pad.goodbye(.left), from: pad.address)
        room.pass(to: room.now + .seconds(5))
        let gone = room.now
        room.perform(room.coordinator.disconnected(conversation, now: gone))
        room.pass(to: gone + .milliseconds(29_999))
        #expect(room.coordinator.newcomers.count == 1)
        room.pass(to: gone + .seconds(30))
        #expect(room.coordinator.newcomers.isEmpty)
        // Nothing is due any more in a room in which nobody is.
        #expect(room.coordinator.nextDeadline == nil)
    }

    @Test("A place is kept for 30 s without a connection, passed over meanwhile, and found again by secret or program")
    func absence() throws {
        var (room, pad) = try fullRoom()
        let (a, b, c) = (room.newConversation(), room.newConversation(), room.newConversation())
        let waiting = try #require(room.invite(patient(2), from: a)?.waiting)
        room.invite(patient(3), from: b)
        room.invite(patient(4), from: c)
        for conversation in [a, b] { room.perform(room.coordinator.disconnected(conversation, now: room.now)) }
        room.receive(pad.goodbye(.left), from: pad.address)
        room.stand(until: room.now + .milliseconds(1))
        #expect(heard(room, c)?.seat?.seat == 1)
        // Another run of the program, which shows the secret of its place.
        var returning = patient(2)
        returning.process = 7
        returning.secret = waiting.secret
        #expect(room.invite(returning)?.waiting?.place == 1)
        // Another one of whom nothing shows that it is the same begins at the end, and the one before loses nothing by it
        // that it could still have.
        var stranger = patient(3)
        stranger.process = 9
        #expect(room.invite(stranger)?.waiting?.place == 2)
        room.perform(room.coordinator.disconnected(ConversationID(rawValue: 6), now: room.now))
        room.pass(to: room.now + .seconds(29))
        #expect(room.coordinator.newcomers.count == 2)
        room.pass(to: room.now + .seconds(2))
        #expect(room.coordinator.newcomers.map(\.controller) == [patient(2).controller])
    }

    @Test("Under the id of one who waits nobody takes its place without proof, in the queue or with the operator")
    func impostor() throws {
        var stranger = patient(2)
        stranger.process = 66
        var (room, pad) = try fullRoom()
        let waits = room.newConversation()
        room.invite(patient(2), from: waits)
        room.invite(patient(3))
        #expect(room.invite(stranger)?.refusal?.reason == .alreadySeated)
        #expect(heard(room, waits)?.waiting?.place == 1)
        room.receive(pad.goodbye(.left), from: pad.address)
        room.stand(until: room.now + .milliseconds(1))
        #expect(heard(room, waits)?.seat?.seat == 1)

        var asked = HostedRoom(RoomConfiguration(seats: 1, policy: .ask))
        let asks = asked.newConversation()
        #expect(asked.invite(patient(2), from: asks)?.waiting != nil)
        #expect(asked.invite(stranger)?.refusal?.reason == .alreadySeated)
        asked.perform(try asked.coordinator.accept(nil, now: asked.now).get())
        #expect(heard(asked, asks)?.seat?.seat == 1)
    }

    @Test("Machines that fill the queue keep nobody out: the newest of the largest share gives way, and is told")
    func shares() throws {
        var (room, _) = try fullRoom()
        let lines = (0..<Coordinator.mostQueued).map { number in
            let line = room.newConversation()
            room.invite(patient(UInt64(100 + number)), from: line, at: .lan(60 + UInt8(number / 64)))
            return line
        }
        #expect(room.coordinator.newcomers.count == Coordinator.mostQueued)
        #expect(room.invite(patient(2), at: .lan(8))?.waiting?.place == Coordinator.mostQueued)
        let gone = lines.filter { heard(room, $0)?.refusal?.reason == .full }
        #expect(gone == [lines[63]], "of four shares of one size the oldest gives way")
        #expect(room.coordinator.newcomers.count == Coordinator.mostQueued)
    }

    @Test("Who leaves the queue has said all that it could on its connection, which ends")
    func leaving() throws {
        var (room, _) = try fullRoom()
        let line = room.newConversation()
        room.invite(patient(2), from: line)
        let actions = room.coordinator.goodbye(Farewell(reason: "left"), from: line, now: room.now)
        let ends = actions.contains { if case .close(let closed) = $0 { closed == line } else { false } }
        #expect(ends && room.coordinator.newcomers.isEmpty)
    }

    @Test("The operator may call anyone in, and send anyone away")
    func calledIn() throws {
        var (room, pad) = try fullRoom()
        let (a, b, c) = (room.newConversation(), room.newConversation(), room.newConversation())
        for (guest, conversation) in [(2, a), (3, b), (4, c)] as [(UInt64, ConversationID)] {
            room.invite(patient(guest), from: conversation)
        }
        room.perform(try room.coordinator.accept(patient(4).controller.description, now: room.now).get())
        #expect(heard(room, c)?.waiting?.place == 1 && heard(room, a)?.waiting?.place == 2)
        room.perform(try room.coordinator.decline("Pad 3", message: "Tomorrow", now: room.now).get())
        #expect(heard(room, b)?.refusal?.message == "Tomorrow")
        room.receive(pad.goodbye(.left), from: pad.address)
        room.stand(until: room.now + .milliseconds(1))
        #expect(heard(room, c)?.seat != nil && heard(room, a)?.waiting?.place == 1)
    }

    @Test("Where the operator is asked, who is accepted while the room is full waits for a seat")
    func acceptedWhileFull() throws {
        var (room, pad) = try fullRoom(.ask)
        let a = room.newConversation()
        #expect(room.invite(patient(2), from: a)?.waiting.map { $0.place == nil } == true)
        room.perform(try room.coordinator.accept(nil, now: room.now).get())
        #expect(heard(room, a)?.waiting?.place == 1)
        room.receive(pad.goodbye(.left), from: pad.address)
        room.stand(until: room.now + .milliseconds(1))
        #expect(heard(room, a)?.seat?.seat == 1)
    }

    @Test("Who begins anew with the operator waits there alone: a place that it left in the queue is not in the way")
    func fromQueueToOperator() throws {
        var (room, _) = try fullRoom(.ask)
        let (a, b) = (room.newConversation(), room.newConversation())
        room.invite(patient(2), from: a)
        room.perform(try room.coordinator.accept(nil, now: room.now).get())
        #expect(heard(room, a)?.waiting?.place == 1)
        room.perform(room.coordinator.disconnected(a, now: room.now))
        // A program that was started anew shows nothing.
        var anew = patient(2)
        anew.process = 7
        #expect(room.invite(anew, from: b)?.waiting.map { $0.place == nil } == true)
        #expect(room.coordinator.newcomers.count == 1)
        room.perform(try room.coordinator.accept(anew.controller.description, now: room.now).get())
        #expect(heard(room, b)?.waiting?.place == 1)
        #expect(room.coordinator.newcomers.map(\.isPresent) == [true])
    }

    @Test("Who shows the secret of its kept place has it, though somebody asks the operator under its id meanwhile")
    func keptPlaceBesideStranger() throws {
        var (room, _) = try fullRoom(.ask)
        let (a, b, c) = (room.newConversation(), room.newConversation(), room.newConversation())
        room.invite(patient(2), from: a)
        room.perform(try room.coordinator.accept(nil, now: room.now).get())
        room.perform(room.coordinator.disconnected(a, now: room.now))
        var stranger = patient(2)
        stranger.process = 66
        #expect(room.invite(stranger, from: b)?.waiting.map { $0.place == nil } == true)
        #expect(room.invite(patient(2), from: c)?.waiting?.place == 1)
        #expect(heard(room, b)?.farewell?.reason == .replaced && room.closed.contains(b))
        #expect(room.coordinator.newcomers.map(\.place) == [1])
    }

    @Test("Who asked the operator, and waits for a seat now that everybody may come, is in the queue alone")
    func fromOperatorToQueue() throws {
        var (room, _) = try fullRoom(.ask)
        let (a, b) = (room.newConversation(), room.newConversation())
        room.invite(patient(2), from: a)
        var terms = room.coordinator.configuration
        terms.policy = .open
        room.coordinator.adopt(terms, now: room.now)
        var stranger = patient(2)
        stranger.process = 66
        #expect(room.invite(stranger)?.refusal?.reason == .alreadySeated)
        #expect(room.invite(patient(2), from: b)?.waiting?.place == 1)
        #expect(room.coordinator.newcomers.map(\.place) == [1])
        #expect(heard(room, a)?.farewell?.reason == .replaced && room.closed.contains(a))
    }

    @Test(
        "What becomes of the queue is told: who comes into it, is called in, gets a seat, loses the place or gives up")
    func told() throws {
        var (room, pad) = try fullRoom()
        let conversations = (2...6).map { _ in room.newConversation() }
        for (guest, conversation) in zip(UInt64(2)..., conversations) {
            room.invite(patient(guest), from: conversation)
        }
        room.perform(try room.coordinator.accept("Pad 4", now: room.now).get())
        room.perform(room.coordinator.disconnected(conversations[0], now: room.now))
        room.receive(pad.goodbye(.left), from: pad.address)
        room.stand(until: room.now + .milliseconds(1))
        room.perform(room.coordinator.goodbye(Farewell(reason: "left"), from: conversations[1], now: room.now))
        room.perform(try room.coordinator.decline("Pad 5", message: nil, now: room.now).get())
        room.pass(to: room.now + .seconds(31))
        let told = room.occurrences.compactMap { occurrence in
            if case .queue(let change) = occurrence.what {
                "\(change.name) \(change.state) \(change.place)"
            } else {
                nil
            }
        }
        #expect(
            told == [
                "Pad 2 queued 1", "Pad 3 queued 2", "Pad 4 queued 3", "Pad 5 queued 4", "Pad 6 queued 5",
                "Pad 4 called 1", "Pad 4 seated 1", "Pad 3 left 2", "Pad 5 left 2", "Pad 2 lost 1",
            ])
    }

    @Test("The queue has an end, a locked room seats nobody, and a closing one tells everybody")
    func ends() throws {
        var (room, pad) = try fullRoom()
        for guest in 0..<256 { #expect(room.invite(patient(UInt64(100 + guest)))?.waiting?.place == guest + 1) }
        #expect(room.invite(patient(1_000))?.refusal?.reason == .full)
        room.perform(room.coordinator.lock(now: room.now))
        room.receive(pad.goodbye(.left), from: pad.address)
        room.pass(to: room.now + .seconds(1))
        #expect(room.coordinator.freeSeats == 1)
        room.perform(room.coordinator.unlock(now: room.now))
        room.stand(until: room.now + .milliseconds(1))
        #expect(room.coordinator.freeSeats == 0 && room.coordinator.newcomers.count == 255)
        room.perform(room.coordinator.close(now: room.now))
        #expect(room.answers.values.count { $0.last?.refusal?.reason == .closing } == 255)
    }

    @Test("Who waits for a seat under an id is not joined by another under it, who would have its seat as well")
    func impostorInQueue() throws {
        var room = HostedRoom(RoomConfiguration(seats: 1, policy: .ask))
        room.invite(Guest(1))
        room.perform(try room.coordinator.accept(Guest(1).controller.description, now: room.now).get())
        var guest = Guest(2)
        guest.wait = true
        room.invite(guest)
        room.perform(try room.coordinator.accept(guest.controller.description, now: room.now).get())
        #expect(room.coordinator.newcomers.map(\.place) == [1])
        var impostor = Guest(2, name: "Impostor")
        impostor.process = 7
        impostor.wait = true
        #expect(room.invite(impostor)?.refusal?.reason == .alreadySeated)
        #expect(room.coordinator.newcomers.map(\.name) == [guest.name])
    }
}
