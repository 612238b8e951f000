import Foundation
import Identity
import WireProtocol

extension PhoneReport {
    /// What can be shown while a phone is waited for.
    package enum Progress: Hashable, Sendable {
        /// Listening at this address; others of this machine lead there, too.
        case open(url: String, others: [String])
        /// So much longer, and so many devices so far.
        case waiting(left: Duration, tcp: Int, udp: Int)
    }

    /// How often datagrams are looked at.
    private static let turn: Duration = .milliseconds(50)
    /// How long the page may still ask how it stands, once all is known.
    private static let farewell: Duration = .milliseconds(1_200)

    /// Opens a port, TCP and UDP, and waits until another device has come by both, or the time has passed.
    ///
    /// - Parameters:
    ///   - port: 0 takes any that is free.
    ///   - told: called before the wait, and ten times a second during it.
    /// - Throws: ``RoomError`` when the port cannot be had, or this machine is in no network.
    package static func wait(
        for time: Duration, port: UInt16 = 0, told: @Sendable (Progress) -> Void
    ) async throws -> PhoneReport {
        let addresses = ServerNames.current().reachable
        guard let best = addresses.first else {
            throw RoomError(
                .network,
                "this machine is in no network, or has no address there that a phone can open: join a Wi-Fi or plug in "
                    + "a cable")
        }
        let start = ContinuousClock.now
        let server = try await PhoneTrialServer.open(port: port, until: start + time)
        func url(_ address: PeerAddress) -> String {
            "http://\(PeerAddress(high: address.high, low: address.low, port: server.port))/"
        }
        told(.open(url: url(best), others: addresses.dropFirst().prefix(4).map(url)))
        var turns = 0
        while ContinuousClock.now < start + time, !Task.isCancelled, server.trial.byBoth == nil {
            server.collect()
            let trial = server.trial
            if turns.isMultiple(of: 2) {
                let left = start + time - .now
                told(.waiting(left: max(.zero, left), tcp: trial.byTCP.count, udp: trial.byUDP.count))
            }
            turns += 1
            try? await Task.sleep(for: turn)
        }
        server.collect()
        let (trial, waited) = (server.trial, ContinuousClock.now - start)
        // The page asks twice a second, and shows what it hears in large letters.
        if !trial.byTCP.isEmpty { try? await Task.sleep(for: farewell) }
        await server.shutDown()
        try Task.checkCancellation()
        return PhoneReport(trial, url: url(best), port: server.port, waited: waited, firewall: .here)
    }
}
