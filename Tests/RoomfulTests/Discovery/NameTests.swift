import Foundation
import Testing

@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("Discovery: names and addresses", .serialized, .faultLimit, .needsNeighbours)
struct NameTests {
    @Test("H11: of two rooms of one name one is renamed and says so; both are listed, and each is joined by its own")
    func namesakes() async throws {
        try await Neighbourhood.with(hosts: 3, daemonsOn: [1, 2, 3]) { nearby in
            var names: [String: HostProgram] = [:]
            for machine in 1...2 {
                let host = try await nearby.host("Studio", on: machine, by: .daemon)
                let status = try await host.status { $0.discovery.hasPrefix("published as") }
                let name = try #require(status.discovery.split(separator: "\"").dropFirst().first)
                names[String(name)] = host
            }
            // On a machine that is busy both may step back, and take #2 and #3.
            let taken = names.keys.sorted()
            #expect(taken.count == 2 && taken.allSatisfy { $0.hasPrefix("Studio") })
            let renamed = try #require(taken.last)
            // Its operator is told on the host's own screen.
            try await names[renamed]?.program.says(renamed)

            let rooms = try await nearby.browse(on: 3, by: .daemon).rooms()
            #expect(rooms.map(\.name) == taken)
            for room in rooms {
                let status = try #require(try await names[room.name]?.status)
                #expect((room.room, room.pin) == (status.room, status.pin))
                let player = try nearby.join(
                    [room.name, "--fingerprint", status.pin], on: 3, as: "Player of \(room.name)", by: .daemon)
                try await player.says("has seat 1", within: .seconds(15))
                #expect(try await names[room.name]?.status.peers.map(\.name) == ["Player of \(room.name)"])
            }
        }
    }

