import Testing
import WireProtocol

@testable import RoomDoctor
@testable import Roomful

@Suite("Whether a phone reached this machine")
struct PhoneTrialTests {
    private let own = PeerAddress(ipv4: 0xC0A8_0105, port: 0)
    private let phone = PeerAddress(ipv4: 0xC0A8_0107, port: 50_000)
    private let other = PeerAddress(ipv4: 0xC0A8_0108, port: 50_001)

    private func report(_ arrivals: (PhoneTrial.Way, PeerAddress)..., firewall: Firewall = .ufw) -> PhoneReport {
        var trial = PhoneTrial(own: [own])
        for (way, sender) in arrivals { trial.arrived(by: way, from: sender) }
        return PhoneReport(
            trial, url: "http://192.168.1.5:7777/", port: 7_777, waited: .seconds(30), firewall: firewall)
    }

    @Test("A device that came by both ways settles it, whichever came first and from whichever ports")
    func both() {
        for report in [report((.tcp, phone), (.udp, phone)), report((.udp, phone), (.tcp, phone))] {
            #expect(report.ok && report.advice.isEmpty)
            #expect(report.found.hasPrefix("192.168.1.7 reached this machine by TCP and by UDP"))
        }
    }

    @Test("This machine itself proves nothing, by whichever of its addresses")
    func itself() {
        let loopback = PeerAddress(ipv4: 0x7F00_0001, port: 9)
        var port = own
        port.port = 4_000
        let report = report((.tcp, own), (.udp, port), (.tcp, loopback), (.udp, loopback))
        #expect(!report.ok && report.tcp.isEmpty && report.udp.isEmpty)
    }

    @Test("Silence names client isolation and a firewall, and says what helps: own network, open port, tunnel")
    func silence() {
        let report = report()
        #expect(!report.ok && report.found.contains("within 30 s"))
        #expect(report.found.contains("client isolation") && report.found.contains("firewall"))
        let advice = report.advice.joined(separator: "\n")
        for words in ["access point or router of your own", "sudo ufw allow 7777", "--url https://", "hotspot"] {
            #expect(advice.contains(words))
        }
    }

    @Test("TCP without UDP says who can play all the same, and how UDP is let in")
    func onlyTCP() {
        let report = report((.tcp, phone), firewall: .firewalld)
        #expect(!report.ok && report.tcp == ["192.168.1.7"] && report.udp.isEmpty)
        #expect(report.found.contains("Phones play all the same") && report.found.contains("Native controllers"))
        #expect(report.advice.first?.contains("--add-port=7777/udp") == true)
    }

    @Test("UDP without TCP is told, too; and two devices that came by one way each are not one that came by both")
    func halves() {
        #expect(report((.udp, phone)).found.contains("nobody by TCP"))
        let apart = report((.tcp, phone), (.udp, other))
        #expect(!apart.ok && apart.found.contains("no device by both"))
    }

    @Test("A flood of invented senders takes no more memory, and does not hide the phone that loaded the page")
    func flood() {
        var trial = PhoneTrial(own: [own])
        for number in 0..<10_000 {
            trial.arrived(by: .udp, from: PeerAddress(ipv4: 0x0A00_0000 + UInt32(number), port: 1))
        }
        #expect(trial.byUDP.count == PhoneTrial.mostDevices)
        trial.arrived(by: .udp, from: phone)
        #expect(trial.byBoth == nil && trial.byUDP.count == PhoneTrial.mostDevices)
        trial.arrived(by: .tcp, from: phone)
        trial.arrived(by: .udp, from: phone)
        #expect(trial.byBoth?.host == "192.168.1.7")
    }
}
