import Foundation
import Testing

@testable import Identity
@testable import RoomRecords
@testable import Roomful

/// What any device on the network can do to discovery: host 3 lies, by `Scripts/faults/forge-rooms.py`.
@Suite("Discovery: forgers", .serialized, .faultLimit, .needsNeighbours)
struct ForgeryTests {
    private typealias Backend = Neighbourhood.Backend
    private static let seed = UInt32.random(in: 1 ... .max)

    private static let bothInSoaks = Soak.isOn ? ["daemon", "embedded"] : ["embedded"]

    @Test(
        "A8: malformed packets, a thousand forged rooms and forged goodbyes end nobody, and move no player",
        arguments: ["daemon", "embedded"])
    func malformed(_ word: String) async throws {
        let backend = try #require(Backend(rawValue: word))
        try await Neighbourhood.with(hosts: 3, daemonsOn: backend == .daemon ? [1, 2] : []) { nearby in
            let machine = Standstill()
            let (host, blue) = try await play("Yard", by: backend, in: nearby)
            let before = try await host.status
            let looking = try nearby.browse(on: 2, by: backend, for: Soak.isOn ? "60s" : "20s")
            let count = Soak.isOn ? 100_000 : 6_000
            print("A8: malformed packets, seed \(Self.seed)")
            try await nearby.forge("malformed", "\(count)", "--seed", "\(Self.seed)", "--rate", "2500")
            try await nearby.forge("rooms", "1000", "--ttl", "3", "--seconds", "1")
            let seen = try await looking.rooms()
            #expect(
                looking.program.status == 0 && seen.contains { $0.room == before.room }, "\(looking.program.output)")
            #expect(
                !looking.program.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" },
                "names are shown safely")
            // A goodbye counts for whoever hears it, a second later (RFC 6762, 10.1), until the room speaks again: so who
            // looked has looked. Whoever looks now asks anew, and is answered.
            try await nearby.forge("goodbye", "Yard", "--times", "3")
            let anew = try await nearby.rooms(on: 2, by: backend) { $0.contains { $0.room == before.room } }
            #expect(anew.contains { $0.room == before.room }, "\(anew)")
            let after = try await nearby.expectUnharmed(host, blue, since: before, on: machine)
            #expect(after.discovery.hasPrefix("published as"), "\(after.discovery)")
        }
    }

    @Test("Whoever claims a room's identity, or its name, is never told its code nor joined", arguments: bothInSoaks)
    func impostor(_ word: String) async throws {
        let backend = try #require(Backend(rawValue: word))
        try await Neighbourhood.with(hosts: 3, daemonsOn: backend == .daemon ? [1, 2, 3] : []) { nearby in
            // The impostor's address is the one that is tried first.
            let ticket = nearby.house.folder + "/ticket"
            let truth = try await nearby.host(
                "Yard", on: 3, by: backend, options: ["--policy", "code", "--code-file", ticket])
            let impostor = try await nearby.host("Shed", on: 1, by: .auto, options: ["--policy", "ask"])
            let (its, theirs) = try await (truth.status { $0.discovery.hasPrefix("published as") }, impostor.status)
            let claim = ["--id", its.room, "--pin", its.pin, "--at", "10.77.0.1:\(theirs.port)"]
            let forging = try nearby.forging(["room", "Yard!", "--times", "1000", "--rate", "5"] + claim, on: 1)
            // Its claim is an entry of its own, and takes neither the true room's name nor its addresses.
            let names = ["Yard", "Yard!"]
            let rooms = try await nearby.rooms(on: 2, by: backend) { rooms in
                rooms.filter { $0.room == its.room }.map(\.name) == names
            }.filter { $0.room == its.room }
            #expect(rooms.map(\.name) == names)
            #expect(rooms.last?.addresses == ["10.77.0.1:\(theirs.port)"], "\(rooms)")
            #expect(rooms.first?.addresses.contains("10.77.0.1:\(theirs.port)") == false, "\(rooms)")

            let lured = try nearby.join(["Yard!", "--code-file", ticket], on: 2, by: backend)
            let refusal = try await lured.ended()
            #expect(lured.status == 1 && !refusal.contains("has seat"), "\(lured.status): \(refusal)")
            let blue = try nearby.join(["Yard", "--code-file", ticket], on: 2, by: backend)
            try await blue.says("Blue has seat 1")
            #expect(try await truth.status.peers.map(\.name) == ["Blue"])
            blue.kill(SIGKILL)
            forging.kill(SIGKILL)

            // The true host dies without a word, and somebody else opens a room of its name.
            truth.program.kill(SIGKILL)
            let other = try await nearby.host("Yard", on: 1, by: backend, options: ["--policy", "ask"])
            _ = try await other.status { $0.discovery.hasPrefix("published as") }
            for words in [["Yard", "--code-file", ticket], ["Yard"]] {
                let again = try nearby.join(words, on: 2, by: backend)
                let said = try await again.ended()
                #expect(again.status == 1 || again.status == 3, "\(words): \(again.status), \(said)")
                #expect(said.contains("roomful: ") && !said.contains("has seat"), "\(words): \(said)")
                print("impostor: \(words.count > 1 ? "with ticket" : "without") → \(again.status): \(said)")
            }
            for room in [impostor, other] {
                let status = try await room.status
                #expect(status.peers.isEmpty && status.waiting.isEmpty, "nobody knocked: \(status)")
            }
        }
    }

    private func play(
        _ name: String, by backend: Backend, in nearby: Neighbourhood
    ) async throws -> (host: HostProgram, blue: RunningProgram) {
        let host = try await nearby.host(name, by: backend)
        let pin = try await host.status { $0.discovery.hasPrefix("published as") }.pin
        let blue = try nearby.join([name, "--fingerprint", pin], on: 2, by: backend)
        try await blue.says("Blue has seat 1")
        try await host.program.says("P1 keepcalm-jump")
        return (host, blue)
    }
}

extension Neighbourhood {
    func forge(_ words: String...) async throws { try await forge(words, on: 3) }

    func forge(_ words: [String], on host: Int) async throws {
        let forger = try forging(words, on: host)
        let said = try await forger.ended()
        guard forger.status == 0 else { throw RunningProgram.Missing(description: "forging \(words): \(said)") }
    }
}

extension Neighbourhood {
    /// A forger at work.
    func forging(_ words: [String], on host: Int) throws -> RunningProgram {
        try lan.start(Witness.python, [repositoryPath("Scripts/faults/forge-rooms.py"), "eth0"] + words, on: host)
    }
}
