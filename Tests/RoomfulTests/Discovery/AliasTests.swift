import Foundation
import Testing

@testable import Identity
@testable import RoomRecords
@testable import Roomful

/// Announcements that lead to a name which is an alias of itself: host 3 says so, by `Scripts/faults/forge-cname.py`. They
/// ended libavahi-core 0.8, and with it the room that it was a part of.
@Suite(
    "Discovery: one packet that ended the host", .serialized, .faultLimit, .needsNeighbours,
    .enabled(if: Tools.areDemanded || BuiltProgram.embeddedProblem == nil, "libavahi-core is not installed"))
struct AliasTests {
    private static let shapes = Soak.isOn ? ["self", "ring", "diamond"] : ["self", "diamond"]
    private static let seconds = Soak.isOn ? 60 : 6

    @Test(
        "A8: the host lives, its player plays on and its operator is answered; its responders may die meanwhile, and afterwards the room is found and finds who waits",
        arguments: shapes)
    func embedded(_ shape: String) async throws {
        try await Neighbourhood.with(hosts: 3) { nearby in
            let machine = Standstill()
            let host = try await nearby.host("Yard", by: .embedded)
            let blue = try nearby.join(["Yard", "--fingerprint", try await host.status.pin], on: 2, by: .embedded)
            try await blue.says("Blue has seat 1")
            let before = try await host.status
            let attack = try await nearby.attack(shape, for: Self.seconds)

            // One that looks around under attack may find nothing, and says so.
            let looking = try nearby.browse(on: 2, by: .embedded, for: "3s")
            try await Task.sleep(for: .seconds(1))
            // Whether or not this Avahi dies of it, a responder that does is no more to the room than this.
            let first = Self.responders(of: host)
            #expect(!first.isEmpty)
            for pid in first { kill(pid, SIGKILL) }
            let known = try await Self.answers(host, until: attack)
            #expect(known > 10, "its operator was answered \(known) times")
            let said = try await looking.program.ended()
            #expect(looking.program.status == 0 || said.contains("cannot look around"), "\(said)")
            #expect(attack.status == 0 && attack.output.contains("sent"))

            try await nearby.expectUnharmed(host, blue, since: before, on: machine)
            let waiting = try nearby.waiting(as: "Red", on: 2)
            let rooms = try await nearby.rooms(on: 2, by: .embedded) { $0.contains { $0.room == before.room } }
            #expect(rooms.contains { $0.room == before.room }, "\(rooms)")
            #expect(try await nearby.isSeen("Red", by: host))
            #expect(Set(first).isDisjoint(with: Self.responders(of: host)))
            waiting.kill(SIGKILL)
            #expect(try await !host.close().contains("CONTRADICT"))
        }
    }

    @Test(
        "A8: with the choice left to the program neither the daemon nor the host dies, nor the host without the daemon")
    func auto() async throws {
        try await Neighbourhood.with(hosts: 3, daemonsOn: [1, 2]) { nearby in
            let machine = Standstill()
            let host = try await nearby.host("Yard", by: .auto)
            let blue = try nearby.join(["Yard", "--fingerprint", try await host.status.pin], on: 2, by: .auto)
            try await blue.says("Blue has seat 1")
            let before = try await host.status { $0.discovery.hasPrefix("published as") }
            #expect(before.discovery.contains("avahi-daemon"))
            let first = try await nearby.attack("self", for: Self.seconds)
            let known = try await Self.answers(host, until: first)
            #expect(known > 10, "its operator was answered \(known) times")
            // The daemon that followed the alias for us is still the one that serves.
            #expect(try await host.status.discovery == before.discovery)
            #expect(!host.program.output.contains("avahi-daemon went away"), "\(host.program.output)")

            let second = try await nearby.attack("diamond", for: Self.seconds)
            try await nearby.lan.avahi("kill", on: 1)
            _ = try await Self.answers(host, until: second)
            let alone = try await host.status {
                $0.discovery.contains("embedded") && $0.discovery.hasPrefix("published as")
            }
            #expect(alone.discovery.contains("embedded"), "\(alone.discovery)")
            try await nearby.expectUnharmed(host, blue, since: before, on: machine)
            let rooms = try await nearby.rooms(on: 2, by: .auto) { $0.contains { $0.room == before.room } }
            #expect(rooms.contains { $0.room == before.room }, "\(rooms)")
        }
    }

    /// Asks how the room stands, again and again, for as long as the attack goes on.
    private static func answers(_ host: HostProgram, until attack: RunningProgram) async throws -> Int {
        var count = 0
        while attack.isRunning {
            _ = try await host.status
            count += 1
            try await Task.sleep(for: .milliseconds(100))
        }
        return count
    }

    /// The processes in which libavahi-core runs for a host.
    private static func responders(of host: HostProgram) -> [pid_t] {
        let folder = "/proc/\(host.program.pid)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.flatMap { thread in
            let children = try? String(contentsOfFile: "\(folder)/\(thread)/children", encoding: .utf8)
            return children?.split(separator: " ").compactMap { pid_t($0) } ?? []
        }
    }
}

extension Neighbourhood {
    /// Host 3, as it starts to say what nobody should believe.
    fileprivate func attack(_ shape: String, for seconds: Int) async throws -> RunningProgram {
        let seed = UInt32.random(in: 1 ... .max)
        print("A8: \(shape), seed \(seed)")
        let words = ["eth0", shape, "--seconds", "\(seconds)", "--seed", "\(seed)"]
        let attack = try lan.start(Witness.python, [repositoryPath("Scripts/faults/forge-cname.py")] + words, on: 3)
        try await attack.says("attacking")
        return attack
    }

    /// A controller that waits to be called.
    fileprivate func waiting(as name: String, on host: Int) throws -> RunningProgram {
        try lan.start(
            try BuiltProgram.path,
            ["join", "--wait", "--as", name, "--discovery", "embedded", "--replay", try house.recording(seconds: 10)],
            on: host, environment: ["ROOMFUL_STATE": house.folder + "/" + name])
    }

    /// Whether the room's own search finds it.
    fileprivate func isSeen(_ name: String, by host: HostProgram) async throws -> Bool {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            let asking = try lan.start(
                try BuiltProgram.path, ["peers", "--waiting"], on: 1,
                environment: ["ROOMFUL_STATE": host.state.folder.path])
            if try await asking.ended().contains(name) { return true }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }
}
