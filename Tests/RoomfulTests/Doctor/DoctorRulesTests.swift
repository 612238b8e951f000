import Testing

@testable import Identity
@testable import RoomDoctor
@testable import Roomful

@Suite("The doctor's rules")
struct DoctorRulesTests {
    @Test("Where all is well every check is ok, and there is nothing to do")
    func healthy() {
        let report = DoctorReport(.healthy)
        #expect(report.ok && report.summary == "All is well.")
        #expect(report.checks.allSatisfy { $0.outcome == .ok && $0.advice == nil })
        #expect(Set(report.checks.map(\.id)).count == report.checks.count)
    }

    @Test("Only a problem makes the whole not ok, and the summary names it")
    func onlyProblemsCount() {
        let warned = DoctorReport(.healthyBut { $0.machine.bufferGranted = 16 << 10 })
        #expect(warned.ok && warned.summary.contains("1 warning"))
        let broken = DoctorReport(.healthyBut { $0.machine.year = 1_970 })
        #expect(!broken.ok && broken.summary == "1 problem: Clock.")
    }

    @Test("Every warning and problem says what to do")
    func advice() {
        let broken: [(inout DoctorFacts) -> Void] = [
            { $0.interfaces = [] }, { $0.interfaces[0].addresses = [] }, { $0.interfaces[0].carriesMulticast = false },
            { $0.interfaces[0].addresses = ["169.254.3.4"] }, { $0.trials[0].outcome = .notSent(1) },
            { $0.trials = [MulticastTrial("wlan0", .ipv4, .notSent(101))] },
            {
                $0.trials = [MulticastTrial("wlan0", .ipv4, .notOpened(98))]; $0.daemon.answers = false
            },
            {
                $0.trials = [MulticastTrial("wlan0", .ipv4, .notJoined(105))]; $0.daemon.answers = false
            },
            {
                $0.trials = [MulticastTrial("wlan0", .ipv4, .sent(hears: false))]; $0.neighbours = []
            },
            { $0.holders.append(PortHolder("systemd-resolve", pid: 5)) },
            {
                $0.daemon.answers = false; $0.coreProblem = "libavahi-core is missing"
            }, { $0.rooms = .impossible("why ever") },
            { $0.rooms = .tried([OwnRoom("X")], isTest: true) }, { $0.machine.year = 1_970 },
            { $0.machine.bufferGranted = 4_096 }, { $0.machine.descriptors = 64 },
            { $0.machine.state = .unusable("it is gone") },
            { $0.machine.state = .usable(path: "/tmp", freeBytes: 4_096) }, { $0.standstills = ["it stood still."] },
            { $0.certificates = [ShownCertificate(room: "Hall", end: "2026-11-30", secondsLeft: 86_400)] },
            { $0.unheard = [UnheardRoom(room: "Hall", port: 7_777, players: ["P1 Otter"])] },
        ]
        for (place, change) in broken.enumerated() {
            let bad = DoctorReport(.healthyBut(change)).checks.filter { [.warning, .problem].contains($0.outcome) }
            #expect(!bad.isEmpty, "case \(place)")
            for check in bad { #expect(check.advice != nil, "case \(place): \(check)") }
        }
    }

    @Test("A room that waits for its site's broker is a problem, one that plays on without it a warning")
    func sites() {
        func sites(_ isConnected: Bool, isSilent: Bool) -> DoctorFacts {
            .healthyBut {
                $0.sites = [OwnSite(room: "Hall", isConnected: isConnected, isSilent: isSilent, line: "how it stands")]
            }
        }
        #expect(sites(true, isSilent: false).check("site").outcome == .ok)
        #expect(sites(false, isSilent: false).check("site").outcome == .warning)
        let waits = DoctorReport(sites(false, isSilent: true))
        #expect(!waits.ok && waits.summary == "1 problem: Rooms reach their site's broker.")
    }

    @Test("Rooms whose machine stood still of late are told of, and of others nothing is said")
    func standstills() {
        let late = DoctorFacts.healthyBut { $0.standstills = ["\"Hall\": it stood still."] }.check("standstill")
        #expect(late.outcome == .warning && late.found == "\"Hall\": it stood still.")
        #expect(!DoctorReport(.healthy).checks.contains { $0.id == "standstill" })
    }

    @Test("An operator's certificate that ends within two weeks is a warning, one that has ended a problem")
    func certificates() {
        func check(_ days: Double...) -> DoctorCheck {
            DoctorFacts.healthyBut {
                $0.certificates = days.map {
                    ShownCertificate(room: "Hall", end: "2026-12-24", secondsLeft: $0 * 86_400)
                }
            }.check("certificate")
        }
        #expect(check(15).outcome == .ok && check(15).found == "\"Hall\": until 2026-12-24.")
        #expect(check(90, 13).outcome == .warning && check(90, -1, 20).outcome == .problem)
        #expect(!DoctorReport(.healthy).checks.contains { $0.id == "certificate" })
    }

    @Test("Where controllers of a room come by TCP and not by UDP, all is not well, and its port is named")
    func unheard() {
        let facts = DoctorFacts.healthyBut {
            $0.unheard = [
                UnheardRoom(room: "Hall", port: 7_790, players: ["P1 Otter"]),
                UnheardRoom(room: "Attic", port: 7_791, players: ["P1 A", "P2 B", "P3 C", "P4 D", "P5 E"]),
            ]
            $0.firewall = .ufw
        }
        let check = facts.check("udp")
        #expect(check.outcome == .warning && check.found.contains("by TCP, not by UDP"))
        #expect(check.found.hasSuffix("\"Hall\": P1 Otter. \"Attic\": P1 A, P2 B, P3 C and 2 more."))
        #expect(check.advice?.contains("sudo ufw allow 7790") == true)
        #expect(check.advice?.contains("roomful doctor --phone") == true)
        #expect(DoctorReport(facts).summary.contains("1 warning"))
    }

    // MARK: The network

    @Test("Without a network nobody but this machine can join: a problem")
    func noNetwork() {
        let facts = DoctorFacts.healthyBut {
            $0.interfaces = []
            $0.trials = []
        }
        #expect(facts.check("interfaces").outcome == .problem)
        #expect(facts.check("port-5353").outcome == .note && facts.check("multicast-out").outcome == .note)
        var lost = facts
        lost.rooms = .tried([OwnRoom("Lost")], isTest: false)
        #expect(lost.check("own-room").advice == "Network, above, is why.")
    }

    @Test("Addresses that a machine gave itself are a warning, as phones on a router have others")
    func selfAssigned() {
        let facts = DoctorFacts.healthyBut { $0.interfaces[0].addresses = ["169.254.7.8", "fe80::1"] }
        #expect(facts.check("interfaces").outcome == .warning)
    }

    @Test("A tunnel without multicast beside a network that carries it is no problem, on the way out a warning")
    func tunnel() {
        let beside = DoctorFacts.healthyBut {
            $0.interfaces.append(NetworkInterface("tun0", ["10.8.0.2"], carriesMulticast: false))
        }
        #expect(beside.check("interfaces").outcome == .ok)
        var outward = beside
        outward.outward = "tun0"
        #expect(outward.check("interfaces").outcome == .warning)
    }

    @Test("A send that the system does not permit is a firewall's doing: outgoing multicast is dropped")
    func firewallOut() {
        let check = DoctorFacts.healthyBut { facts in
            for place in facts.trials.indices { facts.trials[place].outcome = .notSent(1) }
        }.check("multicast-out")
        #expect(check.outcome == .problem)
        #expect(check.found.contains("firewall") && check.found.contains("wlan0 (IPv4), wlan0 (IPv6)"))
    }

    @Test("One's own question that does not come back is a firewall's doing: incoming multicast is dropped")
    func firewallIn() {
        let facts = DoctorFacts.healthyBut { facts in
            for place in facts.trials.indices { facts.trials[place].outcome = .sent(hears: false) }
            facts.neighbours = []
            facts.firewall = .ufw
        }
        let check = facts.check("multicast-in")
        #expect(check.outcome == .problem)
        #expect(check.found.contains("firewall") && check.found.contains("224.0.0.251"))
        #expect(check.advice?.contains("sudo ufw allow 5353/udp") == true)
        #expect(facts.check("neighbours").outcome == .note)
    }

    @Test("Where others' multicast is heard, one's own copy need not be")
    func heardOthers() {
        let facts = DoctorFacts.healthyBut { facts in
            for place in facts.trials.indices { facts.trials[place].outcome = .sent(hears: false) }
        }
        #expect(facts.check("multicast-in").outcome == .ok)
    }

    @Test("IPv6 alone that is dropped is a warning: rooms are found by IPv4")
    func onlyIPv6() {
        #expect(
            DoctorFacts.healthyBut { $0.trials[1].outcome = .notSent(1) }.check("multicast-out").outcome == .warning)
    }

