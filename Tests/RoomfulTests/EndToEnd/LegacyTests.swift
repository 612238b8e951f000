import Foundation
import Testing

@testable import Identity
@testable import RoomRecords
@testable import Roomful

@Suite("KeepCalm's frames of 36 bytes, from a program that knows nothing of ours", .serialized, .timeLimit(.minutes(3)))
struct LegacyTests {
    /// `roomful host --legacy`, and the port that it opened.
    private func host(in house: TestHouse) async throws -> (host: HostProgram, port: String) {
        let host = try await HostProgram(
            in: house, name: "Old", options: ["--legacy", "0", "--idle", "1s", "--grace", "1s"])
        return (host, try await host.program.says("KeepCalm's frames at UDP port (\\d+)"))
    }

    private func sender(to port: String, seconds: Int) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/python3", [repositoryPath("Examples/legacy-sender.py"), "127.0.0.1", port, "\(seconds)"])
    }

    private func roomful(_ arguments: String..., at host: HostProgram) async throws -> String {
        try await RunningProgram(
            BuiltProgram.path, arguments, environment: ["ROOMFUL_STATE": host.state.folder.path]
        ).ended()
    }

    @Test("The example's jumps reach the game once the operator let it in; its losses read unknown, never 0")
    func jumps() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (host, port) = try await host(in: house)
        let sender = try sender(to: port, seconds: 20)
        let address = try await sender.says("roomful accept (\\S+)")
        try await host.program.says("\(address) asks to join")
        let waiting = try await roomful("peers", at: host)
        #expect(waiting.contains("your yes") && waiting.contains(address), "\(waiting)")
        #expect(!host.program.output.contains("P1 "))
        #expect(try await roomful("accept", address, at: host).contains("accepted"))
        try await host.program.says("P1 \(address) joined")
        try await host.program.says("P1 keepcalm-jump, strength \\S+ \\(clock not known\\)")

        let json = try await roomful("peers", "--json", at: host)
        let peer = try #require(try JSONDecoder().decode([PeerStatus].self, from: Data(json.utf8)).first)
        #expect((peer.transport, peer.address, peer.clock.state) == ("legacy", address, "none"))
        #expect(peer.datagrams.unique > 0 && peer.datagrams.unique == peer.samples.delivered)
        #expect(peer.datagrams.missing == nil && peer.datagrams.tailMissing == nil && peer.samples.missing == nil)
        #expect(json.contains("\"missing\":null") && json.contains("\"tailMissing\":null"))
        #expect(try await roomful("peers", at: host).contains("unknown"))

        try await sender.ended()
        try await host.program.says("P1 link silent")
        try await host.program.says("P1 \(address) left")
        // Twenty seconds at 100 Hz: those before it was let in count as a stranger's.
        try await host.classifies(2_000)
        _ = try await host.close()
        #expect(host.program.status == 0)
    }

    @Test("A source that the operator declines moves nothing, and asks no more")
    func declined() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (host, port) = try await host(in: house)
        let sender = try sender(to: port, seconds: 3)
        let address = try await sender.says("roomful accept (\\S+)")
        try await host.program.says("\(address) asks to join")
        #expect(try await roomful("decline", address, at: host).contains("declined"))
        try await sender.ended()
        #expect(try await roomful("peers", at: host).contains("nobody is here"))
        let said = try await host.close()
        #expect(said.ranges(of: "asks to join").count == 1 && said.contains("nobody was here"), "\(said)")
    }
}
