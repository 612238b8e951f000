import SessionCoordinator
import Testing
import WireProtocol

@testable import ControllerClient
@testable import RoomServer
@testable import Roomful

/// Each deed has two witnesses: what the controller's own program was told over the network, and what the room says.
@Suite("A player, asked and told things by the game, over real sockets", .serialized, .timeLimit(.minutes(3)))
struct PlayerTests {
    /// What this controller was told, until its room was left.
    private func told(_ controller: Controller, into heard: Heard<ControllerEvent>) -> Task<Void, Never> {
        Task { for await event in controller.events { heard.note(event) } }
    }

    /// The identity under which the room knows whoever is called so.
    private func id(of name: String, in room: Room) async throws -> ControllerID? {
        try await room.peers(matching: name).first.flatMap { ControllerID($0.controller) }
    }

    private func haptics(_ heard: Heard<ControllerEvent>) -> [Haptic] {
        heard.all.compactMap { if case .haptic(let haptic) = $0 { haptic } else { nil } }
    }

    @Test(
        "What a player is to feel reaches its controller as it was commanded, and no other one; the receipt is an event"
    )
    func play() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let events = await room.events()
            var answering = try house.controller("Blue")
            answering.haptics = .answered
            try await withController(answering, joining: room.local) { blue in
                try await withController(house.controller("Red"), joining: room.local) { red in
                    let bystander = Heard<ControllerEvent>()
                    let listening = told(red, into: bystander)
                    for controller in [blue, red] {
                        controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                    }
                    _ = try await room.peers { $0.count == 2 && $0.allSatisfy { $0.state == "active" } }
                    let id = try #require(try await self.id(of: "Blue", in: room))
                    try await room.player(blue.seat.player).play(
                        intensity: 0.6, sharpness: 0.2, duration: .milliseconds(80))
                    let haptic = try await blue.events.first("a haptic") { event in
                        if case .haptic(let haptic) = event { haptic } else { nil }
                    }
                    blue.played(haptic)
                    // A byte each on the wire.
                    #expect(abs(haptic.intensity - 0.6) < 0.005 && abs(haptic.sharpness - 0.2) < 0.005)
                    #expect(haptic.duration == .milliseconds(80))
                    let outcome = try await events.first("its receipt") { event in
                        if case .haptic(let outcome) = event { outcome } else { nil }
                    }
                    #expect(outcome.id == haptic.id && outcome.player == blue.seat.player)
                    #expect(outcome.controller == id)
                    if case .played = outcome.outcome {} else { Issue.record("it was \(outcome.outcome)") }
                    #expect(haptics(bystander).isEmpty)
                    listening.cancel()
                }
            }
        }
    }

    @Test("Who is kicked hears so at its own end, and leaves in the room's events; its handle then throws")
    func kick() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let events = await room.events()
            try await withController(house.controller("Blue"), joining: room.local) { blue in
                try await withController(house.controller("P1"), joining: room.local) { other in
                    let id = try #require(try await self.id(of: "Blue", in: room))
                    let player = room.player(blue.seat.player)
                    #expect(await player.standing()?.controllers == [id])
                    try await player.kick(message: "Time is up.")
                    let ending = try await blue.events.first("its end") { event in
                        if case .ended(let why) = event { why } else { nil }
                    }
                    #expect(ending.code == .kicked && ending.description == "Time is up.")
                    let change = try await events.first("the room's word of it") { event in
                        if case .player(let change) = event, change.state == .left { change } else { nil }
                    }
                    #expect(change.player == blue.seat.player && change.controllers == [id])
                    #expect(await player.standing() == nil)
                    await #expect { try await player.play() } throws: { ($0 as? RoomError)?.code == .notFound }
                    await #expect { try await player.kick() } throws: { ($0 as? RoomError)?.code == .notFound }
                    // Whoever is called as the player was is another one, and stays.
                    #expect(await room.players().map(\.number) == [other.seat.player])
                }
            }
        }
    }

    @Test(
        "In a collaborative room all controllers are one player: each feels it, and none alone can be given another seat"
    )
    func collaborative() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.mode = .collaborative
        try await withRoom(options) { room in
            var mute = try house.controller("Mute")
            mute.haptics = .none
            try await withController(mute, joining: room.local) { mute in
                mute.send(Sample(sampledAt: Controller.deviceTimeNow()))
                try await collaborate(in: room, of: house)
            }
        }
    }

    /// Beside one that cannot vibrate, which keeps nobody else from it.
    private func collaborate(in room: Room, of house: TestHouse) async throws {
        try await withController(house.controller("Blue"), joining: room.local) { blue in
            try await withController(house.controller("Red"), joining: room.local) { red in
                let heard = [Heard<ControllerEvent>(), Heard<ControllerEvent>()]
                let listening = [told(blue, into: heard[0]), told(red, into: heard[1])]
                for controller in [blue, red] { controller.send(Sample(sampledAt: Controller.deviceTimeNow())) }
                _ = try await room.peers { $0.count == 3 && $0.allSatisfy { $0.state == "active" } }
                let player = room.player(1)
                #expect(await player.standing()?.seats == [1, 2, 3])
                await #expect(throws: RoomError.self) { try await player.play() }
                try await until("a haptic at both") { heard.allSatisfy { haptics($0).count == 1 } }
                await #expect { try await player.move(toSeat: 4) } throws: { error in
                    let error = error as? RoomError
                    return error?.code == .ambiguous && error?.candidates.count == 3
                }
                for task in listening { task.cancel() }
            }
        }
    }

    @Test("A player's name and seat can be changed: the room's events say so, and both controllers their new places")
    func seatAndName() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { blue in
                try await withController(house.controller("Red"), joining: room.local) { red in
                    let events = await room.events()
                    try await room.player(1).rename(to: "Captain")
                    let change = try await events.first("a new name") { event in
                        if case .player(let change) = event, change.state == .renamed { change } else { nil }
                    }
                    #expect(change.player == 1 && change.name == "Captain")
                    try await until("the controller's own new name") { blue.seat.name == "Captain" }
                    try await room.player(1).swap(with: room.player(2))
                    try await until("the change of seats") { (blue.seat.player, red.seat.player) == (2, 1) }
                    #expect(blue.seat.name == "Captain" && red.seat.name == "Red")
                    #expect(await room.player(2).standing()?.name == "Captain")
                    await #expect(throws: RoomError.self) { try await room.player(1).move(toSeat: 99) }
                    await #expect(throws: RoomError.self) { try await room.player(3).rename(to: "Nobody") }
                }
            }
        }
    }
}
