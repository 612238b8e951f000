import Foundation
import Testing

@testable import Identity
@testable import RoomServer
@testable import Roomful

/// Where a room is published by one backend and looked for by another.
private struct Pair: Sendable, CustomTestStringConvertible {
    var hosting: Neighbourhood.Backend
    var looking: Neighbourhood.Backend
    var onOneMachine = false

    var testDescription: String { "\(hosting)-\(looking)" + (onOneMachine ? " on one machine" : "") }

    static let all = [
        Pair(hosting: .daemon, looking: .daemon), Pair(hosting: .daemon, looking: .embedded),
        Pair(hosting: .embedded, looking: .daemon), Pair(hosting: .auto, looking: .auto),
        Pair(hosting: .embedded, looking: .embedded, onOneMachine: true),
    ]
}

@Suite(
    "Discovery: rooms found by name between hosts in namespaces of their own", .serialized, .faultLimit,
    .needsNeighbours)
struct BackendTests {
    @Test(
        "A room is found with exactly the record that it claims, is joined by name, tells of its free seats, and is gone afterwards",
        arguments: Pair.all)
    fileprivate func found(_ pair: Pair) async throws {
        let daemons = [(1, pair.hosting), (2, pair.looking)].filter { $0.1 == .daemon }.map(\.0)
        let place = pair.onOneMachine ? 1 : 2
        try await Neighbourhood.with(hosts: 3, daemonsOn: daemons) { nearby in
            let witness = try await Witness.look(on: 3, of: nearby.lan, subtypes: ["keepcalm", "cube"])
            let ticket = nearby.house.folder + "/ticket"
            let host = try await nearby.host(
                by: pair.hosting, options: ["--play", "keepcalm", "--policy", "code", "--code-file", ticket])
            let others = try nearby.browse(on: place, by: pair.looking, for: "2500ms", options: ["--game", "cube"])
            let status = try await host.status
            func record(free: Int) -> [String] {
                [
                    "txtvers=1", "v=1", "id=\(status.room)", "game=keepcalm", "free=\(free)", "seats=4", "policy=code",
                    "pin=\(status.pin)",
                ]
            }

            // The independent client: the very strings in their order, and nothing under another game.
            let seen = try await witness.sees { $0.event == "appeared" && $0.name == "Living Room" }
            #expect(seen.strings == record(free: 4))
            #expect(seen.port == status.port)
            // It tells of a room as soon as it knows one address of whatever family, and again of each that it hears.
            _ = try await witness.sees {
                ["appeared", "updated"].contains($0.event) && $0.name == "Living Room"
                    && $0.addresses?.contains("10.77.0.1") == true
            }
            _ = try await witness.sees { $0.event == "listed" && $0.subtype == "keepcalm" && $0.name == "Living Room" }
            #expect(!witness.sights.contains { $0.subtype == "cube" })

            // Ours.
            let room = try await firstRoom(near: nearby, on: place, by: pair.looking)
            #expect((room.name, room.room, room.pin) == ("Living Room", status.room, status.pin))
            #expect((room.game, room.policy, room.seats, room.freeSeats) == ("keepcalm", "code", 4, 4))
            #expect(room.addresses.contains { $0.hasSuffix(":\(status.port)") })
            #expect(try await others.rooms() == [])

            try await nearby.lan.countDatagrams(.input, toPort: status.port, on: 1)
            let blue = try nearby.join(["Living Room", "--code-file", ticket], on: place, by: pair.looking)
            try await blue.says("Blue has seat 1")
            try await host.program.says("P1 keepcalm-jump")
            let fewer = try await witness.sees { $0.event == "updated" && $0.strings == record(free: 3) }
            #expect(fewer.port == status.port)
            try await host.ask(.lock)
            _ = try await witness.sees { $0.event == "updated" && $0.strings == record(free: 3) + ["locked=1"] }
            let closed = try await nearby.rooms(on: place, by: pair.looking, options: ["--game", "keepcalm"]) {
                $0.first?.isLocked == true
            }
            #expect(closed.first?.freeSeats == 3)
            blue.kill(SIGKILL)
            try await blue.ended()
            // What the kernel counted at the room's port, and what the host says of it.
            let arrived = try await nearby.lan.countedDatagrams(.input, on: 1)
            try await host.classifies(arrived)
            _ = try await host.close()
            _ = try await witness.sees { $0.event == "removed" && $0.name == "Living Room" }
        }
    }

    private func firstRoom(
        near nearby: Neighbourhood, on place: Int, by backend: Neighbourhood.Backend
    ) async throws -> Browsing.Room {
        let rooms = try await nearby.rooms(on: place, by: backend, options: ["--game", "keepcalm"]) { !$0.isEmpty }
        return try #require(rooms.first)
    }
}
