import Foundation
import Testing

@testable import RoomDoctor
@testable import Roomful

@Suite(
    "roomful doctor, between hosts in namespaces", .serialized, .needsNamespaces,
    .timeLimit(.minutes(4)))
struct DoctorProgramTests {
    /// What the program says and how it ends, on a host, and how long it took, had the machine not stood still.
    private func doctor(
        _ arguments: [String] = [], on host: Int, of lan: Lan, in house: TestHouse, environment: [String: String] = [:]
    ) async throws -> (report: DoctorReport, status: Int32, took: Duration) {
        let (start, machine) = (ContinuousClock.now, Standstill())
        let program = try lan.start(
            BuiltProgram.path, ["doctor", "--json"] + arguments, on: host,
            environment: environment.merging(["ROOMFUL_STATE": house.folder + "/state-\(host)"]) { $1 })
        let said = try await program.ended()
        let line = try #require(said.split(separator: "\n").last { $0.hasPrefix("{") }, "\(said)")
        let report = try JSONDecoder().decode(DoctorReport.self, from: Data(line.utf8))
        return (report, program.status, .now - start - machine.total)
    }

    @Test("On a healthy network with daemons nothing is wrong; a firewall that drops multicast is named, in and out")
    func daemon() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            for host in 1...2 { try await lan.avahi("start", on: host) }
            // Devices that have spoken know each other's addresses.
            _ = try? await lan.run("bash", "-c", "echo >/dev/tcp/10.77.0.2/9", on: 1)

