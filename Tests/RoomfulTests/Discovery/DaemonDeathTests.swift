import Foundation
import Testing

@testable import Identity
@testable import RoomRecords
@testable import Roomful

@Suite("Discovery: avahi-daemon dies under a room that is played", .serialized, .faultLimit, .needsNeighbours)
struct DaemonDeathTests {
    @Test("H10: without a daemon seats and motion go on at no cost, and the room is published again once it is back")
    func daemonOnly() async throws {
        try await Neighbourhood.with(hosts: 3, daemonsOn: [1]) { nearby in
            let machine = Standstill()
            let (host, blue, watch) = try await play(by: .daemon, in: nearby)
            let before = try #require(try await host.status.peers.first)

            try await nearby.lan.avahi("kill", on: 1)
            let busy = try (host.program.processorSeconds, ContinuousClock.now)
            let gone = try await host.status { $0.discovery.hasPrefix("not published") }
            #expect(gone.discovery.contains("avahi-daemon"), "\(gone.discovery)")
            try await Task.sleep(for: .seconds(Soak.isOn ? 60 : 3))
            let share = try (host.program.processorSeconds - busy.0) / ((ContinuousClock.now - busy.1) / .seconds(1))
            #expect(share < 0.2, "\(share) of a processor")

            try await nearby.lan.avahi("start", on: 1)
            let (started, since) = (ContinuousClock.now, Standstill())
            let silences = try await watch.hears(1)
            let took = ContinuousClock.now - started - since.total
            #expect(silences.count == 1 && took < .seconds(5), "\(silences), \(took)")
            try await expectPlayed(on: host, since: before)
            #expect(blue.keptItsHost(on: machine), "\(blue.output)")
            print("H10: daemon back after \(silences) s of silence, \(took) after its start; \(share) of a processor")
        }
    }

    @Test(
        "H10: with the choice left to the program, a responder of its own bridges the gap, and hands back to the daemon"
    )
    func bridged() async throws {
        try await Neighbourhood.with(hosts: 3, daemonsOn: [1]) { nearby in
            let machine = Standstill()
            let (host, blue, watch) = try await play(by: .auto, in: nearby)
            let before = try #require(try await host.status.peers.first)
            try await nearby.lan.avahi("kill", on: 1)
            let alone = try await host.status {
                $0.discovery.contains("embedded") && $0.discovery.hasPrefix("published as")
            }
            #expect(alone.discovery.contains("embedded"), "\(alone.discovery)")
            let room = try #require(try await nearby.rooms(on: 2, by: .auto) { !$0.isEmpty }.first)
            #expect(room.room == alone.room)

            let busy = try (host.program.processorSeconds, ContinuousClock.now)
            try await nearby.lan.avahi("start", on: 1)
            let back = try await host.status {
                $0.discovery.contains("avahi-daemon") && $0.discovery.hasPrefix("published as")
            }
            #expect(back.discovery.contains("avahi-daemon"), "\(back.discovery)")
            try await Task.sleep(for: .seconds(2))
            let share = try (host.program.processorSeconds - busy.0) / ((ContinuousClock.now - busy.1) / .seconds(1))
            #expect(share < 0.3, "\(share) of a processor")
            let (silences, longest) = try await (watch.silences, watch.longest())
            #expect(longest < 4, "the room may be out of sight for 3 s: \(silences)")
            try await expectPlayed(on: host, since: before)
            #expect(blue.keptItsHost(on: machine), "\(blue.output)")
            print(
                "H10: silences of \(silences) s with a responder of our own between two daemons; \(share) of a processor"
            )
        }
    }

    /// A room on host 1 with a player on host 2, asked for by host 3.
    private func play(
        by backend: Neighbourhood.Backend, in nearby: Neighbourhood
    ) async throws -> (host: HostProgram, blue: RunningProgram, watch: SilenceWatch) {
        let host = try await nearby.host("Cellar", by: backend)
        let status = try await host.status { $0.discovery.hasPrefix("published as") }
        let blue = try nearby.join(
            ["--at", "10.77.0.1:\(status.port)", "--fingerprint", status.pin], on: 2, by: .daemon)
        try await blue.says("Blue has seat 1")
        let watch = try await SilenceWatch.ask(for: "Cellar", on: 3, of: nearby.lan)
        try await host.program.says("P1 keepcalm-jump")
        return (host, blue, watch)
    }

    /// The same seat, and no sample lost, all the while.
    private func expectPlayed(on host: HostProgram, since before: PeerStatus) async throws {
        let status = try await host.status {
            $0.peers.first.map { $0.samples.delivered > before.samples.delivered + 200 } ?? false
        }
        let now = try #require(status.peers.first)
        #expect((now.controller, now.seat, now.state) == (before.controller, before.seat, "active"))
        #expect(now.samples.missing == 0 && now.samples.late == 0, "\(now.samples)")
        let said = host.program.output
        #expect(!said.contains("is lost") && !said.contains("left"), "\(said)")
    }
}
