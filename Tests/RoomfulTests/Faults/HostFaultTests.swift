import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import OperatorFront
@testable import PrivateFiles
@testable import RoomRecords
@testable import Roomful

@Suite("Faults: the host's machine, and a peer that sends too much", .serialized, .faultLimit)
struct HostFaultTests {
    private func join(
        _ host: HostProgram, as name: String, in house: TestHouse, replay: String, loop: Bool = true,
        via tap: Tap? = nil
    ) async throws -> RunningProgram {
        let way = tap.map { ["--udp-via", $0.address.description] } ?? []
        return try RunningProgram(
            BuiltProgram.path, try await host.joining(as: name, replay: replay, loop: loop) + way,
            environment: ["ROOMFUL_STATE": house.folder + "/" + name])
    }

    @Test("H3: a host that stands still for longer than anyone may be silent takes nobody's seat, and loses no sample")
    func hostPause() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house, options: ["--idle", "2s", "--grace", "2s"])
        let recording = try house.recording(seconds: 10)
        let names = ["Blue", "Red", "Green"]
        var players: [RunningProgram] = []
        // Between each player and the host stands one who counts what he passes on.
        let port = try await UInt16(host.status.port)
        let taps = try names.map { _ in try Tap(to: port) }
        defer { for tap in taps { tap.stop() } }
        for (name, tap) in zip(names, taps) {
            players.append(try await join(host, as: name, in: house, replay: recording, via: tap))
        }
        let before = try await host.status { $0.peers.filter { $0.samples.delivered > 50 }.count == 3 }.peers
        host.program.kill(SIGSTOP)
        try await Task.sleep(for: .seconds(Soak.isOn ? 30 : 3))
        host.program.kill(SIGCONT)
        let after = try await host.status { status in
            status.peers.filter { $0.state == "active" && $0.lastHeardMs < 100 && $0.samples.missing == 0 }.count == 3
                && status.peers.allSatisfy { $0.samples.delivered > 100 }
        }
        func seats(_ peers: [PeerStatus]) -> [[String]] {
            peers.map { [$0.name, $0.controller, "\($0.seat)", $0.state] }
        }
        #expect(seats(after.peers) == seats(before))
        for peer in after.peers {
            // What waited for more than a second is late, not lost.
            #expect(peer.samples.missing == 0 && peer.samples.abandoned == 0)
            #expect(peer.samples.late > 0)
            #expect(peer.samples.lastMinute?.late == 0 && (peer.samples.lastMinute?.missedByHost ?? 0) > 0)
        }
        #expect((after.standstill?.longestMs ?? 0) >= 2_500, "\(String(describing: after.standstill))")
        // Before they are killed: of two seconds' silence after that the seats are lost.
        let said = host.program.output
        #expect(said.contains("joined") && !said.contains("is lost") && !said.contains("left"), "\(said)")
        for player in players { player.kill(SIGKILL) }
        for player in players { try await player.ended() }
        // Each datagram that was sent is in a ledger, or among the kernel's drops.
        try await host.classifies(taps.reduce(0) { $0 + $1.captured.count })
        _ = try await host.close()
        print("H3: late \(after.peers.map(\.samples.late)), drops \(after.strangers.kernelDrops ?? -1)")
    }

    @Test("H2, H12: a host whose output nobody reads plays on, and SIGTERM ends it in order, with 0")
    func outputUnread() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let pipe = house.folder + "/pipe"
        mkfifo(pipe, 0o600)
        // Somebody has it open, and takes nothing; a page is full after some seventy events.
        let reader = open(pipe, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let setPipeSize: Int32 = 1_031
        #expect(fcntl(reader, setPipeSize, 4_096) >= 4_096)
        let state = try StateFolder(house.folder + "/host", environment: [:])
        let host = try RunningProgram(
            "/bin/sh",
            [
                "-c", "exec \"$0\" host Unread --policy open --discovery none --json >\"$1\"", BuiltProgram.path, pipe,
            ], environment: ["ROOMFUL_STATE": state.folder.path])
        var client: OperatorClient?
        for _ in 0..<1_000 where client == nil {
            client = try? await OperatorClient(room: nil, state: state)
            if client == nil { try await Task.sleep(for: .milliseconds(20)) }
        }
        let operates = try #require(client)
        for _ in 0..<100 {
            for task in [OperatorRequest.Task.lock, .unlock] { _ = try await operates.ask(OperatorRequest(task)) }
        }
        #expect(try await operates.ask(OperatorRequest(.status)).status?.name == "Unread")
        host.kill(SIGTERM)
        try await host.ended()
        #expect(host.status == 0)
    }

    @Test("H4: a wall clock set a day ahead and two days back changes no event, no seat and no order")
    func wallClock() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let recording = try house.recording(seconds: 6)
        let library = house.folder + "/wall-clock.so"
        let compiler = try RunningProgram(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-o", library, repositoryPath("Scripts/faults/wall-clock.c")])
        try await compiler.ended()
        #expect(compiler.status == 0, "\(compiler.output)")

        func evening(_ name: String, offsets: [Int]) async throws -> [[String: String]] {
            let clock = house.folder + "/clock-" + name
            let host = try await HostProgram(
                in: house, name: name, options: ["--json"],
                environment: ["LD_PRELOAD": library, "WALL_CLOCK_FILE": clock])
            let player = try await join(host, as: "Blue", in: house, replay: recording, loop: false)
            for offset in offsets {
                try await Task.sleep(for: .milliseconds(1_300))
                try "\(offset)".write(toFile: clock, atomically: true, encoding: .utf8)
            }
            try await player.ended()
            let peer = try #require(try await host.departed.first)
            #expect(peer.samples.late == 0 && peer.samples.delivered == 600)
            return EventLog.read(try await host.close())
        }
        async let still = evening("Still", offsets: [])
        async let jumping = evening("Jumping", offsets: [86_400, -86_400, 0])
        let (expected, found) = try await (still, jumping)
        #expect(expected.filter { $0["gesture"] == "keepcalm-jump" && $0["phase"] == "began" }.count == 6)
        #expect(found == expected)
    }

    @Test(
        "H5: a host without a free descriptor does not spin, its players lose nothing, and it takes the next one after")
    func noDescriptors() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house) { program, arguments, environment in
            try RunningProgram("/usr/bin/prlimit", ["--nofile=64:64", program] + arguments, environment: environment)
        }
        let recording = try house.recording(seconds: 10)
        let player = try await join(host, as: "Blue", in: house, replay: recording)
        _ = try await host.status { ($0.peers.first?.samples.delivered ?? 0) > 50 }
        let port = try await host.status.port
        let crowd = try RunningProgram(
            "/usr/bin/python3", [repositoryPath("Scripts/faults/hold-connections.py"), "127.0.0.1", "\(port)", "200"])
        try await crowd.says("holding 200")
        try await Task.sleep(for: .milliseconds(500))
        let before = try (host.program.processorSeconds, ContinuousClock.now)
        try await Task.sleep(for: .seconds(Soak.isOn ? 60 : 3))
        let used = try host.program.processorSeconds - before.0
        let share = used / ((ContinuousClock.now - before.1) / .seconds(1))
        // Who spins takes one whole.
        #expect(share < 0.5, "\(share) of a processor")
        crowd.kill(SIGTERM)
        try await crowd.ended()
        let next = try await join(host, as: "Red", in: house, replay: recording)
        try await next.says("Red has seat 2")
        let status = try await host.status { $0.peers.count == 2 }
        let blue = try #require(status.peers.first { $0.name == "Blue" })
        #expect(blue.samples.missing == 0 && blue.samples.late == 0 && blue.link == "good")
        #expect(player.isRunning)
        print("H5: \(share) of a processor at the limit")
    }

    @Test(
        "P7: a peer that sends ten times its rate is slowed, then sent away with the reason; the others notice nothing")
    func tooFast() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let machine = Standstill()
            let others = ["Blue", "Red"].map { name in
                Task {
                    try await withController(house.controller(name), joining: room.local) { controller in
                        try await jump(controller, samples: 1_000)
                        _ = try await room.peers {
                            $0.first { $0.name == name }.map { $0.samples.delivered + $0.samples.late } == 1_000
                        }
                        return try await room.peers(matching: name).first
                    }
                }
            }
            let ending = try await withController(house.controller("Flood"), joining: room.local) { controller in
                let sending = Task {
                    let start = Controller.deviceTimeNow()
                    for tick in 0..<12_000 where !Task.isCancelled {
                        let sample = Sample(sampledAt: start + .milliseconds(tick), acceleration: SIMD3(0, 0, 9.80665))
                        try await Task.sleep(for: max(.zero, sample.sampledAt - Controller.deviceTimeNow()))
                        controller.send(sample)
                    }
                }
                defer { sending.cancel() }
                return try await controller.events.first("its end") { event in
                    if case .ended(let ending) = event { ending } else { nil }
                }
            }
            #expect(ending.code == .tooFast, "\(ending)")
            let flood = try #require(await room.departed().first { $0.name == "Flood" })
            #expect(flood.datagrams.rateLimited > 0 && flood.samples.delivered < 4_000, "\(flood)")
            for other in others {
                let status = try #require(try await other.value)
                #expect(status.samples.delivered + status.samples.late == 1_000 && status.samples.missing == 0)
                // What waits for a second is late, also where that is because the machine stands still.
                #expect(status.samples.late == 0 || machine.longest > .milliseconds(900))
                print("P7: \(status.name)'s queueing \(status.queueing as Any)")
            }
        }
    }
}

/// `roomful host --json`, read back.
private enum EventLog {
    /// What happened, without the moments and measurements: those of two evenings differ by the machine's mood.
    static func read(_ lines: String) -> [[String: String]] {
        let kept = ["type", "player", "state", "name", "gesture", "phase", "outcome", "reason"]
        let events = lines.split(separator: "\n").compactMap { line -> [String: String]? in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                return nil
            }
            return object.filter { kept.contains($0.key) }.mapValues { "\($0)" }
        }
        // Receipts of haptics come when they come.
        let isHaptic = { (event: [String: String]) in event["type"] == "haptic" }
        return events.filter { !isHaptic($0) } + events.filter(isHaptic)
    }
}

extension RunningProgram {
    /// User and system time so far, of all its threads: proc(5), stat's fields 14 and 15.
    var processorSeconds: Double {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            // The name before may hold anything, but no closing parenthesis follows it.
            let fields = (text.components(separatedBy: ") ").last ?? "").split(separator: " ")
            let ticks = (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)
            return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }
}
