import Foundation
import Testing

@testable import Identity
@testable import RoomRecords
@testable import Roomful

@Suite("Faults: the network, between hosts in namespaces of their own", .serialized, .faultLimit)
struct NetworkFaultTests {
    private static let python = "/usr/bin/python3"

    /// A room on host 1, with `Blue` on host 2 playing in it.
    private struct Party: Sendable {
        var host: HostProgram
        var blue: RunningProgram
        var port: String
    }

    private func party(
        in house: TestHouse, on lan: Lan, at address: String = "10.77.0.1", options: [String] = []
    ) async throws -> Party {
        let host = try await HostProgram(in: house, options: options) { program, arguments, environment in
            try lan.start(program, arguments, on: 1, environment: environment)
        }
        let port = try await host.status.port
        try await lan.countDatagrams(.input, toPort: port, on: 1)
        try await lan.countDatagrams(.output, toPort: port, on: 2)
        let joining = try await host.joining(at: address, as: "Blue", replay: try house.recording(seconds: 10))
        let blue = try lan.start(
            BuiltProgram.path, joining, on: 2, environment: ["ROOMFUL_STATE": house.folder + "/blue"])
        try await host.program.says("P1 keepcalm-jump")
        return Party(host: host, blue: blue, port: String(port))
    }

    @Test(
        "N7: a datagram with a wrong checksum ends in the kernel, counted there, and the host never sees it",
        .needsNamespaces)
    func wrongChecksum() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            let host = try await HostProgram(in: house) { program, arguments, environment in
                try lan.start(program, arguments, on: 1, environment: environment)
            }
            let port = try await host.status.port
            func inject(bytes: Int, _ more: String...) async throws {
                let words = [
                    repositoryPath("Scripts/faults/send-raw.py"), "10.77.0.2:5000", "10.77.0.1:\(port)", "500",
                ]
                let sender = try lan.start(Self.python, words + [String(repeating: "11", count: bytes)] + more, on: 2)
                #expect(try await sender.ended().contains("sent 500"))
            }
            let before = try await checksumErrors(on: lan)
            // The kernel checks short datagrams as they come, and long ones when the socket is read: its drops show these.
            try await inject(bytes: 60, "--wrong-checksum")
            try await inject(bytes: 600, "--wrong-checksum")
            let status = try await host.status { $0.strangers.kernelDrops == 500 }
            #expect(try await checksumErrors(on: lan) - before == 1_000)
            #expect(status.strangers == RoomStatus.Strangers(badAuth: 0, unknown: 0, malformed: 0, kernelDrops: 500))
            // The same with a right checksum do arrive.
            for bytes in [60, 600] { try await inject(bytes: bytes) }
            let sound = try await host.status { $0.strangers.total == 1_000 }
            #expect(sound.strangers.unknown == 1_000)
        }
    }

    /// Udp InCsumErrors of host 1 (proc(5), /proc/net/snmp).
    private func checksumErrors(on lan: Lan) async throws -> Int {
        let rows = try await lan.run("cat", "/proc/net/snmp", on: 1).split(separator: "\n")
            .filter { $0.hasPrefix("Udp:") }.map { $0.split(separator: " ") }
        let place = try #require(rows.first?.firstIndex(of: "InCsumErrors"))
        return try #require(Int(rows[1][place]))
    }

    @Test(
        "N10: a controller whose cable is out for 1 s or 5 s has the same seat and player afterwards", .needsNamespaces)
    func cableCut() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            let party = try await party(in: house, on: lan, options: ["--idle", "2s", "--grace", "10s"])
            let seated = try #require(try await party.host.status.peers.first)
            for seconds in Soak.isOn ? [1, 5, 9, 1, 5] : [1, 5] {
                try await lan.cut(2)
                try await Task.sleep(for: .seconds(seconds))
                try await lan.heal(2)
                let status = try await party.host.status {
                    $0.peers.first.map { $0.state == "active" && $0.lastHeardMs < 100 && $0.samples.missing == 0 }
                        ?? false
                }
                let peer = try #require(status.peers.first)
                #expect((peer.controller, peer.seat, peer.player) == (seated.controller, seated.seat, seated.player))
                #expect(peer.state == "active" && peer.samples.missing == 0 && peer.samples.abandoned == 0)
                #expect(status.freeSeats == 3)
            }
            if Soak.isOn {
                try await lan.cut(2)
                try await Task.sleep(for: .seconds(60))
                try await lan.heal(2)
                #expect(try await party.host.status.freeSeats == 4)
            }
            // Nobody sends any more: what the kernels counted on both sides stands against the host's ledgers.
            party.blue.kill(SIGKILL)
            let (sent, arrived) = try await (
                lan.countedDatagrams(.output, on: 2), lan.countedDatagrams(.input, on: 1)
            )
            try await party.host.classifies(arrived)
            if !Soak.isOn {
                let blue = try #require(try await party.host.status.peers.first).datagrams
                // A number that its own kernel refused, as while no neighbour answers, was never a datagram.
                #expect(blue.missing.orNone + blue.tailMissing.orNone >= sent - arrived)
            }
            let said = try await party.host.close()
            let whileOpen = said.components(separatedBy: "the room is closing").first ?? ""
            #expect(whileOpen.ranges(of: "P1 Blue joined").count == 1, "\(said)")
            #expect(whileOpen.ranges(of: "P1 Blue left").count == (Soak.isOn ? 1 : 0), "\(said)")
            #expect(said.contains("P1 Blue is back"), "\(said)")
        }
    }

    @Test("N12: when only one side hears the other, both find out, and the seat is free in the end", .needsNamespaces)
    func oneWay() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            let party = try await party(in: house, on: lan, options: ["--idle", "1s", "--grace", "2s"])
            // Host 2 hears nothing from host 1 any more, and is still heard.
            try await lan.run("nft", "add table inet deaf", on: 2)
            try await lan.run("nft", "add chain inet deaf in { type filter hook input priority 0; }", on: 2)
            try await lan.run("nft", "add rule inet deaf in ip saddr 10.77.0.1 drop", on: 2)
            try await party.blue.says("reconnecting")
            let heard = try #require(try await party.host.status.peers.first)
            #expect(heard.state == "active")
            // The host hears that the controller gave up, by its silence.
            try await party.blue.ended()
            try await party.host.program.says("P1 Blue is lost|P1 Blue left")
            let status = try await party.host.status { $0.peers.isEmpty }
            #expect(status.freeSeats == 4)
            #expect(try await party.host.close().ranges(of: "P1 Blue left").count == 1)
        }
    }

    @Test(
        "N13: a controller with a new address keeps its seat; a datagram that does not open never moves it",
        .needsNamespaces)
    func newAddress() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 3) { lan in
            let party = try await party(in: house, on: lan, options: ["--idle", "2s", "--grace", "5s"])
            // Seat 1 of a room that has just opened: place 0, generation 1. Numbers as high as can be.
            let forged = "1100000001ffffff00" + String(repeating: "00", count: 60)
            let before = try #require(try await party.host.status.peers.first)
            let forger = try lan.start(
                Self.python,
                [
                    repositoryPath("Scripts/faults/send-raw.py"), "10.77.0.3:5000", "10.77.0.1:\(party.port)", "200",
                    forged,
                ],
                on: 3)
            #expect(try await forger.ended().contains("sent 200"))
            let forgedStatus = try await party.host.status { $0.strangers.badAuth == 200 }
            #expect(forgedStatus.strangers.badAuth == 200)
            #expect(forgedStatus.peers.first?.address == before.address)

            // As DHCP does it: the old address first, and all that hung on it.
            try await lan.run("ip", "addr", "del", "10.77.0.2/24", "dev", "eth0", on: 2)
            try await lan.run("ip", "addr", "add", "10.77.0.9/24", "dev", "eth0", on: 2)
            let status = try await party.host.status { $0.peers.first?.address?.hasPrefix("10.77.0.9:") ?? false }
            let moved = try #require(status.peers.first)
            #expect(moved.address?.hasPrefix("10.77.0.9:") == true, "\(moved)")
            #expect((moved.controller, moved.seat) == (before.controller, before.seat))
            let played = try await party.host.status {
                $0.peers.first.map { $0.samples.delivered > moved.samples.delivered + 100 } ?? false
            }
            #expect(played.peers.first?.samples.missing == 0)
            #expect(!party.host.program.output.contains("lost"))
        }
    }

    @Test("N13: a host with a new address is asked there before it misses anybody: no sample is lost", .needsNamespaces)
    func newAddressOfHost() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            // Nothing is announced: where the host is now, its datagrams alone say.
            let party = try await party(in: house, on: lan)
            let before = try #require(try await party.host.status.peers.first)
            try await lan.run("ip", "addr", "del", "10.77.0.1/24", "dev", "eth0", on: 1)
            try await lan.run("ip", "addr", "add", "10.77.0.8/24", "dev", "eth0", on: 1)
            let status = try await party.host.status { status in
                status.peers.first.map { $0.datagrams.epochs == 2 && $0.lastHeardMs < 100 && $0.samples.missing == 0 }
                    ?? false
            }
            let peer = try #require(status.peers.first)
            #expect((peer.controller, peer.seat, peer.state) == (before.controller, before.seat, "active"))
            #expect(peer.samples.missing == 0 && peer.samples.abandoned == 0)
            #expect(!party.host.program.output.contains("lost"))
        }
    }

    @Test(
        "N14: over an MTU of 1,280 no datagram is longer than 1,200 bytes, and none is cut in pieces", .needsNamespaces)
    func smallPackets() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            for host in [1, 2] { try await lan.run("ip", "link", "set", "eth0", "mtu", "1280", on: host) }
            let party = try await party(in: house, on: lan, at: "[fd77::1]")
            let watcher = try lan.start(
                Self.python, [repositoryPath("Scripts/faults/watch-packets.py"), "eth0", party.port], on: 1)
            try await watcher.says("watching")
            // What could not be sent, 300 samples, comes in datagrams as long as they may be.
            let before = try await party.host.status { $0.peers.first != nil }.peers.first?.samples.delivered ?? 0
            // Not by the cable: for up to 3 s the kernel keeps what has no neighbour to go to, and then nothing is lost.
            try await lan.drop("input", "udp dport \(party.port)", on: 1)
            try await lan.drop("input", "udp sport \(party.port)", on: 2)
            try await Task.sleep(for: .seconds(3))
            for host in [1, 2] { try await lan.allowAll(on: host) }
            let status = try await party.host.status {
                $0.peers.first.map {
                    $0.lastHeardMs < 100 && $0.samples.missing == 0 && $0.samples.delivered > before + 400
                } ?? false
            }
            #expect(status.peers.first?.samples.missing == 0)
            watcher.kill(SIGTERM)
            let seen = try JSONDecoder().decode(Packets.self, from: Data(try await watcher.says("(\\{.*\\})").utf8))
            #expect((1_000...1_200).contains(seen.longest), "\(seen)")
            #expect(seen.fragments == 0 && seen.inPackets > 0 && seen.outPackets > 0, "\(seen)")
        }
    }

    // With IPv6 switched off the kernel still opens sockets that could speak it; one without IPv6 was not at hand.
    @Test("A machine whose IPv6 is switched off hosts by IPv4", .needsNamespaces)
    func withoutIPv6() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            try await lan.run("sysctl", "-q", "-w", "net.ipv6.conf.all.disable_ipv6=1", on: 1)
            let party = try await party(in: house, on: lan, at: "10.77.0.1")
            let status = try await party.host.status { $0.peers.contains { $0.samples.delivered > 50 } }
            #expect(status.peers.first?.samples.missing == 0)
        }
    }

    @Test(
        "A4: whoever sends in another's name gets nothing sent to him: not one byte goes to the victim",
        .needsNamespaces)
    func amplification() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 3) { lan in
            let host = try await HostProgram(in: house, options: ["--legacy", "0"]) { program, arguments, environment in
                try lan.start(program, arguments, on: 1, environment: environment)
            }
            let status = try await host.status
            let legacy = try #require(status.legacyPort)
            let watcher = try lan.start(
                Self.python, [repositoryPath("Scripts/faults/watch-packets.py"), "eth0", "5000"], on: 2)
            try await watcher.says("watching")
            // A link's first datagram, a sound frame of KeepCalm's, and nothing at all; each to both ports.
            let hello = "110000000100000000" + String(repeating: "00", count: 24)
            let frame = "000000000001e240000000003f800000bf8000003f000000be8000004000000007d43209"
            for (port, payload) in [status.port, legacy].flatMap({ port in [hello, frame, ""].map { (port, $0) } }) {
                let spoofer = try lan.start(
                    Self.python,
                    [
                        repositoryPath("Scripts/faults/send-raw.py"), "10.77.0.2:5000", "10.77.0.1:\(port)", "100",
                        payload,
                    ],
                    on: 3)
                #expect(try await spoofer.ended().contains("sent 100"))
            }
            let after = try await host.status { $0.strangers.total == 600 }
            #expect(after.strangers.total == 600 && after.waiting == ["10.77.0.2:5000"])
            watcher.kill(SIGTERM)
            let seen = try JSONDecoder().decode(Packets.self, from: Data(try await watcher.says("(\\{.*\\})").utf8))
            #expect(seen == Packets(), "\(seen)")
        }
    }

    /// What `watch-packets.py` saw.
    private struct Packets: Decodable, Equatable {
        var inPackets = 0
        var inBytes = 0
        var outPackets = 0
        var outBytes = 0
        var longest = 0
        var fragments = 0
        var icmp = 0
    }
}
