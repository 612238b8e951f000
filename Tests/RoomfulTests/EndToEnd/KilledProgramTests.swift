import Foundation
import Testing

@testable import Roomful

@Suite(
    "A controller's program that is killed, and one that is started in its place", .serialized, .timeLimit(.minutes(4))
)
struct KilledProgramTests {
    @Test("It plays on in the same seat: its samples count at once, and the gestures of its recording are told")
    func playsOn() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house, options: ["--json"])
        let join = try await host.joining(as: "Blue", replay: repositoryPath("Recordings/demo/drop.csv"))
        let state = ["ROOMFUL_STATE": house.folder + "/blue"]
        let first = try RunningProgram(BuiltProgram.path, join, environment: state)
        // It must play for longer than its successor: every sample of that one was late once, for as long as this plays.
        let before = try await host.status { ($0.peers.first?.samples.delivered ?? 0) > 600 }
        let played = try #require(before.peers.first)
        first.kill(SIGKILL)
        try await first.ended()
        let killedAt = try await host.status.uptimeMs

        let second = try RunningProgram(BuiltProgram.path, join, environment: state)
        let after = try await host.status {
            guard let peer = $0.peers.first else { return false }
            return peer.samples.epochs == 2 && peer.samples.delivered > played.samples.delivered + 300
        }
        let peer = try #require(after.peers.first)
        #expect((peer.seat, peer.player, peer.controller) == (played.seat, played.player, played.controller))
        #expect(peer.samples.delivered > played.samples.delivered + 300)
        #expect(peer.samples.late == played.samples.late)
        // It jumps within the next seconds.
        _ = try await host.status {
            ($0.peers.first?.samples.delivered ?? 0) > played.samples.delivered + 1_500
        }
        second.kill(SIGINT)
        try await second.ended()
        host.program.kill(SIGTERM)
        let said = try await host.program.ended()
        // The recording jumps every few seconds: gestures of the second life are told, at times of the second life.
        struct Told: Decodable {
            var type: String
            var at: Double
            var phase: String?
        }
        let gestures = said.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Told.self, from: Data($0.utf8))
        }
        .filter { $0.type == "gesture" && $0.phase == "began" }
        #expect(gestures.contains { $0.at < killedAt })
        #expect(gestures.contains { $0.at > killedAt })
    }
}
