import ControllerSession
import Synchronization
import Testing
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import RoomRecords
@testable import Roomful

@Suite("Keeping a seat in a real room", .serialized, .timeLimit(.minutes(3)))
struct SeatKeepingTests {
    @Test("A link that dies costs a new joining, but neither the seat nor a sample")
    func deadLink() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue", logging: true), joining: room.local) { controller in
                let seat = controller.seat
                for round in 0..<300 {
                    controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                    if round == 100 { await controller.breakLink(to: room.port) }
                    try await Task.sleep(for: .milliseconds(8))
                }
                #expect(await controller.settle(within: patience))
                let peers = try await room.peers { $0.first?.samples.arrived == 300 }
                #expect(peers.first?.samples.arrived == 300)
                #expect(peers.first?.samples.missing == 0)
                #expect(peers.first?.datagrams.epochs == 2)
                #expect(controller.seat == seat)

                let report = await controller.report()
                #expect(report.streams.first?.appended == 300)
                #expect(report.streams.first?.isBalanced == true)
                #expect(await controller.losses() == Controller.Losses())
                let connections = Set(await controller.datagramLog().map(\.connection))
                #expect(connections.count == 3)
            }
        }
    }

    @Test("A control connection that is gone under a living link is there again soon, and the host is heard on it")
    func cutOff() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                let (seat, gone) = (controller.seat, controller.keeping.withLock { $0.connection })
                await gone.close()
                try await until("another control connection") {
                    controller.keeping.withLock { $0.connection } !== gone
                }
                #expect(controller.seat == seat)
                try await room.rename("Blue", to: "Azure")
                try await until("the new name") { controller.seat.name == "Azure" }
                let peers = try await room.peers { $0.first?.datagrams.epochs == 2 }
                #expect(peers.map(\.state) == ["active"] && peers.map(\.datagrams.epochs) == [2])
            }
        }
    }

    @Test("A link that falls silent while a control connection is asked for, and nobody answers, begins its own return")
    func lostAnswer() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        // It takes the first invitation, and never answers it.
        let successor = try await ScriptedHost { connection, heard in
            if connection > 0, case .invite? = heard { [.say(ScriptedHost.seat(1))] } else { [] }
        }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                try controller.expect(successor)
                await controller.keeping.withLock { $0.connection }.close()
                try await until("the question for a control connection") { !successor.invitations.isEmpty }
                let askedAt = ContinuousClock.now
                await controller.breakLink(to: room.port)
                try await until("its own return") { successor.invitations.count > 1 }
                // An answer is waited for 10 s.
                #expect(ContinuousClock.now - askedAt < .seconds(8))
            }
        }
        await successor.close()
    }

    @Test("Whoever asks what became of the samples is told of all that were sent before, however busy the link is")
    func books() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                let start = Controller.deviceTimeNow()
                for round in 1...20_000 {
                    // Where that takes seconds, as under ThreadSanitizer, the room may send away who sends so much.
                    guard controller.send(Sample(sampledAt: start + .microseconds(round))) else {
                        try #require(round > 1_000)
                        break
                    }
                    let taken = await controller.report().streams.first.map { $0.appended + $0.refused }
                    try #require(taken == round)
                }
            }
        }
    }

    @Test("What the controller's program sends arrives once and in order, whatever happens to the link")
    func messages() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                for number: UInt8 in 0..<40 {
                    try controller.send([number])
                    if number == 20 { await controller.breakLink(to: room.port) }
                }
                let received = Heard<UInt8>()
                let listening = Task { for await message in room.messages { message.bytes.forEach(received.note) } }
                try await until("40 messages") { received.all.count >= 40 }
                listening.cancel()
                #expect(received.all == Array(0..<40))
                #expect(throws: SendError.self) { try controller.send([UInt8](repeating: 0, count: 512)) }
            }
        }
    }

    @Test("Two controllers that change seats are both told, and the game sees who is player 1 now")
    func changingSeats() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { blue in
                try await withController(house.controller("Red"), joining: room.local) { red in
                    #expect((blue.seat.player, red.seat.player) == (1, 2))
                    try await room.swap("P1", with: "Red")
                    try await hears(red, ofPlayer: 1)
                    #expect(red.seat.player == 1)
                    try await hears(blue, ofPlayer: 2)
                    #expect(try await room.peers(matching: "P1").first?.name == "Red")
                    await #expect(throws: RoomError.self) { try await room.move("Red", toSeat: 99) }
                    let refusal = await #expect(throws: RoomError.self) { try await room.swap("P1", with: "Red") }
                    #expect(refusal?.code == .badOption)
                }
            }
        }
    }

    /// Waits until it is told that it is this player now.
    private func hears(_ controller: Controller, ofPlayer number: PlayerNumber) async throws {
        try await controller.events.first("player \(number)'s seat") { event in
            if case .seated(let seat) = event, seat.player == number { () } else { nil }
        }
    }

    @Test("A controller without anything to vibrate says so: the host is told no, or does not ask")
    func withoutHaptics() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            var options = try house.controller("Blue")
            options.haptics = .none
            try await withController(options, joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                await #expect(throws: RoomError.self) { try await room.play(on: "Blue") }
            }
        }
    }

    @Test("A program that answers haptics itself says what became of each")
    func answeredHaptics() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let events = await room.events().records
            var options = try house.controller("Blue")
            options.haptics = .answered
            try await withController(options, joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                for _ in 0..<2 { try await room.play(on: "Blue") }
                var asked: [Haptic] = []
                for await event in controller.events {
                    guard case .haptic(let haptic) = event else { continue }
                    asked.append(haptic)
                    if asked.count == 1 {
                        controller.played(haptic)
                    } else {
                        controller.refused(haptic, because: .busy)
                    }
                    if asked.count == 2 { break }
                }
                var outcomes: [EventRecord.Haptic.Outcome] = []
                for await event in events {
                    if case .haptic(let haptic) = event { outcomes.append(haptic.outcome) }
                    if outcomes.count == 2 { break }
                }
                #expect(outcomes == [.played, .refused])
            }
        }
    }

    @Test("A controller that leaves frees its seat at once, and leaves no thread behind")
    func leaving() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options(seats: 1)) { room in
            for name in ["Blue", "Red", "Blue"] {
                let link = try await withController(house.controller(name), joining: room.local) { controller in
                    #expect(controller.seat.seat == 1)
                    controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                    return controller.link
                }
                #expect(link.hasEnded)
                _ = try await room.peers { $0.isEmpty }
            }
        }
    }

    @Test("A task that is cancelled leaves the room as any other")
    func cancelling() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let playing = Task {
                try await withController(house.controller("Blue"), joining: room.local) { _ in
                    try await Task.sleep(for: .seconds(60))
                }
            }
            _ = try await room.peers { !$0.isEmpty }
            playing.cancel()
            await #expect(throws: CancellationError.self) { try await playing.value }
            #expect(try await room.peers { $0.isEmpty }.isEmpty)
        }
    }
}

extension Controller {
    /// From now on this host is asked for the seat.
    fileprivate func expect(_ host: ScriptedHost) throws {
        let endpoint = Endpoint(host: "127.0.0.1", port: host.port)
        let identity = HostIdentity(roomID: host.authority.roomID, pin: host.authority.pin, name: host.greeting.name)
        guard case .seated(let seated) = ScriptedHost.seat(1) else { return }
        let admission = try Admission(seated)
        keeping.withLock { keeping in
            let seating = Applicant.Seating(
                connection: keeping.connection, admission: admission, host: identity, endpoint: endpoint)
            keeping.stay = Stay(keeping.stay.applicant, seating)
            keeping.ways = [endpoint]
        }
    }

    /// From here on the host understands nothing any more, as if the keys had been mixed up on the way.
    func breakLink(to port: UInt16) async {
        let key = LinkKey(a: 1, b: 2, c: 3, d: 4)
        await link.open(
            LinkDesk.Opening(
                epoch: LinkEpoch(connection: ConnectionID(rawValue: 0xFFFF_0000), sendKey: key, receiveKey: key),
                suite: .aes256gcm, address: PeerAddress(ipv4: 0x7F00_0001, port: port), continues: true))
    }
}
