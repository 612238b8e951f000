@testable import Identity
@testable import RoomDoctor
@testable import RoomServer
@testable import Roomful

extension DoctorFacts {
    /// A machine in a network where all is well, for tests to break one thing of.
    static var healthy: DoctorFacts {
        var facts = DoctorFacts()
        facts.interfaces = [NetworkInterface("wlan0", ["192.168.1.5", "fe80::1"])]
        facts.outward = "wlan0"
        facts.trials = [
            MulticastTrial("wlan0", .ipv4, .sent(hears: true)),
            MulticastTrial("wlan0", .ipv6, .sent(hears: true)),
        ]
        facts.holders = [PortHolder("avahi-daemon", pid: 812, user: "avahi")]
        facts.neighbours = ["192.168.1.7"]
        facts.daemon.hasBus = true
        facts.daemon.busPath = "/run/dbus/system_bus_socket"
        facts.daemon.answers = true
        facts.coreProblem = nil
        var room = OwnRoom("Living Room")
        room.foundAfter = 120
        room.reached = ["192.168.1.5:7777"]
        facts.rooms = .tried([room], isTest: false)
        facts.machine.date = "2026-11-21 13:50 UTC"
        facts.machine.year = 2_026
        facts.machine.isSynchronised = true
        facts.machine.bufferWanted = 4 << 20
        facts.machine.bufferGranted = 4 << 20
        facts.machine.bufferLimit = 4 << 20
        facts.machine.descriptors = 1_024
        facts.machine.hasSodium = true
        facts.machine.state = .usable(path: "/home/ada/.local/state/roomful", freeBytes: 1 << 30)
        return facts
    }

    /// The same with one thing changed.
    static func healthyBut(_ change: (inout DoctorFacts) -> Void) -> DoctorFacts {
        var facts = healthy
        change(&facts)
        return facts
    }

    /// What the doctor says of one thing.
    func check(_ id: String) -> DoctorCheck {
        DoctorReport(self).checks.first { $0.id == id } ?? DoctorCheck(id, "no such check", .problem, "")
    }
}