            let healthy = try await doctor(on: 1, of: lan, in: house)
            for id in [
                "interfaces", "port-5353", "multicast-out", "multicast-in", "responders", "neighbours", "daemon",
                "backend", "own-room",
            ] { #expect(healthy.report[id].outcome == .ok, "\(healthy.report[id])") }
            #expect(healthy.report.ok && healthy.status == 0)
            #expect(healthy.report["neighbours"].found.contains("10.77.0.2"))
            #expect(healthy.report["responders"].found.contains("avahi-daemon"))
            #expect(healthy.report["own-room"].found.contains("10.77.0.1:"))
            #expect(healthy.took < .seconds(8))

            try await lan.drop("input", "udp dport 5353", on: 1)
            let deaf = try await doctor(on: 1, of: lan, in: house)
            #expect(!deaf.report.ok && deaf.status == 1)
            #expect(deaf.report["multicast-in"].outcome == .problem)
            #expect(deaf.report["multicast-in"].found.contains("firewall"))
            #expect(deaf.report["multicast-out"].outcome == .ok)
            #expect(deaf.report["own-room"].outcome == .problem)
            #expect(deaf.took < .seconds(8))
            try await lan.allowAll(on: 1)

            try await lan.drop("output", "udp dport 5353", on: 1)
            let mute = try await doctor(on: 1, of: lan, in: house)
            #expect(!mute.report.ok && mute.status == 1)
            #expect(mute.report["multicast-out"].outcome == .problem)
            #expect(mute.report["multicast-out"].found.contains("firewall"))
            try await lan.allowAll(on: 1)

            // IPv4 alone does: rooms are found by it.
            try await lan.drop("output", "ip6 daddr ff02::fb", on: 1)
            let half = try await doctor(on: 1, of: lan, in: house)
            #expect(half.report["multicast-out"].outcome == .warning && half.status == 0)
            try await lan.allowAll(on: 1)

            // What lets everything in but strangers' packets, as most firewalls do, keeps rooms from being found, too.
            try await lan.run("nft", "add table inet faults", on: 1)
            let chain = "{ type filter hook input priority 0; policy drop; }"
            try await lan.run("nft", "add chain inet faults input \(chain)", on: 1)
            try await lan.run("nft", "add rule inet faults input iif lo accept", on: 1)
            try await lan.run("nft", "add rule inet faults input ct state established,related accept", on: 1)
            let guarded = try await doctor(on: 1, of: lan, in: house)
            #expect(guarded.report["multicast-in"].outcome == .problem)
            try await lan.run("nft", "add rule inet faults input udp dport 5353 accept", on: 1)
            #expect(try await doctor(on: 1, of: lan, in: house).report["multicast-in"].outcome == .ok)
            try await lan.allowAll(on: 1)

            // A daemon that hangs keeps the doctor waiting no longer than any other trouble.
            let text = healthy.report["responders"].found
            let daemon = try #require(text.firstMatch(of: #/avahi-daemon \(process (\d+)\)/#).flatMap { pid_t($0.1) })
            kill(daemon, SIGSTOP)
            let hung = try await doctor(on: 1, of: lan, in: house)
            kill(daemon, SIGCONT)
            #expect(hung.report["daemon"].outcome == .problem, "\(hung.report["daemon"])")
            #expect(hung.report["daemon"].found.contains("hangs") && hung.status == 1)
            #expect(hung.took < .seconds(8))

            try await lan.avahi("kill", on: 1)
            let alone = try await doctor(["--discovery", "daemon"], on: 1, of: lan, in: house)
            #expect(alone.report["daemon"].found.hasPrefix("D-Bus answers, and avahi-daemon does not"))
            #expect(alone.report["backend"].outcome == .problem && alone.status == 1)
        }
    }

    @Test("Without D-Bus and daemon it says so, and which responder serves; without that one too, that nobody does")
    func noDaemon() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            let none = try await doctor(on: 1, of: lan, in: house, environment: ["ROOMFUL_NO_AVAHI_CORE": "1"])
            #expect(none.report["daemon"].outcome == .warning && none.report["daemon"].found.contains("no D-Bus"))
            #expect(none.report["backend"].outcome == .problem && none.status == 1)
            #expect(none.report["own-room"].outcome == .note)
            let greedy = try lan.start(
                "/usr/bin/python3",
                [
                    "-c",
                    "import socket,time; s=socket.socket(type=socket.SOCK_DGRAM); s.bind(('',5353)); "
                        + "print('ready',flush=True); time.sleep(60)",
                ], on: 2)
            try await greedy.says("ready")
            let taken = try await doctor(on: 2, of: lan, in: house)
            greedy.kill(SIGKILL)
            // IPv6 is left.
            #expect(taken.report["port-5353"].outcome == .warning)
            #expect(taken.report["port-5353"].found.contains("python3"))
            guard Tools.areDemanded || BuiltProgram.embeddedProblem == nil else { return }
            let embedded = try await doctor(on: 1, of: lan, in: house)
            #expect(embedded.report["daemon"].outcome == .note)
            #expect(embedded.report["backend"].found.contains("libavahi-core (embedded)"))
            #expect(embedded.report["own-room"].outcome == .ok, "\(embedded.report["own-room"])")
            #expect(embedded.report.ok && embedded.status == 0)
            #expect(embedded.took < .seconds(8))
        }
    }

    @Test("A room that runs is looked for and tried itself; one whose port a firewall closes is a problem")
    func ownRoom() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 1) { lan in
            try await lan.avahi("start", on: 1)
            let host = try await HostProgram(
                in: house, name: "Here", folder: "state-1", discovery: "auto", options: ["--port", "7790"]
            ) { try lan.start($0, $1, on: 1, environment: $2) }
            let status = try await host.status { $0.discovery.hasPrefix("published as") }
            #expect(status.discovery.hasPrefix("published as"))
            let found = try await doctor(on: 1, of: lan, in: house)
            #expect(found.report["own-room"].outcome == .ok, "\(found.report["own-room"])")
            #expect(found.report["own-room"].found.hasPrefix("\"Here\" was found"))
            #expect(found.report["own-room"].found.contains("10.77.0.1:7790"))
            try await lan.drop("input", "tcp dport 7790", on: 1)
            let closed = try await doctor(on: 1, of: lan, in: house)
            #expect(closed.report["own-room"].outcome == .problem, "\(closed.report["own-room"])")
            #expect(closed.report["own-room"].advice?.contains("firewall") == true && closed.status == 1)
            _ = try await host.close()
        }
    }

    // MARK: --phone

    /// Waits for a phone on host 1 while `visit` does something on host 2.
    private func phone(
        _ lan: Lan, _ house: TestHouse, port: Int, for time: String, visit: () async throws -> Void
    ) async throws -> (report: PhoneReport, status: Int32) {
        let program = try lan.start(
            BuiltProgram.path, ["doctor", "--phone", "--json", "--for", time, "--port", "\(port)"], on: 1,
            environment: ["ROOMFUL_STATE": house.folder + "/state"])
        for kind in ["-Huln", "-Htln"] {
            try await until("the doctor's port \(port), \(kind)") {
                try await lan.run("ss", kind, on: 1).contains(":\(port) ")
            }
        }
        try await visit()
        let said = try await program.ended()
        let line = try #require(said.split(separator: "\n").last { $0.hasPrefix("{") }, "\(said)")
        return (try JSONDecoder().decode(PhoneReport.self, from: Data(line.utf8)), program.status)
    }

    @Test(
        "Another device that loads the page and sends a datagram has reached both; silence names isolation and firewall"
    )
    func phone() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            let program = "import urllib.request as u; u.urlopen('http://10.77.0.1:7791/', timeout=20).read()"
            let load = ["python3", "-c", program]
            let datagram = ["bash", "-c", "echo hello >/dev/udp/10.77.0.1/7791"]
            func visit(_ commands: [String]...) async throws {
                for command in commands {
                    _ = try? await lan.start("/usr/bin/env", command, on: 2).ended()
                }
            }
            let both = try await phone(lan, house, port: 7_791, for: "20s") { try await visit(load, datagram) }
            #expect(both.report.ok && both.status == 0)
            #expect(both.report.tcp == ["10.77.0.2"] && both.report.udp == ["10.77.0.2"])
            #expect(both.report.waitedMs < 10_000 && both.report.url == "http://10.77.0.1:7791/")

            // The machine itself, by its outward address, is no phone.
            let itself = try await phone(lan, house, port: 7_791, for: "2s") {
                _ = try await lan.run("python3", "-c", program, on: 1)
                try await lan.run("bash", "-c", "echo hello >/dev/udp/10.77.0.1/7791", on: 1)
            }
            #expect(!itself.report.ok && itself.report.tcp.isEmpty && itself.report.udp.isEmpty)

            try await lan.drop("input", "meta l4proto udp", on: 1)
            let half = try await phone(lan, house, port: 7_791, for: "10s") { try await visit(load, datagram) }
            #expect(half.status == 1 && half.report.tcp == ["10.77.0.2"] && half.report.udp.isEmpty)
            #expect(half.report.found.contains("Phones play all the same"))
            try await lan.allowAll(on: 1)

            try await lan.drop("input", "iifname eth0", on: 1)
            let silence = try await phone(lan, house, port: 7_791, for: "3s") { try await visit(load, datagram) }
            #expect(silence.status == 1 && silence.report.tcp.isEmpty && silence.report.udp.isEmpty)
            #expect(silence.report.found.contains("client isolation") && silence.report.found.contains("firewall"))
            #expect(silence.report.advice.contains { $0.contains("--url") })
        }
    }
}

extension DoctorReport {
    fileprivate subscript(id: String) -> DoctorCheck {
        checks.first { $0.id == id } ?? DoctorCheck(id, "no such check", .problem, "")
    }
}
