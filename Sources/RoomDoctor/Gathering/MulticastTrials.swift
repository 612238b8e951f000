import CDatagrams
import ControlPort
import Datagrams
import Foundation
import Identity
import PrivateFiles
import WireProtocol

/// Asks everybody by multicast DNS on all interfaces at once, and listens for who answers, its own copy among them.
struct MulticastTrials {
    struct Findings: Sendable {
        var trials: [MulticastTrial] = []
        var neighbours: [PeerAddress] = []
    }

    /// Neighbours that are remembered at most, and datagrams that are read at most in one turn: a flood costs nothing.
    private static let mostNeighbours = 64
    private static let mostDatagrams = 256

    /// One socket, for one interface and IP version.
    private struct Ear {
        let socket: Int32
        let family: Int32
        let interface: UInt32
        let question: MulticastQuestion
        let place: Int
    }

    private var ears: [Ear] = []
    private var findings = Findings()
    private let own: Set<PeerAddress>

    private init(_ interfaces: [SystemInterface]) {
        own = Set(interfaces.flatMap(\.addresses).map(\.bare))
        for interface in interfaces where interface.shown.carriesMulticast {
            if interface.addresses.contains(where: { $0.ipv4 != nil }) { listen(interface, .ipv4) }
            if interface.addresses.contains(where: { $0.ipv4 == nil }) { listen(interface, .ipv6) }
        }
    }

    /// Takes a second and a half where all is well and somebody answers, else `limit`.
    static func run(_ interfaces: [SystemInterface], limit: Duration = .milliseconds(2_500)) async -> Findings {
        var trials = MulticastTrials(interfaces)
        defer { trials.ears.forEach { close($0.socket) } }
        let start = ContinuousClock.now
        trials.ask()
        var hasAskedAgain = false
        while !trials.ears.isEmpty, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(20))
            trials.hear()
            let passed = ContinuousClock.now - start
            if !hasAskedAgain, passed > .seconds(1) {
                trials.ask()
                hasAskedAgain = true
            }
            if passed > limit || passed > .milliseconds(1_500) && trials.isSatisfied { break }
        }
        return trials.findings
    }

    private var isSatisfied: Bool {
        !findings.neighbours.isEmpty && findings.trials.allSatisfy { $0.outcome == .sent(hears: true) }
    }

    private mutating func listen(_ interface: SystemInterface, _ version: MulticastTrial.Version) {
        var stage: Int32 = 0
        let family = version == .ipv4 ? AF_INET : AF_INET6
        let socket = doctor_mdns_open(family, interface.index, &stage)
        if socket >= 0 {
            let known = ARPTable.addresses(in: kernelTable("/proc/net/arp") ?? "", on: interface.name)
            let question = MulticastQuestion(
                id: .random(in: 1...UInt16.max), known: known.filter { !own.contains($0.bare) })
            ears.append(
                Ear(
                    socket: socket, family: family, interface: interface.index, question: question,
                    place: findings.trials.count))
        }
        let failure = stage == Int32(doctor_opening) ? MulticastTrial.Outcome.notOpened(-socket) : .notJoined(-socket)
        findings.trials.append(
            MulticastTrial(interface.shown.name, version, socket < 0 ? failure : .sent(hears: false)))
    }

    private mutating func ask() {
        for ear in ears {
            let bytes = ear.question.bytes
            let result = doctor_mdns_send(ear.socket, ear.family, ear.interface, bytes, bytes.count)
            if result < 0 { findings.trials[ear.place].outcome = .notSent(-result) }
        }
    }

    private mutating func hear() {
        var bytes = [UInt8](repeating: 0, count: 9_000)  // the longest message (RFC 6762, 17)
        for ear in ears {
            for _ in 0..<Self.mostDatagrams {
                var from = datagram_address()
                let length = doctor_receive(ear.socket, &bytes, bytes.count, &from)
                guard length >= 0 else { break }
                note(ear.question.judge(bytes.prefix(Int(length))), from: PeerAddress(from), on: ear)
            }
        }
    }

    private mutating func note(_ answer: MulticastQuestion.Answer, from sender: PeerAddress, on ear: Ear) {
        let device = sender.bare
        let isForeign = !own.contains(device) && !device.isLoopback
        // In a flood our own copy may find no room; then what others say shows that multicast comes in.
        if answer == .ownCopy || isForeign, findings.trials[ear.place].outcome == .sent(hears: false) {
            findings.trials[ear.place].outcome = .sent(hears: true)
        }
        guard answer == .response, isForeign, findings.neighbours.count < Self.mostNeighbours,
            !findings.neighbours.contains(device)
        else { return }
        findings.neighbours.append(device)
    }
}
