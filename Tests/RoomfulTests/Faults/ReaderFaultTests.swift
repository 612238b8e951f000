import Foundation
import RoomEngine
import Testing

@testable import OperatorFront
@testable import PrivateFiles
@testable import RoomRecords
@testable import Roomful

@Suite("Faults: readers that stop, and the host's end", .serialized, .faultLimit)
struct ReaderFaultTests {
    /// A named pipe that somebody has open, and takes nothing from; a page is full after some seventy events.
    private final class UnreadPipe {
        let path: String
        private let descriptor: Int32

        init(_ path: String) {
            self.path = path
            mkfifo(path, 0o600)
            descriptor = open(path, O_RDWR | O_NONBLOCK)
            let setPipeSize: Int32 = 1_031
            #expect(fcntl(descriptor, setPipeSize, 4_096) >= 4_096)
        }

        deinit { close(descriptor) }
    }

    @Test(
        "H12: output, errors, events and files that nobody reads for 36 s under a flood: each is let go, the room is not"
    )
    func unread() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let game = house.folder + "/game"
        try FileManager.default.createDirectory(atPath: game, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: game + "/index.html"))
        try Data(count: 8 << 20).write(to: URL(filePath: game + "/big.bin"))
        let (output, errors) = (UnreadPipe(house.folder + "/output"), UnreadPipe(house.folder + "/errors"))
        let state = try StateFolder(house.folder + "/host", environment: [:])
        let host = try RunningProgram(
            "/bin/sh",
            [
                "-c",
                "exec \"$0\" host Unread --policy open --discovery none --serve \"$1\" --json >\"$2\" 2>\"$3\"",
                BuiltProgram.path, game, output.path, errors.path,
            ], environment: ["ROOMFUL_STATE": state.folder.path])
        let socket = try state.operatorSocket(ofRoom: "Unread")
        let floods = try await OperatorBytes(to: socket)
        let follower = try RunningProgram(
            BuiltProgram.path, ["events", "--json"], environment: ["ROOMFUL_STATE": state.folder.path])
        defer { follower.kill(SIGKILL) }
        try await follower.says("hello")
        let operates = try await OperatorClient(room: nil, state: state)
        let web = try await RunningProgram(
            "/usr/bin/python3",
            [
                repositoryPath("Scripts/faults/stop-reading.py"),
                "\(operates.ask(OperatorRequest(.status)).status?.httpPort ?? 0)",
                Self.gameToken(below: state.folder.path),
            ])
        defer { web.kill(SIGKILL) }
        try await web.says("holding 4")
        let descriptors = try host.descriptors
        follower.kill(SIGSTOP)
        // 2,000 events a second; what each would leave behind in a queue without an end is 268 bytes.
        let clock = ContinuousClock()
        let began = clock.now
        var (settled, most) = (0, 0)
        for round in 0..<720 {
            try floods.ask(["lock", "unlock"], times: 50)
            if round == 200 { settled = try host.residentBytes }
            if round > 200, round % 20 == 0 { most = max(most, try host.residentBytes) }
            try await Task.sleep(until: began + .milliseconds(50 * (round + 1)), clock: clock)
        }
        #expect(most - settled < 4 << 20 || Sanitizer.isOn, "\(most - settled) bytes more")
        // All five were let go: their connections are closed, and the file.
        for _ in 0..<500 where try host.descriptors > descriptors - 6 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try host.descriptors == descriptors - 6)
        try await web.says("ended after")
        #expect(try await operates.ask(OperatorRequest(.status)).status?.name == "Unread")
        let told = clock.now
        host.kill(SIGTERM)
        try await host.ended()
        #expect(host.status == 0)
        print("H12: \(most - settled) bytes more in 26 s, 72,000 events; ended \(clock.now - told) after SIGTERM")
    }

    private static func gameToken(below folder: String) throws -> String {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let file = try #require(files.first { $0.hasSuffix("/game-token") })
        return try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("H2: SIGTERM tells the players, the followers and the log that the room closes, and ends with 0")
    func terminated() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house, options: ["--json"])
        let recording = try house.recording(seconds: 10)
        let players = try await ["Blue", "Red"].asyncMap { name in
            try RunningProgram(
                BuiltProgram.path, try await host.joining(as: name, replay: recording),
                environment: ["ROOMFUL_STATE": house.folder + "/" + name])
        }
        let follower = try RunningProgram(
            BuiltProgram.path, ["events", "--json"], environment: ["ROOMFUL_STATE": host.state.folder.path])
        try await follower.says("hello")
        _ = try await host.status { $0.peers.filter { $0.samples.delivered > 50 }.count == 2 }
        let told = ContinuousClock.now
        host.program.kill(SIGTERM)
        let log = try await host.program.ended()
        let took = ContinuousClock.now - told
        #expect(host.program.status == 0)
        for said in [log, try await follower.ended()] {
            let events = said.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            // Complete: numbered without a gap, the closing last and once; nobody left, as the seats are kept.
            let numbers = events.compactMap { $0["n"] as? Int }
            #expect(numbers == Array((numbers.first ?? 0)..<(numbers.first ?? 0) + numbers.count))
            let states = events.compactMap { $0["state"] as? String }
            #expect(
                events.last?["state"] as? String == "closing" && states.count { $0 == "closing" } == 1,
                "\(said.suffix(1_200))")
            #expect(!states.contains("left"), "\(said.suffix(600))")
        }
        for player in players {
            let said = try await player.ended()
            #expect(said.contains("The host closed the room.") && player.status == 0, "\(said)")
        }
        // 2 s are promised; a machine that does much else is given some more.
        #expect(took < .seconds(5))
        print("H2: ended \(took) after SIGTERM")
    }

    @Test("H2: strangers who hold connections inside TLS and never answer do not hold up the host's end")
    func silentStrangers() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house)
        let crowd = try await RunningProgram(
            "/usr/bin/python3",
            [repositoryPath("Scripts/faults/hold-connections.py"), "127.0.0.1", "\(host.status.port)", "40", "--tls"])
        try await crowd.says("holding 40")
        let told = ContinuousClock.now
        host.program.kill(SIGTERM)
        // One after another they held it up for five seconds each.
        try await host.program.ended()
        #expect(host.program.status == 0)
        print("H2: ended \(ContinuousClock.now - told) after SIGTERM, with 40 silent strangers")
        crowd.kill(SIGTERM)
        try await crowd.ended()
    }

    @Test("O4: a host that is started anew under its players has told them why, and each finds its own seat again")
    func upgrade() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let recording = try house.recording(seconds: 10)
        let names = ["Blue", "Red", "Green"]
        func seats(_ status: RoomStatus) -> [String: [Int]] {
            Dictionary(uniqueKeysWithValues: status.peers.map { ($0.name, [$0.seat, $0.player]) })
        }
        func evening(_ order: [String]) async throws -> [String: [Int]] {
            let host = try await HostProgram(in: house)
            var players: [RunningProgram] = []
            for name in order {
                let player = try RunningProgram(
                    BuiltProgram.path, try await host.joining(as: name, replay: recording),
                    environment: ["ROOMFUL_STATE": house.folder + "/" + name])
                try await player.says("has seat")
                players.append(player)
            }
            let status = try await host.status { $0.peers.filter { $0.samples.delivered > 20 }.count == 3 }
            host.program.kill(SIGTERM)
            try await host.program.ended()
            for player in players {
                #expect(try await player.ended().contains("The host closed the room.") && player.status == 0)
            }
            return seats(status)
        }
        let before = try await evening(names)
        #expect(before.count == 3 && Set(before.values).count == 3)
        #expect(try await evening(names.reversed()) == before)
    }
}