    @Test("What counts is the interface that leads out: a bridge of containers that hears cannot replace it")
    func bridge() {
        let facts = DoctorFacts.healthyBut { facts in
            for place in facts.trials.indices { facts.trials[place].outcome = .notSent(1) }
            facts.trials.append(MulticastTrial("docker0", .ipv4, .sent(hears: true)))
        }
        #expect(facts.check("multicast-out").outcome == .problem)
        var other = facts
        other.outward = "docker0"
        #expect(other.check("multicast-out").outcome == .warning)
    }

    @Test("A program that keeps port 5353 to itself is a problem, unless it is the daemon that serves us")
    func exclusivePort() {
        let daemon = DoctorFacts.healthyBut { facts in
            for place in facts.trials.indices { facts.trials[place].outcome = .notOpened(98) }
        }
        #expect(daemon.check("port-5353").outcome == .note)
        let other = DoctorFacts.healthyBut { facts in
            for place in facts.trials.indices { facts.trials[place].outcome = .notOpened(98) }
            facts.daemon.answers = false
            facts.holders = [PortHolder("greedy", pid: 7)]
        }
        #expect(other.check("port-5353").outcome == .problem)
        #expect(other.check("port-5353").found.contains("greedy (process 7)"))
    }

    @Test("That nobody else answers is no fault: perhaps nobody is there")
    func alone() {
        let check = DoctorFacts.healthyBut { $0.neighbours = [] }.check("neighbours")
        #expect(check.outcome == .note && check.advice?.contains("access point") == true)
    }
}