    @Test("A room on two networks and two versions of IP is one room, and an address that leads nowhere costs little")
    func severalAddresses() async throws {
        try await Neighbourhood.with(hosts: 2) { nearby in
            for host in 1...2 { try await nearby.lan.addSecondCable(to: host) }
            for host in 1...2 { try await nearby.lan.avahi("start", on: host) }
            let host = try await nearby.host("Terrace", by: .daemon)
            let status = try await host.status { $0.discovery.hasPrefix("published as") }
            let rooms = try await nearby.browse(on: 2, by: .daemon).rooms()
            #expect(rooms.map(\.room) == [status.room])
            let addresses = try #require(rooms.first?.addresses)
            #expect(
                Set(addresses).isSuperset(of: ["10.77.0.1:\(status.port)", "10.78.0.1:\(status.port)"]), "\(addresses)")
            #expect(addresses.contains { $0.hasPrefix("[f") }, "\(addresses)")
            #expect(addresses.count == Set(addresses).count)

            // Every second way is dead, and says nothing.
            try await nearby.lan.drop("input", "iifname eth0 tcp dport \(status.port)", on: 1)
            let start = ContinuousClock.now
            let blue = try nearby.join(["Terrace", "--fingerprint", status.pin], on: 2, by: .daemon)
            try await blue.says("Blue has seat 1", within: .seconds(20))
            let took = ContinuousClock.now - start
            let first = addresses.firstIndex { !$0.hasPrefix("10.77.") } ?? 0
            #expect(took < .seconds(10), "\(took)")
            print("two networks: \(addresses), seated after \(took) with \(first) dead ways before the first good one")
        }
    }

    @Test(
        "N16: by IPv6 alone, and by link-local addresses alone, a room is found by name and joined",
        arguments: Soak.isOn ? [false, true] : [true])
    func onlyIPv6(linkLocal: Bool) async throws {
        try await Neighbourhood.with(hosts: 2) { nearby in
            for host in 1...2 {
                try await nearby.lan.run("ip", "addr", "del", "10.77.0.\(host)/24", "dev", "eth0", on: host)
                if linkLocal {
                    try await nearby.lan.run("ip", "addr", "del", "fd77::\(host)/64", "dev", "eth0", on: host)
                }
                try await nearby.lan.avahi("start", on: host)
            }
            let host = try await nearby.host("Attic", by: .daemon)
            let status = try await host.status { $0.discovery.hasPrefix("published as") }
            let room = try #require(try await nearby.browse(on: 2, by: .daemon).rooms().first)
            #expect(room.room == status.room)
            #expect(room.addresses.allSatisfy { $0.hasPrefix(linkLocal ? "[fe80:" : "[f") }, "\(room.addresses)")
            let address = try #require(room.addresses.first)
            #expect(!linkLocal || address.contains("%eth0]:"), "\(address)")

            let blue = try nearby.join(["Attic", "--fingerprint", status.pin], on: 2, by: .daemon)
            try await blue.says("Blue has seat 1", within: .seconds(15))
            try await host.program.says("P1 keepcalm-jump")
            // The same by the address that browse shows, scope and all.
            let red = try nearby.join(["--at", address, "--fingerprint", status.pin], on: 2, as: "Red", by: .daemon)
            try await red.says("Red has seat 2", within: .seconds(15))
        }
    }

    @Test(
        "N15: where multicast is dropped a name is not found and the error says what to do; an address joins, and a room of before is found where it was"
    )
    func noMulticast() async throws {
        try await Neighbourhood.with(hosts: 2, daemonsOn: [1, 2]) { nearby in
            let ticket = nearby.house.folder + "/ticket"
            let host = try await nearby.host("Yard", by: .daemon, options: ["--policy", "code", "--code-file", ticket])
            let status = try await host.status { $0.discovery.hasPrefix("published as") }
            let before = try nearby.join(["Yard", "--code-file", ticket], on: 2, by: .daemon)
            try await before.says("Blue has seat 1", within: .seconds(15))
            before.kill(SIGKILL)
            try await nearby.lan.drop("input", "udp dport 5353", on: 2)
            // What this machine's daemon heard so far, it knows.
            try await nearby.lan.avahi("stop", on: 2)
            try await nearby.lan.avahi("start", on: 2)

            let lost = try nearby.join(["Yard", "--fingerprint", status.pin], on: 2, as: "Red", by: .daemon)
            let back = try nearby.join(["Yard", "--code-file", ticket], on: 2, by: .daemon)
            let said = try await lost.ended(within: .seconds(15))
            #expect(lost.status == 1 && said.contains("--at HOST:PORT") && said.contains("multicast"), "\(said)")
            try await back.says("Blue has seat 1", within: .seconds(15))

            let direct = try nearby.join(["--code-file", ticket], on: 2, as: "Green", by: .daemon)
            try await direct.says("Green has seat 2", within: .seconds(15))
        }
    }

    @Test("A host whose cable is cut says no goodbye, and is marked dead within 10 s by whoever looks; then it is back")
    func cableCut() async throws {
        // The daemon's client on host 2 and the responder in the program on host 3 look on.
        try await Neighbourhood.with(hosts: 3, daemonsOn: [2]) { nearby in
            let host = try await nearby.host("Barn", by: .embedded)
            let status = try await host.status { $0.discovery.hasPrefix("published as") }
            let looking = try [(2, Neighbourhood.Backend.daemon), (3, .embedded)].map { place, backend in
                try (nearby.browse(on: place, by: backend), nearby.browse(on: place, by: backend, for: "12s"))
            }
            for (first, _) in looking {
                let room = try #require(try await first.rooms().first)
                #expect((room.room, room.state) == (status.room, "answering"))
            }
            try await nearby.lan.cut(1)
            for (_, whole) in looking {
                let room = try #require(try await whole.rooms().first)
                #expect((room.room, room.state) == (status.room, "silent"))
            }
            try await nearby.lan.heal(1)
            let healed = try await nearby.browse(on: 2, by: .daemon, for: "3s").rooms()
            #expect(healed.map(\.state) == ["answering"])
        }
    }
}
