package import Foundation
package import NIOSSL
import Synchronization
package import WireProtocol
import X509

/// What the room's port shows to whoever connects: the room's own certificate, or the operator's as it is now.
///
/// Ask for ``context`` at each new connection. The operator's files are read again when they change, and a connection
/// that is open keeps what it began with: a renewal drops nobody. With a certificate of the operator's own the chain also
/// holds a *voucher*, a certificate by the room's authority for the same key, and the authority itself. Browsers pass
/// over both (RFC 8446, 4.4.2); native controllers find the room's pin there, unchanged by any renewal.
package final class TLSSource: Sendable {
    /// What became of files that had changed, or of a certificate that would not do any more.
    package enum Change: Hashable, Sendable {
        /// New connections see the new certificate, which ends then.
        case reloaded(ends: Date)
        /// The room has signed itself another certificate for this reason; it ends then.
        case renewed(String, ends: Date)
        /// The new files cannot be used, for this reason: the old certificate stays.
        case kept(String)
        /// The room's own certificate will not do any more, and another could not be made, for this reason.
        case notRenewed(String)
        /// One of the room's own certificates begins later by this machine's clock, which may itself be wrong: it stays
        /// until that has had its time to be set.
        case waits
        /// The operator's certificate ends soon: then.
        case late(ends: Date)
        /// Browsers call the operator's certificate out of its time, for this reason. It is shown all the same.
        case untimely(String)
    }

    /// How long before its end an operator's certificate is called late, once each.
    private static let late: [TimeInterval] = [14 * 86_400, 3 * 86_400]
    /// Whoever sets the clock of a machine after its boot has done so by then.
    package static let clockTrial: Duration = .seconds(86_400)

    private struct Shown {
        var authority: RoomAuthority
        var context: NIOSSLContext
        var names: BorneNames
        var ends: Date
        var stamp: FileStamps?
        /// When what the files hold begins, where that is why it is not shown: they are read again then.
        var laterBegins: Date?
        /// The operator's.
        var own: OwnCertificate?
        /// How much of its end was told.
        var toldStage = 0
        /// Why the last attempt to renew it failed: told once.
        var problem: String?
        /// Whether it was told that it begins later.
        var isWaitTold = false
    }

    private let files: CertificateFiles?
    private let shown: Mutex<Shown>
    /// Held by whoever has the certificate made anew.
    private let renewing = Mutex<Void>(())

    /// - Throws: ``IdentityError`` with `badCertificate` if the operator's files cannot be used.
    package init(authority: RoomAuthority, files: CertificateFiles? = nil, now: Date = Date()) throws {
        self.files = files
        shown = Mutex(try TLSSource.load(authority, files, now: now))
    }

    /// For one new connection.
    package var context: NIOSSLContext { shown.withLock { $0.context } }

    /// When the certificate that is shown now ends.
    package var ends: Date { shown.withLock { $0.ends } }

    /// Whether the certificate that is shown now is for this DNS name or address (without port and brackets).
    package func bears(_ host: String) -> Bool { shown.withLock { $0.names.hold(host) } }

    /// Reads the operator's files again if they are not those of last time.
    func reloadIfChanged(now: Date = Date()) -> Change? {
        guard let files else { return nil }
        let stamp = FileStamps(files)
        guard shown.withLock({ $0.stamp != stamp || $0.laterBegins.map { $0 <= now } ?? false }) else { return nil }
        var laterBegins: Date?
        do {
            let (authority, old) = shown.withLock { ($0.authority, $0.own) }
            let loaded = try TLSSource.load(authority, files, now: now)
            if let own = loaded.own, let problem = own.whyUntimely(at: now), old?.whyUntimely(at: now) == nil {
                if own.begins > now { laterBegins = own.begins }
                throw IdentityError.badCertificate(problem)
            }
            shown.withLock { $0 = loaded }
            return .reloaded(ends: loaded.ends)
        } catch {
            // Told once: the next attempt is made when the files change again, or what they hold begins.
            shown.withLock { ($0.stamp, $0.laterBegins) = (stamp, laterBegins) }
            return .kept("\(error)")
        }
    }

    /// Has the room sign itself another certificate where its own will not do any more. An operator's is for its
    /// operator to renew.
    ///
    /// - Parameters:
    ///   - addresses: those that people are sent to, the one that a link names first. It alone is a reason; the others
    ///     are taken in with it.
    ///   - isClockSure: the clock is kept right, or has had its time to be set.
    package func renewIfDue(
        for addresses: [PeerAddress] = [], now: Date = Date(), isClockSure: Bool = false
    ) -> Change? {
        guard files == nil else { return nil }
        return renewing.withLock { _ in renewOwn(for: addresses, now: now, isClockSure: isClockSure) }
    }

    private func renewOwn(for addresses: [PeerAddress], now: Date, isClockSure: Bool) -> Change? {
        let authority = shown.withLock { $0.authority }
        guard let reason = authority.whyRenew(for: addresses, now: now, isClockSure: isClockSure) else {
            return authority.begins(after: now) ? tellWait() : nil
        }
        do {
            let renewed = try authority.renewed(for: addresses, now: now, isClockSure: isClockSure)
            let loaded = try TLSSource.load(renewed, nil, now: now)
            shown.withLock { $0 = loaded }
            return .renewed(reason, ends: loaded.ends)
        } catch {
            let problem = "\(error)"
            return shown.withLock { shown -> Change? in
                defer { shown.problem = problem }
                return shown.problem == problem ? nil : .notRenewed(problem)
            }
        }
    }

    private func tellWait() -> Change? {
        shown.withLock { shown -> Change? in
            defer { shown.isWaitTold = true }
            return shown.isWaitTold ? nil : .waits
        }
    }

    /// Says when an operator's certificate is about to end, or is out of its time: each stage once.
    package func lookAtTime(now: Date = Date()) -> Change? {
        shown.withLock { shown -> Change? in
            guard let own = shown.own else { return nil }
            let problem = own.whyUntimely(at: now)
            let stages = TLSSource.late
            let stage = problem == nil ? stages.count { now + $0 > shown.ends } : stages.count + 1
            defer { shown.toldStage = stage }
            guard stage > shown.toldStage else { return nil }
            return problem.map(Change.untimely) ?? Change.late(ends: shown.ends)
        }
    }

    /// Looks after the certificate until the task is cancelled.
    ///
    /// - Parameter isSynchronised: whether a time service keeps this machine's clock right.
    package func keepCurrent(
        every interval: Duration = .seconds(30), isSynchronised: () -> Bool, _ note: (Change) -> Void
    ) async {
        let begun = ContinuousClock.now
        while (try? await Task.sleep(for: interval)) != nil {
            let isClockSure = isSynchronised() || ContinuousClock.now - begun >= TLSSource.clockTrial
            if let change = reloadIfChanged() ?? renewIfDue(isClockSure: isClockSure) ?? lookAtTime() { note(change) }
        }
    }

    private static func load(_ authority: RoomAuthority, _ files: CertificateFiles?, now: Date) throws -> Shown {
        guard let files else {
            return Shown(
                authority: authority, context: try NIOSSLContext(configuration: authority.serverConfiguration()),
                names: BorneNames(authority.server), ends: authority.serverExpires)
        }
        let stamp = FileStamps(files)
        let own = try OwnCertificate(files)
        do {
            return Shown(
                authority: authority,
                context: try NIOSSLContext(configuration: authority.serverConfiguration(showing: own, now: now)),
                names: BorneNames(own.leaf), ends: own.ends, stamp: stamp, own: own)
        } catch {
            throw IdentityError.badCertificate("\(files.certificate) and \(files.key) cannot be used for TLS: \(error)")
        }
    }
}
