import Foundation
import Testing

@testable import Roomful
@testable import RoomfulCLI

@Suite("A fleet of simulated controllers, by the program as users start it", .serialized, .timeLimit(.minutes(4)))
struct FleetTests {
    /// 6 s unless `ROOMFUL_PROOF_SECONDS` says otherwise.
    static let seconds = ProcessInfo.processInfo.environment["ROOMFUL_PROOF_SECONDS"].flatMap(Int.init) ?? 6
    static let network = "loss=5%,burst=3,delay=20±10ms,reorder=1%,dup=0.5%"

    /// What the program prints with `--json`, as far as a test needs it.
    struct Printed: Decodable {
        struct Comparison: Decodable {
            struct Line: Decodable { var counter: String, host: Int, truth: Int, differing: Int, unknown: Int }
            var lines: [Line]
            var differences: [String]
            var controllers: Int
        }
        struct Samples: Decodable {
            var made: Int, taken: Int, refused: Int, crowdedOut: Int
            var delivered: Int, missing: Int, abandoned: Int, unconfirmed: Int
        }
        var comparison: Comparison
        var samples: Samples
        var relay: RelayReport
        struct Silence: Decodable { var reason: String, controllers: Int, example: String }
        var silences: [Silence]
        var troubles: [String]
    }

    @Test("A bad network loses datagrams, but no sample, and the host's books equal the truth: exit code 0")
    func equal() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options("Fleet's Hall", seats: 12)) { _ in
            let (code, printed, said) = try await fleet(in: house, controllers: 12, seconds: Self.seconds)
            #expect(code == 0, "\(said)")
            let report = try #require(printed)
            #expect(report.comparison.differences == [])
            #expect(report.comparison.controllers == 12)
            #expect(report.comparison.lines.allSatisfy { $0.host == $0.truth && $0.unknown == 0 })
            #expect(report.samples.made == 12 * 100 * Self.seconds)
            #expect(report.samples.delivered == report.samples.made)
            #expect(report.samples.missing + report.samples.abandoned + report.samples.unconfirmed == 0)
            #expect(report.relay.isBalanced && report.relay.lost > 0 && report.relay.doubled > 0)
        }
    }

    @Test("What a controller made after the host took its seat stands in no account: exit code 1, and it is told")
    func different() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options("Fleet's Hall", seats: 3)) { room in
            async let running = fleet(in: house, controllers: 3, seconds: 3)
            _ = try await room.peers { peers in peers.count == 3 && peers.allSatisfy { $0.samples.delivered > 50 } }
            try await room.kick("Fleet 0002")
            let (code, printed, said) = try await running
            #expect(code == 1, "\(said)")
            let report = try #require(printed)
            // A sample that was under way as the seat was taken stands in the controller's account alone.
            let samples = report.samples
            let named = samples.taken + samples.refused + samples.crowdedOut
            #expect(samples.taken >= samples.delivered && named < samples.made)
            let made = "\(samples.made) samples were made, and \(named) are in a controller's account"
            #expect(report.troubles.contains { $0.hasPrefix(made) }, "\(report.troubles)")
            // It says itself why it fell silent.
            let silence = try #require(report.silences.first, "nobody says why Fleet 0002 was silent")
            #expect(silence.reason.contains("removed this controller") && silence.controllers == 1)
            #expect(silence.example == "Fleet 0002" && report.silences.count == 1)
            // It said no goodbye: how much it sent, nobody knows but the relay, and the books are true as far as they go.
            #expect(report.comparison.lines.first { $0.counter == "datagrams sent" }?.unknown == 1)
            #expect(!report.comparison.differences.contains { $0.hasPrefix("Fleet 0001: ") })
        }
    }

    @Test("A room with too few seats, and a network that cannot be read, are told before anything begins")
    func refused() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options("Fleet's Hall", seats: 2)) { room in
            let (code, _, said) = try await fleet(in: house, controllers: 3, seconds: 1)
            #expect(code == 1 && said.contains("--seats 3"), "\(said)")
            let (usage, _, words) = try await fleet(in: house, controllers: 2, seconds: 1, network: "loss=much")
            #expect(usage == 2 && words.contains("loss cannot be read"), "\(words)")
            #expect(try await room.peers().isEmpty)
        }
        let (unreachable, _, said) = try await fleet(in: house, controllers: 1, seconds: 1)
        #expect(unreachable == 3, "\(said)")
    }

    /// Runs `roomful lab fleet`; what it printed as JSON, and what it said as text.
    private func fleet(
        in house: TestHouse, controllers: Int, seconds: Int, network: String = Self.network
    ) async throws -> (code: Int32, printed: Printed?, said: String) {
        let program = Process()
        program.executableURL = URL(filePath: try BuiltProgram.path)
        program.arguments = [
            "lab", "fleet", "--controllers", "\(controllers)", "--rate", "100", "--for", "\(seconds)s", "--seed", "7",
            "--network", network, "--json",
        ]
        var environment = ProcessInfo.processInfo.environment
        environment["ROOMFUL_STATE"] = house.folder + "/host"
        program.environment = environment
        let (output, errors) = (Pipe(), Pipe())
        program.standardOutput = output
        program.standardError = errors
        let ended = AsyncStream.makeStream(of: Void.self)
        program.terminationHandler = { _ in ended.continuation.finish() }
        try program.run()
        async let printed = Self.read(output)
        async let said = Self.read(errors)
        for await _ in ended.stream {}
        try #require(!program.isRunning, "the fleet did not end")
        return (
            program.terminationStatus, try? JSONDecoder().decode(Printed.self, from: await printed),
            String(decoding: await said, as: UTF8.self)
        )
    }

    /// On a thread of its own: reading blocks.
    private static func read(_ pipe: Pipe) async -> Data {
        let file = pipe.fileHandleForReading
        return await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: file.readDataToEndOfFile()) }.start()
        }
    }
}
