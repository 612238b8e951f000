import Testing

@testable import RoomDoctor
@testable import RoomServer
@testable import Roomful

@Suite("The doctor's rules: who announces rooms, and whether one is found")
struct DoctorDiscoveryTests {
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
}
