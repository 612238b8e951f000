package import Foundation
import NIOCore
package import NIOSSL
package import PrivateFiles
import SwiftASN1
package import WireProtocol
import X509

/// What makes a room the same room tomorrow: its id, and the authority that vouches for its host.
///
/// Two levels, as one certificate cannot be both on iOS: the authority's key never changes and is what controllers
/// pin; the server's certificate follows the machine's addresses. Each lies in the room's folder in one file with its
/// key, 0600: `authority.pem`, whose subject bears the room's id, and `server.pem`.
package struct RoomAuthority: Sendable {
    /// What was found in the folder.
    package enum Finding: Hashable, Sendable {
        /// No authority: the room is new.
        case created
        /// The authority, but no server's certificate that will do: a new one was issued, for this reason.
        case serverReissued(String)
        /// Everything: phones see the same certificate as before.
        case loaded
    }

    package let roomID: RoomID
    /// The fingerprint of the authority.
    package let pin: Pin
    package let finding: Finding
    /// When the server's certificate ends; opening within 30 days of it issues a new one, by a clock that is sure.
    let serverExpires: Date
    /// The server's certificate and the authority's, in DER.
    package let chain: [[UInt8]]
    private let folder: PrivateFolder
    private let pair: PEMPair
    /// The certificate that the room issued for this machine.
    let server: Certificate
    private let serverKey: String

    /// Opens the authority of the room in `folder`; makes what is missing.
    ///
    /// The server's certificate is issued anew only if it does not bear the address that a link names, the first of
    /// `names` that others reach, or if it ends within a day of `now`; where the clock is sure, also if it does within
    /// 30, or if `now` lies before its beginning. It keeps what it bore, and all of `names` is taken in.
    ///
    /// - Throws: ``StorageError`` if the disk refuses or a key is open to others; ``IdentityError`` with
    ///   `brokenAuthority` if the authority cannot be understood: one that exists is never replaced.
    package init(
        folder: PrivateFolder, names: ServerNames, now: Date = Date(), isClockSure: Bool = false
    ) throws {
        try self.init(
            folder: folder, names: names, link: names.reachable.first, now: now, isClockSure: isClockSure)
    }

    private init(
        folder: PrivateFolder, names: ServerNames, link: PeerAddress?, now: Date, isClockSure: Bool
    ) throws {
        let found = try AuthorityFiles(
            folder: folder, names: names, link: link, now: now, isClockSure: isClockSure)
        self.folder = folder
        roomID = found.roomID
        pin = found.authority.certificate.pin
        finding = found.finding
        pair = found.authority
        server = found.server.certificate
        serverExpires = found.server.certificate.notValidAfter
        chain = try [found.server, found.authority].map { try $0.certificate.serializeAsPEM().derBytes }
        serverKey = try found.server.key.serializeAsPEM().pemString
    }

    /// Why the room's certificates will not do any more, in words for the log; `nil` while they do.
    ///
    /// - Parameter addresses: those that people are sent to, the one that a link names first.
    func whyRenew(for addresses: [PeerAddress], now: Date, isClockSure: Bool) -> String? {
        server.whyReplace(for: addresses.first)
            ?? server.whyReplace(at: now, margin: Validity.renewal, isClockSure: isClockSure)
            ?? pair.certificate.whyReplace(at: now, margin: Validity.server, isClockSure: isClockSure)
    }

    /// Whether one of the room's certificates begins only after this time.
    func begins(after now: Date) -> Bool {
        server.notValidBefore > now || pair.certificate.notValidBefore > now
    }

    /// The same room's, with other certificates where these will not do any more. An authority that is gone from the
    /// folder is written back.
    ///
    /// - Throws: as opening it does; where the folder holds another room's authority, too.
    func renewed(for addresses: [PeerAddress], now: Date, isClockSure: Bool) throws -> RoomAuthority {
        let names = server.serverNames.adding(ServerNames(dnsNames: [], addresses: addresses))
        try AuthorityFiles.restore(pair, in: folder)
        return try RoomAuthority(
            folder: folder, names: names, link: addresses.first, now: now, isClockSure: isClockSure)
    }

    /// How the host speaks TLS: 1.2 and 1.3 with forward secrecy, HTTP/1.1, the whole chain sent.
    func serverConfiguration() throws -> TLSConfiguration {
        try RoomAuthority.configuration(chain: chain, key: serverKey)
    }

    /// The same with an operator's own certificate: its chain, then this authority's voucher for the same key, then the
    /// authority, so that the pin is what it was.
    func serverConfiguration(showing own: OwnCertificate, now: Date) throws -> TLSConfiguration {
        let voucher = try Certificate.server(
            own.leaf.publicKey, names: own.leaf.serverNames, signedBy: pair, now: now)
        let shown = own.chain + [try voucher.serializeAsPEM().derBytes, chain[1]]
        return try RoomAuthority.configuration(chain: shown, key: own.key)
    }

    /// How the host shows who it is to a controller that it calls.
    package func callConfiguration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(serverKey.utf8), format: .pem))
        configuration.asksCaller()
        return configuration
    }

    private static func configuration(chain: [[UInt8]], key: String) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = forwardSecretCiphers
        configuration.applicationProtocols = ["http/1.1"]
        // Whoever does not answer the end of a connection is not waited for: a room that closes would be held up.
        configuration.shutdownTimeout = .milliseconds(500)
        return configuration
    }
}

/// Of TLS 1.2 only what has forward secrecy and authenticated encryption (RFC 9325, 4.2); 1.3 has nothing else.
private let forwardSecretCiphers: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    // Ours are ECDSA; an operator's own key may be RSA.
    .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
]
