import Foundation
import Identity
package import PeerDiscovery
import RoomRecords
import SiteRecords
import WireProtocol

extension DoctorReport {
    /// Looks at this machine and its network, and says what would keep rooms from being found, joined or hosted.
    ///
    /// Takes 2 to 5 s, rarely 6. It asks by multicast DNS, and, where no room runs on this machine, announces one of
    /// its own for a second.
    ///
    /// - Parameters:
    ///   - seats: of the room that is to be hosted: 1 to 10,000.
    ///   - discovery: who is to announce and find rooms.
    ///   - state: the state folder; `nil` leaves it to the environment, as ``StateFolder`` does.
    package static func examine(
        seats: Int = 21, discovery: DiscoveryMode = .auto, state: String? = nil
    ) async -> DoctorReport {
        let interfaces = SystemInterface.all()
        var facts = DoctorFacts()
        facts.interfaces = interfaces.map(\.shown)
        let outward = PeerAddress.outward.map(\.bare)
        facts.outward = interfaces.first { $0.addresses.contains { outward.contains($0.bare) } }?.name
        // Before we open that port ourselves.
        facts.holders = PortHolder.others(at: 5_353)
        facts.firewall = .here
        facts.machine = .now(seats: seats, state: state)

        async let heard = MulticastTrials.run(interfaces)
        facts.discovery = discovery
        facts.coreProblem = DiscoverySupport.embeddedProblem
        facts.daemon = await daemon()
        let hosted = await OwnRoomTrial.hosted(state: state)
        facts.sites = hosted.compactMap { room in
            room.site.map {
                OwnSite(
                    room: printable(room.name), isConnected: $0.state == .connected, isSilent: $0.isSilent == true,
                    line: printable($0.line))
            }
        }
        facts.standstills = hosted.compactMap { room in
            room.standstill.map { "\"\(printable(room.name))\": \($0.words)." }
        }
        facts.certificates = hosted.compactMap { ShownCertificate($0) }
        facts.unheard = hosted.compactMap { room in
            let peers = room.peers.filter(\.lacksDatagrams)
            guard !peers.isEmpty else { return nil }
            return UnheardRoom(
                room: printable(room.name), port: UInt16(clamping: room.port),
                players: peers.map { "P\($0.player) \(printable($0.name))" })
        }
        // Where the daemon hangs, whatever else is asked of Avahi in this process would wait with it.
        if facts.backend != .none, !facts.daemon.hangs {
            let browser = RoomBrowser(discovery: discovery)
            facts.rooms = await OwnRoomTrial.run(browser, hosted, discovery: discovery)
            await browser.stop()
        }
        let findings = await heard
        facts.trials = findings.trials
        facts.neighbours = findings.neighbours.map(\.host)
        return DoctorReport(facts)
    }

    /// Waits until the daemon answers or is known to be missing, for at most 2 s.
    private static func daemon() async -> DoctorFacts.Daemon {
        var daemon = DoctorFacts.Daemon()
        let bus = SystemBus.look()
        daemon.busPath = bus.path
        daemon.hasBus = bus.error == 0
        daemon.isBusForbidden = bus.error == EACCES
        let browser = RoomBrowser(discovery: .daemon)
        let start = ContinuousClock.now
        var missingSince: ContinuousClock.Instant?
        while ContinuousClock.now - start < .seconds(2) {
            switch browser.snapshot().availability {
            case .running: daemon.answers = true
            case .unavailable(let reason):
                missingSince = missingSince ?? .now
                daemon.reason = reason.hasPrefix("avahi-daemon refuses") ? reason : nil
            case .starting: break
            }
            // One that is being started may still come.
            let isMissing = missingSince.map { ContinuousClock.now - $0 > .milliseconds(500) } ?? false
            if daemon.answers || isMissing {
                await browser.stop()
                return daemon
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        // Not stopped, but let go: to stop it would be to wait for the daemon.
        daemon.hangs = missingSince == nil
        return daemon
    }
}

extension ShownCertificate {
    /// - Returns: `nil` where the room has its own, which it makes anew by itself, or does not tell.
    init?(_ status: RoomStatus) {
        guard let certificate = status.certificate, certificate.isOperators else { return nil }
        let end = Date(timeIntervalSince1970: certificate.ends)
        self.init(
            room: printable(status.name), end: end.formatted(.iso8601.year().month().day()),
            secondsLeft: end.timeIntervalSinceNow)
    }
}