/// An operator's connection as bytes: requests by name, many at once.
private final class OperatorBytes: Sendable {
    struct Gone: Error {}
    private let descriptor: Int32

    /// Waits until somebody listens there.
    init(to path: String) async throws {
        for _ in 0..<1_000 {
            let attempt = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let isConnected = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(attempt, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            if isConnected {
                descriptor = attempt
                return
            }
            close(attempt)
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Gone()
    }

    deinit { close(descriptor) }

    /// Asks for these tasks, in turn, and reads as many answers.
    func ask(_ tasks: [String], times: Int) throws {
        let lines = Array(tasks.map { "{\"task\":\"\($0)\"}\n" }.joined().utf8)
        let all = Array(repeating: lines, count: times).flatMap { $0 }
        guard write(descriptor, all, all.count) == all.count else { throw Gone() }
        var left = tasks.count * times
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while left > 0 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw Gone() }
            left -= buffer[..<count].count { $0 == UInt8(ascii: "\n") }
        }
    }
}

extension RunningProgram {
    /// How many descriptors it has open.
    fileprivate var descriptors: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count }
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Mapped>(_ transform: (Element) async throws -> Mapped) async rethrows -> [Mapped] {
        var mapped: [Mapped] = []
        for element in self { mapped.append(try await transform(element)) }
        return mapped
    }
}
