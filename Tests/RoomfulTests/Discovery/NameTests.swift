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
            var hosts: [HostProgram] = []
            for machine in 1...2 {
                let host = try await nearby.host("Studio", on: machine, by: .daemon)
                _ = try await host.status { $0.discovery.hasPrefix("published as") }
                hosts.append(host)
            }
            // On a machine that is busy both may step back, also the one that had the name, and take #2 and #3.
            var names: [String: HostProgram] = [:]
            func published() async throws -> [String] {
                names = [:]
                for host in hosts {
                    let status = try await host.status
                    guard status.discovery.hasPrefix("published as") else { continue }
                    names[String(status.discovery.split(separator: "\"").dropFirst().first ?? "")] = host
                }
                return names.keys.sorted()
            }
            var (taken, rooms): ([String], [Browsing.Room]) = ([], [])
            try await until("two names, as they are listed") {
                rooms = try await nearby.rooms(on: 3, by: .daemon) { $0.count == 2 }
                taken = try await published()
                return taken.count == 2 && rooms.map(\.name) == taken
            }
            #expect(taken.allSatisfy { $0.hasPrefix("Studio") })
            let renamed = try #require(taken.last)
            // Its operator is told on the host's own screen.
            try await names[renamed]?.program.says(renamed)
            for room in rooms {
                let status = try #require(try await names[room.name]?.status)
                #expect((room.room, room.pin) == (status.room, status.pin))
                let player = try nearby.join(
                    [room.name, "--fingerprint", status.pin], on: 3, as: "Player of \(room.name)", by: .daemon)
                try await player.says("has seat 1")
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
            let known = ["10.77.0.1:\(status.port)", "10.78.0.1:\(status.port)"]
            let rooms = try await nearby.rooms(on: 2, by: .daemon) { rooms in
                let addresses = rooms.first?.addresses ?? []
                return Set(addresses).isSuperset(of: known) && addresses.contains { $0.hasPrefix("[f") }
            }
            #expect(rooms.map(\.room) == [status.room])
            let addresses = try #require(rooms.first?.addresses)
            #expect(Set(addresses).isSuperset(of: known), "\(addresses)")
            #expect(addresses.contains { $0.hasPrefix("[f") }, "\(addresses)")
            #expect(addresses.count == Set(addresses).count)

            // Every second way is dead, and says nothing.
            try await nearby.lan.drop("input", "iifname eth0 tcp dport \(status.port)", on: 1)
            let (start, machine) = (ContinuousClock.now, Standstill())
            let blue = try nearby.join(["Terrace", "--fingerprint", status.pin], on: 2, by: .daemon)
            try await blue.says("Blue has seat 1")
            let took = ContinuousClock.now - start - machine.total
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
            let room = try #require(try await nearby.rooms(on: 2, by: .daemon) { !$0.isEmpty }.first)
            #expect(room.room == status.room)
            #expect(room.addresses.allSatisfy { $0.hasPrefix(linkLocal ? "[fe80:" : "[f") }, "\(room.addresses)")
            let address = try #require(room.addresses.first)
            #expect(!linkLocal || address.contains("%eth0]:"), "\(address)")

            let blue = try nearby.join(["Attic", "--fingerprint", status.pin], on: 2, by: .daemon)
            try await blue.says("Blue has seat 1")
            try await host.program.says("P1 keepcalm-jump")
            // The same by the address that browse shows, scope and all.
            let red = try nearby.join(["--at", address, "--fingerprint", status.pin], on: 2, as: "Red", by: .daemon)
            try await red.says("Red has seat 2")
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
            try await before.says("Blue has seat 1")
            before.kill(SIGKILL)
            try await nearby.lan.drop("input", "udp dport 5353", on: 2)
            // What this machine's daemon heard so far, it knows.
            try await nearby.lan.avahi("stop", on: 2)
            try await nearby.lan.avahi("start", on: 2)

            let lost = try nearby.join(["Yard", "--fingerprint", status.pin], on: 2, as: "Red", by: .daemon)
            let back = try nearby.join(["Yard", "--code-file", ticket], on: 2, by: .daemon)
            let said = try await lost.ended()
            #expect(lost.status == 1 && said.contains("--at HOST:PORT") && said.contains("multicast"), "\(said)")
            try await back.says("Blue has seat 1")

            let direct = try nearby.join(["--code-file", ticket], on: 2, as: "Green", by: .daemon)
            try await direct.says("Green has seat 2")
        }
    }

    @Test("Who joined by a ticket or an address alone, or has an old ticket, finds a room by its name that moved")
    func movedPort() async throws {
        try await Neighbourhood.with(hosts: 2) { nearby in
            let (ticket, old) = (nearby.house.folder + "/ticket", nearby.house.folder + "/old")
            func open(at port: String) async throws -> HostProgram {
                try await nearby.host("Yard", by: .embedded, options: ["--code-file", ticket, "--port", port])
            }
            let host = try await open(at: "7790")
            let status = try await host.status { $0.discovery.hasPrefix("published as") }
            let blue = try nearby.join(["--code-file", ticket], on: 2, by: .embedded)
            try await blue.says("Blue has seat 1")
            let direct = ["--at", "10.77.0.1:7790", "--fingerprint", status.pin]
            let red = try nearby.join(direct, on: 2, as: "Red", by: .embedded)
            try await red.says("Red has seat 2")
            _ = try await host.status { $0.peers.count == 2 && $0.peers.allSatisfy { $0.state == "active" } }
            try FileManager.default.copyItem(atPath: ticket, toPath: old)

            host.program.kill(SIGKILL)
            try await host.program.ended()
            let again = try await open(at: "7791")
            let back = try await again.status { status in
                status.peers.count == 2 && status.peers.allSatisfy { $0.state == "active" }
            }
            #expect(back.peers.map(\.seat).sorted() == [1, 2] && back.peers.allSatisfy { $0.state == "active" })
            let green = try nearby.join(["--code-file", old], on: 2, as: "Green", by: .embedded)
            try await green.says("Green has seat 3")
        }
    }

    @Test("A host whose cable is cut says no goodbye, and is marked dead within 10 s by whoever looks; then it is back")
    func cableCut() async throws {
        // The daemon's client on host 2 and the responder in the program on host 3 look on.
        try await Neighbourhood.with(hosts: 3, daemonsOn: [2]) { nearby in
            let host = try await nearby.host("Barn", by: .embedded)
            let status = try await host.status { $0.discovery.hasPrefix("published as") }
            let looking = [(2, Neighbourhood.Backend.daemon), (3, .embedded)]
            for (place, backend) in looking {
                let rooms = try await nearby.rooms(on: place, by: backend) { $0.map(\.state) == ["answering"] }
                #expect(rooms.map(\.room) == [status.room] && rooms.map(\.state) == ["answering"])
            }
            let whole = try looking.map { try nearby.browse(on: $0, by: $1, for: "12s") }
            // They know it as one that answers when it is cut off; 10 s are left then.
            try await Task.sleep(for: .seconds(2))
            try await nearby.lan.cut(1)
            for browsing in whole {
                let room = try #require(try await browsing.rooms().first)
                #expect((room.room, room.state) == (status.room, "silent"))
            }
            try await nearby.lan.heal(1)
            let healed = try await nearby.rooms(on: 2, by: .daemon) { $0.map(\.state) == ["answering"] }
            #expect(healed.map(\.state) == ["answering"])
        }
    }
}
