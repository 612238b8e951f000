import Testing

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
                $0.trials = [MulticastTrial("wlan0", .ipv4, .sent(cameBack: false))]; $0.neighbours = []
            },
            { $0.holders.append(PortHolder("systemd-resolve", pid: 5)) },
            {
                $0.daemon.answers = false; $0.coreProblem = "libavahi-core is missing"
            }, { $0.rooms = .impossible("why ever") },
            { $0.rooms = .tried([OwnRoom("X")], isTest: true) }, { $0.machine.year = 1_970 },
            { $0.machine.bufferGranted = 4_096 }, { $0.machine.descriptors = 64 },
            { $0.machine.state = .unusable("it is gone") },
            { $0.machine.state = .usable(path: "/tmp", freeBytes: 4_096) },
        ]
        for (place, change) in broken.enumerated() {
            let bad = DoctorReport(.healthyBut(change)).checks.filter { [.warning, .problem].contains($0.outcome) }
            #expect(!bad.isEmpty, "case \(place)")
            for check in bad { #expect(check.advice != nil, "case \(place): \(check)") }
        }
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
            for place in facts.trials.indices { facts.trials[place].outcome = .sent(cameBack: false) }
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
            for place in facts.trials.indices { facts.trials[place].outcome = .sent(cameBack: false) }
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
            facts.trials.append(MulticastTrial("docker0", .ipv4, .sent(cameBack: true)))
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

    // MARK: Who announces rooms

    @Test("Two programs that answer for one machine are a warning; one that only listens is none")
    func responders() {
        let two = DoctorFacts.healthyBut { $0.holders.append(PortHolder("systemd-resolve", pid: 300)) }
        #expect(two.check("responders").outcome == .warning)
        let listening = DoctorFacts.healthyBut { $0.holders.append(PortHolder("chromium", pid: 400)) }
        #expect(listening.check("responders").outcome == .ok)
        #expect(listening.check("responders").found.contains("chromium (process 400)"))
        let hidden = DoctorFacts.healthyBut { $0.holders = [PortHolder(nil, user: "avahi")] }
        #expect(hidden.check("responders").found == "a program of user avahi.")
    }

    @Test("The daemon serves where it answers, else libavahi-core in the process, else nobody: a problem")
    func backends() {
        #expect(DoctorFacts.healthy.check("backend").found.contains("avahi-daemon (daemon), because it answers"))
        let embedded = DoctorFacts.healthyBut { $0.daemon.answers = false }
        #expect(embedded.check("backend").outcome == .ok && embedded.check("daemon").outcome == .note)
        #expect(embedded.check("backend").found.contains("libavahi-core (embedded), because no avahi-daemon"))
        let none = DoctorFacts.healthyBut {
            $0.daemon.answers = false
            $0.coreProblem = "libavahi-core is missing"
        }
        #expect(none.check("backend").outcome == .problem && none.check("daemon").outcome == .warning)
        #expect(none.check("backend").found.contains("libavahi-core is missing"))
    }

    @Test("A daemon that hangs is a problem for whoever needs it, and a warning for a responder of one's own")
    func hanging() {
        let auto = DoctorFacts.healthyBut {
            $0.daemon.answers = false
            $0.daemon.hangs = true
        }
        #expect(auto.check("daemon").outcome == .problem && auto.check("backend").outcome == .problem)
        #expect(auto.check("backend").advice?.contains("--discovery embedded") == true)
        var own = auto
        own.discovery = .embedded
        #expect(own.check("daemon").outcome == .warning && own.check("backend").outcome == .ok)
    }

    @Test("What is forced is judged as it is wanted: a daemon that is missing, a responder of one's own, nobody at all")
    func forced() {
        func check(_ discovery: RoomOptions.Discovery, daemon: Bool, core: Bool) -> DoctorCheck {
            DoctorFacts.healthyBut {
                $0.discovery = discovery
                $0.daemon.answers = daemon
                $0.coreProblem = core ? nil : "libavahi-core is missing"
            }.check("backend")
        }
        #expect(check(.daemon, daemon: false, core: true).outcome == .problem)
        #expect(check(.daemon, daemon: false, core: true).advice?.hasPrefix("Leave --discovery out") == true)
        #expect(check(.daemon, daemon: true, core: false).outcome == .ok)
        #expect(check(.embedded, daemon: true, core: true).found.contains("embedded"))
        #expect(check(.embedded, daemon: true, core: false).outcome == .problem)
        #expect(check(.none, daemon: true, core: true).outcome == .note)
    }

    @Test("A missing D-Bus is told from a missing daemon")
    func bus() {
        let noBus = DoctorFacts.healthyBut {
            $0.daemon.answers = false
            $0.daemon.hasBus = false
        }
        #expect(noBus.check("daemon").found.contains("no D-Bus at /run/dbus/system_bus_socket"))
        var forbidden = noBus
        forbidden.daemon.isBusForbidden = true
        #expect(forbidden.check("daemon").found.contains("may not open D-Bus"))
        let noDaemon = DoctorFacts.healthyBut { $0.daemon.answers = false }
        #expect(noDaemon.check("daemon").found.contains("D-Bus answers, and avahi-daemon does not"))
    }

    // MARK: A room of this machine

    @Test("A room that this machine itself does not find is a problem; one that is not announced is none")
    func ownRoom() {
        let lost = DoctorFacts.healthyBut { $0.rooms = .tried([OwnRoom("Lost")], isTest: false) }
        #expect(lost.check("own-room").outcome == .problem)
        #expect(lost.check("own-room").found == "\"Lost\" was not found by this machine itself.")
        var hidden = OwnRoom("Hidden")
        hidden.isAnnounced = false
        let facts = DoctorFacts.healthyBut { $0.rooms = .tried([hidden], isTest: false) }
        #expect(facts.check("own-room").outcome == .note)
    }

    @Test("A room that is found and answers nowhere is a problem; at some of its addresses a warning")
    func ports() {
        var room = OwnRoom("Closed")
        room.foundAfter = 80
        room.unreached = ["192.168.1.5:7777"]
        let closed = DoctorFacts.healthyBut { $0.rooms = .tried([room], isTest: false) }
        #expect(closed.check("own-room").outcome == .problem)
        room.reached = ["10.0.0.5:7777"]
        let half = DoctorFacts.healthyBut { $0.rooms = .tried([room], isTest: false) }
        #expect(half.check("own-room").outcome == .warning)
        #expect(
            half.check("own-room").found
                == "\"Closed\" was found after 80 ms; from here its port answers at 10.0.0.5:7777; not at 192.168.1.5:7777."
        )
    }

    // MARK: The machine

    @Test("A clock that nobody keeps right is a note, one of another century a problem")
    func clock() {
        #expect(DoctorFacts.healthyBut { $0.machine.isSynchronised = false }.check("clock").outcome == .note)
        #expect(DoctorFacts.healthyBut { $0.machine.isSynchronised = nil }.check("clock").outcome == .ok)
        #expect(DoctorFacts.healthyBut { $0.machine.year = 1_970 }.check("clock").outcome == .problem)
    }

    @Test("A receive buffer is judged by how long the wanted seats take to fill it: 100 ms are enough")
    func buffer() {
        let small = DoctorFacts.healthyBut { $0.machine.bufferGranted = 208 << 10 }
        #expect(small.check("receive-buffer").outcome == .ok)
        #expect(small.check("receive-buffer").found.hasPrefix("208 KiB of 4 MiB wanted (net.core.rmem_max is 4 MiB)"))
        let many = DoctorFacts.healthyBut {
            $0.machine.bufferGranted = 208 << 10
            $0.machine.seats = 1_000
        }
        #expect(many.check("receive-buffer").outcome == .warning)
        #expect(many.check("receive-buffer").advice?.contains("net.core.rmem_max=4194304") == true)
    }

    @Test("Descriptors must suffice for the wanted seats and 128 more")
    func descriptors() {
        func outcome(_ limit: Int, seats: Int) -> DoctorCheck.Outcome {
            DoctorFacts.healthyBut {
                $0.machine.descriptors = limit
                $0.machine.seats = seats
            }.check("descriptors").outcome
        }
        #expect(outcome(149, seats: 21) == .ok && outcome(148, seats: 21) == .problem)
    }

    @Test("Optional libraries are notes that say what their absence costs")
    func libraries() {
        let facts = DoctorFacts.healthyBut {
            $0.machine.hasSodium = false
            $0.coreProblem = "libavahi-core is missing"
        }
        #expect(facts.check("libsodium").outcome == .note && facts.check("libavahi-core").outcome == .note)
        #expect(facts.check("libsodium").found.contains("6 times"))
        #expect(DoctorReport(facts).ok)
    }

    @Test("A state folder that cannot be used, or has no space left, is a problem")
    func state() {
        let broken = DoctorFacts.healthyBut { $0.machine.state = .unusable("/x belongs to somebody else") }
        #expect(broken.check("state-folder").outcome == .problem)
        let full = DoctorFacts.healthyBut { $0.machine.state = .usable(path: "/x", freeBytes: 512 << 10) }
        #expect(full.check("state-folder").found == "/x has 512 KiB left: seats could not be kept.")
    }
}
