import Foundation
import PeerDiscovery
import WireProtocol

extension DoctorReport {
    /// Looks at this machine and its network, and says what would keep rooms from being found, joined or hosted.
    ///
    /// Takes about 3 s, at most 6. It asks by multicast DNS, and, where no room runs on this machine, announces one of
    /// its own for a second.
    ///
    /// - Parameters:
    ///   - seats: of the room that is to be hosted: 1 to 10,000.
    ///   - discovery: who is to announce and find rooms.
    ///   - state: the state folder; `nil` leaves it to the environment, as ``StateFolder`` does.
    public static func examine(
        seats: Int = 21, discovery: RoomOptions.Discovery = .auto, state: String? = nil
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
        let browser = RoomBrowser(discovery: discovery.mode)
        facts.discovery = discovery
        facts.coreProblem = DiscoverySupport.embeddedProblem
        facts.daemon = await daemon()
        if facts.backend != .none {
            facts.rooms = await OwnRoomTrial.run(browser, discovery: discovery, state: state)
        }
        await browser.stop()
        let findings = await heard
        facts.trials = findings.trials
        facts.neighbours = findings.neighbours.map(\.host)
        return DoctorReport(facts)
    }

    /// Waits until the daemon answers or is known to be missing, for at most 1.5 s.
    private static func daemon() async -> DoctorFacts.Daemon {
        let browser = RoomBrowser(discovery: .daemon)
        let daemon = await daemon(browser)
        await browser.stop()
        return daemon
    }

    private static func daemon(_ browser: RoomBrowser) async -> DoctorFacts.Daemon {
        var isMissing = false
        var daemon = DoctorFacts.Daemon()
        (daemon.busPath, daemon.hasBus) = SystemBus.look()
        let end = ContinuousClock.now + .milliseconds(1_500)
        // Once it is said to be missing, one that is being started may still come within half a second.
        while ContinuousClock.now < (isMissing ? end - .seconds(1) : end) {
            switch browser.snapshot().availability {
            case .running:
                daemon.answers = true
                return daemon
            case .unavailable(let reason):
                isMissing = true
                daemon.reason = reason.hasPrefix("avahi-daemon refuses") ? reason : nil
            case .starting: break
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return daemon
    }
}
