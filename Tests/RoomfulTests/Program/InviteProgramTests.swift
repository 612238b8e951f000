import Foundation
import Testing

@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("roomful invite and join --wait, by address", .serialized, .timeLimit(.minutes(3)))
struct InviteProgramTests {
    /// What the program says, on either stream, and how it ends.
    private func run(_ host: HostProgram, _ arguments: String...) async throws -> (said: String, code: Int32) {
        let program = try RunningProgram(
            BuiltProgram.path, arguments, environment: ["ROOMFUL_STATE": host.state.folder.path])
        let said = try await program.ended()
        return (said, program.status)
    }

    @Test("Wrong use ends with 2 and says what is wrong, whether anybody of that name waits or not")
    func wrongUse() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house, name: "Living Room")
        let long = String(repeating: "x", count: 3_000)
        for (arguments, words) in [
            (["--seat", "99"], "99"), (["--timeout", "1h"], "1s to 10m"), (["--timeout", "11m"], "1s to 10m"),
            (["--message", long], "3000 bytes"),
        ] {
            let program = try RunningProgram(
                BuiltProgram.path, ["invite", "Nobody"] + arguments,
                environment: ["ROOMFUL_STATE": host.state.folder.path])
            let said = try await program.ended()
            #expect(program.status == 2 && said.contains(words), "\(arguments.first ?? ""): \(program.status) \(said)")
        }
        let port = try await host.status.port
        let room = try await run(host, "invite", "--at", "127.0.0.1:\(port)")
        #expect(room.said.contains("is a room, not a waiting controller"), "\(room)")
        _ = try await host.close()
    }

    @Test("join --wait --json says of an invitation who calls, whence, how it stands to the known, and until when")
    func json() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house, name: "Living Room", options: ["--game", "keepcalm"])
        let blue = try RunningProgram(
            BuiltProgram.path,
            [
                "join", "--wait", "--json", "--as", "Blue", "--discovery", "none", "--replay",
                repositoryPath("Recordings/demo/tilt.csv"),
            ], environment: ["ROOMFUL_STATE": house.folder + "/Blue"])
        let port = try await blue.says("\"port\":(\\d+)")
        let declined = try await run(host, "invite", "--at", "127.0.0.1:\(port)", "--seat", "2", "--message", "Come")
        #expect(declined.code == 1 && declined.said.contains("Blue said no (untrusted): "), "\(declined)")
        try await blue.says("\"declined\"")
        let line = try #require(blue.output.split(separator: "\n").first { $0.contains("\"invitation\"") })
        let said = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(said["standing"] as? String == "unknown" && said["game"] as? String == "keepcalm", "\(line)")
        #expect(said["room"] as? String == "Living Room" && said["seat"] as? Int == 2, "\(line)")
        let hostPort = try await host.status.port
        #expect((said["address"] as? String)?.hasSuffix(":\(hostPort)") == true, "\(line)")
        #expect((1...120_000).contains(said["expiresIn"] as? Int ?? 0), "\(line)")
        blue.kill(SIGTERM)
        try await blue.ended()
        _ = try await host.close()
    }
}
