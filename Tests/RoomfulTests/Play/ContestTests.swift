import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Identity
@testable import MotionFiles
@testable import RoomRecords
@testable import Roomful

/// `roomful host --contest …` and `roomful events --type verdict --json`, two phones, and links of known length. The rules
/// themselves, ties, sampling and the cap, are tried without sockets: `RoomEngineTests/DuelTests`.
@Suite("Who was first, by the program as users start it", .serialized, .timeLimit(.minutes(4)))
struct ContestTests {
    /// A host that judges pushes, two phones in it, and what its events say.
    private struct Duel {
        let host: HostProgram
        let events: RunningProgram
        let phones: [Phone]
        let ways: [SlowWay]

        /// Lets the phones move at these times, in ms from a moment soon, and returns the verdicts.
        func fight(_ pushes: [[Double]], seconds: Double) async throws -> [EventRecord.Verdict] {
            let start = Controller.deviceTimeNow() + .milliseconds(50)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (phone, times) in zip(phones, pushes) {
                    let moments = times.map { start + .nanoseconds(Int64($0 * 1e6)) }
                    group.addTask { try await phone.move(from: start, for: seconds, push: Phone.pushes(at: moments)) }
                }
                try await group.waitForAll()
            }
            try await until("a verdict") { !verdicts.isEmpty }
            // Another one would come at once.
            try await Task.sleep(for: .milliseconds(500))
            return verdicts
        }

        private var verdicts: [EventRecord.Verdict] {
            events.output.split(separator: "\n").compactMap { line in
                guard case .verdict(let verdict) = try? JSONDecoder().decode(EventRecord.self, from: Data(line.utf8))
                else { return nil }
                return verdict
            }
        }
    }

    /// - Parameter rates: samples a second of the two phones.
    private func duel(
        _ options: [String] = [], rates: [Double] = [100, 100],
        _ body: (Duel) async throws -> Void
    ) async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(
            in: house, name: "Duel", options: ["--contest", "keepcalm-jump", "--contest-cap", "600ms"] + options)
        let status = try await host.status
        let pin = try #require(Pin(status.pin))
        let events = try RunningProgram(
            BuiltProgram.path, ["events", "--type", "hello,verdict", "--json"],
            environment: ["ROOMFUL_STATE": host.state.folder.path])
        try await events.says("\"hello\"")
        let ways = [
            try await SlowWay.open(to: status.port, delay: .microseconds(2_500)),
            try await SlowWay.open(to: status.port, delay: .microseconds(2_500)),
        ]
        let room = RoomAddress.direct(host: "127.0.0.1", port: status.port)
        func phone(_ place: Int) throws -> ControllerOptions {
            var options = try house.phone(["Slow", "Fast"][place], rate: rates[place])
            options.linkVia = ways[place].address
            return options
        }
        try await withController(phone(0), joining: room, trust: .fingerprint(pin)) { slow in
            try await withController(phone(1), joining: room, trust: .fingerprint(pin)) { fast in
                let phones = [Phone(controller: slow, rate: rates[0]), Phone(controller: fast, rate: rates[1])]
                async let one: Void = phones[0].move(for: 2)
                async let other: Void = phones[1].move(for: 2)
                _ = try await (one, other)
                let locked = try await host.status { $0.peers.allSatisfy { $0.clock.state == "locked" } }
                #expect(locked.peers.map(\.clock.state) == ["locked", "locked"])
                try await body(Duel(host: host, events: events, phones: phones, ways: ways))
            }
        }
        for way in ways { await way.close() }
        events.kill(SIGINT)
        _ = try await host.close()
    }

    @Test("Who moved first by more than both uncertainties wins on a 150 ms link over who moved second on a 5 ms link")
    func slowLinkWins() async throws {
        try await duel(["--tie", "replay", "--contest-pause", "500ms", "--seed", "7"]) { duel in
            duel.ways[0].take(.milliseconds(150))
            let verdicts = try await duel.fight([[500], [560]], seconds: 1.5)
            let verdict = try #require(verdicts.first)
            #expect(verdicts.count == 1)
            #expect(verdict.order == [[1], [2]] && verdict.winners == [1] && verdict.missed == [])
            #expect(verdict.ties == "replay")
            #expect(verdict.id == "v1-keepcalm-jump" && verdict.gesture == "keepcalm-jump")
            let (first, second) = (try #require(verdict.evidence.first), try #require(verdict.evidence.last))
            #expect(first.reason == "placed" && first.rank == 1 && second.rank == 2)
            let (a, b) = (try #require(first.at), try #require(second.at))
            let (own, other) = (try #require(first.uncertainty), try #require(second.uncertainty))
            #expect(abs(b - a - 60) <= own + other, "the truth, 60 ms, lies inside: \(b - a) ± \(own + other)")
            #expect(b - a > own + other, "\(b - a) ms against ± \(own) and ± \(other)")
            // Half of 5 ms, half a sample period and the program's own way: the slow way is not in it.
            #expect((5...25).contains(own))
        }
    }
}
