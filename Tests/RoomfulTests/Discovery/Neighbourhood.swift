import Foundation
import Testing

@testable import Identity
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

/// Rooms and controllers on hosts of a network of their own, each found as its user finds it.
struct Neighbourhood: Sendable {
    /// What serves a program's discovery.
    enum Backend: String, Sendable { case auto, daemon, embedded }

    let lan: Lan
    let house: TestHouse

    static func with<Result: Sendable>(
        hosts: Int, daemonsOn daemons: [Int] = [], _ body: (Neighbourhood) async throws -> Result
    ) async throws -> Result {
        let house = try TestHouse()
        defer { house.remove() }
        return try await Lan.with(hosts: hosts) { lan in
            try await withThrowingTaskGroup { starting in
                for host in daemons { starting.addTask { try await lan.avahi("start", on: host) } }
                try await starting.waitForAll()
            }
            return try await body(Neighbourhood(lan: lan, house: house))
        }
    }

    func host(
        _ name: String = "Living Room", on host: Int = 1, by backend: Backend, options: [String] = []
    ) async throws -> HostProgram {
        try await HostProgram(
            in: house, name: name, folder: "\(name)-\(host)", discovery: backend.rawValue, options: options
        ) { try lan.start($0, $1, on: host, environment: $2) }
    }

    /// `roomful browse` on a host.
    func browse(on host: Int, by backend: Backend, for time: String = "2s", options: [String] = []) throws -> Browsing {
        let words = ["browse", "--json", "--for", time] + chosen(backend) + options
        return Browsing(program: try lan.start(try BuiltProgram.path, words, on: host))
    }

    /// What `roomful browse` on a host lists as soon as that is as expected, or after a minute: what it hears within two
    /// seconds depends on how often the machine stands still meanwhile.
    func rooms(
        on host: Int, by backend: Backend, options: [String] = [],
        until isSo: @Sendable ([Browsing.Room]) -> Bool
    ) async throws -> [Browsing.Room] {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                let rooms = try await browse(on: host, by: backend, options: options).rooms()
                if isSo(rooms) || ContinuousClock.now >= deadline { return rooms }
            } catch is RunningProgram.Missing where ContinuousClock.now < deadline {
                // Whom a daemon has not answered in time cannot look around.
            }
        }
    }

    /// `roomful join` on a host, playing somebody who jumps each second.
    func join(_ words: [String], on host: Int, as name: String = "Blue", by backend: Backend) throws -> RunningProgram {
        let recording = try house.recording(seconds: 10)
        return try lan.start(
            try BuiltProgram.path,
            ["join"] + words + ["--as", name, "--replay", recording, "--loop"] + chosen(backend),
            on: host, environment: ["ROOMFUL_STATE": house.folder + "/" + name])
    }

    /// The same seat and its motion, without a gap.
    ///
    /// - Returns: how the room stands.
    @discardableResult
    func expectUnharmed(
        _ host: HostProgram, _ blue: RunningProgram, since before: RoomStatus, on machine: Standstill
    ) async throws -> RoomStatus {
        let old = try #require(before.peers.first)
        let status = try await host.status {
            $0.peers.first.map { $0.samples.delivered > old.samples.delivered + 100 } ?? false
        }
        let now = try #require(status.peers.first)
        #expect((now.controller, now.seat, now.state) == (old.controller, old.seat, "active"))
        #expect(now.samples.missing == 0, "\(now.samples)")
        #expect(host.program.isRunning && blue.keptItsHost(on: machine), "\(blue.output)")
        return status
    }

    private func chosen(_ backend: Backend) -> [String] { ["--discovery", backend.rawValue] }
}

/// `roomful browse` while it listens, and what it says in the end.
struct Browsing: Sendable {
    struct Room: Decodable, Hashable {
        var name: String
        var room: String
        var game: String?
        var freeSeats: Int?
        var seats: Int?
        var policy: String?
        var isLocked: Bool
        var addresses: [String]
        var pin: String?
        /// `answering`, `silent` or `unchecked`.
        var state: String
        /// `daemon` or `embedded`.
        var discovery: String?
    }

    let program: RunningProgram

    func rooms(within limit: Duration = patience) async throws -> [Room] {
        let said = try await program.ended(within: limit)
        // What the program says beside its answer is meant for people.
        guard let line = said.split(separator: "\n").first(where: { $0.hasPrefix("[") }) else {
            throw RunningProgram.Missing(description: "browse ended with \(program.status): \(said)")
        }
        return try JSONDecoder().decode([Room].self, from: Data(line.utf8))
    }
}
