import Foundation
import Testing

@testable import OperatorFront
@testable import RoomRecords
@testable import Roomful

@Suite("Faults: a machine that has too little, and strangers who take", .serialized, .faultLimit)
struct ScarcityFaultTests {
    private let python = "/usr/bin/python3"

    @Test("H6: all that is known to cost memory, at once, costs at most 64 MiB, and the player loses nothing")
    func memory() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let game = house.folder + "/game"
        try FileManager.default.createDirectory(atPath: game, withIntermediateDirectories: true)
        try "hello".write(toFile: game + "/index.html", atomically: true, encoding: .utf8)
        try Data(count: 60 << 20).write(to: URL(filePath: game + "/big.bin"))
        let host = try await HostProgram(in: house, options: ["--serve", game, "--json"])
        let player = try RunningProgram(
            BuiltProgram.path, try await host.joining(as: "Blue", replay: house.recording(seconds: 10)),
            environment: ["ROOMFUL_STATE": house.folder + "/blue"])
        let status = try await host.status { ($0.peers.first?.samples.delivered ?? 0) > 100 }
        let before = try host.program.residentBytes
        let pressing = try RunningProgram(
            python,
            [
                repositoryPath("Scripts/faults/press-memory.py"), "\(status.port)", "\(try #require(status.httpPort))",
                Soak.isOn ? "60" : "4",
            ])
        try await pressing.says("pressing")
        try await pressing.says("done", within: .seconds(90))
        try await pressing.ended()
        let grown = try host.program.peakBytes - before
        #expect(grown < 64 << 20 || Sanitizer.isOn, "\(grown) bytes more")
        let blue = try #require(try await host.status { $0.peers.first?.link == "good" }.peers.first)
        #expect(blue.samples.missing == 0 && blue.state == "active" && player.isRunning)
        print("H6: \(grown >> 20) MiB more at the peak, \(blue.samples.late) samples late")
    }

    @Test("H13: on a machine whose processors are all taken, each datagram and sample is booked once and in order")
    func processors() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house, options: ["--json"]) { program, arguments, environment in
            try RunningProgram("/usr/bin/nice", ["-n", "15", program] + arguments, environment: environment)
        }
        let recording = try house.recording(seconds: 6)
        let port = try await UInt16(host.status.port)
        let names = ["Blue", "Red", "Green"]
        let taps = try names.map { _ in try Tap(to: port) }
        defer { for tap in taps { tap.stop() } }
        // Twice as many as there are processors, each with all that it can get.
        let hogs = try (0..<2 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
            try RunningProgram("/bin/sh", ["-c", "while :; do :; done"])
        }
        defer { for hog in hogs { hog.kill(SIGKILL) } }
        var players: [RunningProgram] = []
        for (name, tap) in zip(names, taps) {
            let join = try await host.joining(as: name, replay: recording, loop: false)
            players.append(
                try RunningProgram(
                    BuiltProgram.path, join + ["--udp-via", tap.address.description],
                    environment: ["ROOMFUL_STATE": house.folder + "/" + name]))
        }
        for player in players { try await player.ended() }
        try await host.classifies(taps.reduce(0) { $0 + $1.captured.count })
        let departed = try await host.departed
        #expect(departed.count == 3)
        for peer in departed {
            // What came too late to be acted on is late, and counted so; nothing is lost and nothing counts twice.
            #expect(
                peer.samples.delivered + peer.samples.late == 600,
                "\(peer.name): \(peer.samples); \(players.map(\.output))")
            #expect(peer.samples.missing == 0 && peer.samples.abandoned == 0)
        }
        for hog in hogs { hog.kill(SIGKILL) }
        let events = try await host.close().split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let numbers = events.compactMap { $0["n"] as? Int }
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        print("H13: late \(departed.map(\.samples.late)) of 600 each")
    }

    @Test("A7: old TLS, weak ciphers, garbage and a greeting of 16 MiB are refused, and cost nothing")
    func badTLS() async throws {
        struct Outcome: Decodable {
            var `case`: String
            var outcome: String
            var taken: Int?
        }
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house)
        let stranger = try await RunningProgram(
            python, [repositoryPath("Scripts/faults/bad-tls.py"), "127.0.0.1", "\(host.status.port)"])
        let before = try host.program.residentBytes
        let said = try await stranger.ended(within: .seconds(90))
        #expect(stranger.status == 0, "\(said)")
        let outcomes = try said.split(separator: "\n").map {
            try JSONDecoder().decode(Outcome.self, from: Data($0.utf8))
        }
        let welcome = ["TLS 1.2": "TLSv1.2", "TLS 1.3": "TLSv1.3"]
        let tried = Set(outcomes.map(\.case))
        #expect(tried.isSuperset(of: ["TLS 1.0", "TLS 1.1", "garbage", "16 MiB claimed", "TLS 1.3"]))
        for outcome in outcomes {
            if let version = welcome[outcome.case] {
                #expect(outcome.outcome == version, "\(outcome)")
            } else {
                #expect(["refused", "closed"].contains(outcome.outcome), "\(outcome)")
            }
        }
        // What is in the kernel's buffers when the host hangs up was taken, too.
        let claimed = try #require(outcomes.first { $0.case == "16 MiB claimed" }?.taken)
        #expect(claimed < 8 << 20, "\(claimed) bytes taken")
        let grown = try host.program.peakBytes - before
        #expect(grown < 4 << 20 || Sanitizer.isOn, "\(grown) bytes more")
        print("A7: \(grown >> 10) KiB more at the peak; \(outcomes.map { "\($0.case): \($0.outcome)" })")
    }
}

extension RunningProgram {
    /// The most memory that it ever had: VmHWM of proc(5).
    fileprivate var peakBytes: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            return (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0) << 10
        }
    }
}
