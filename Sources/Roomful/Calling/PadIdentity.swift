import Crypto
import Foundation
import NIOCore
import NIOSSL
import SwiftASN1
import Synchronization
import WireProtocol
import X509

/// Who a waiting controller is for as long as it waits: a key made at its start, and the certificate that shows it.
///
/// The pin is announced beside the controller's address, so that a host sees whether it speaks to the one that announced
/// itself. Nothing else hangs on the key: who the controller is for the room, the ticket and the secret say.
struct PadIdentity: Sendable {
    let pin: Pin
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey

    init() throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName("Roomful controller") }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: now - Validity.allowance, notValidAfter: now + Validity.server, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
            },
            issuerPrivateKey: key)
        pin = certificate.pin
        self.certificate = try NIOSSLCertificate(bytes: try certificate.serializeAsPEM().derBytes, format: .der)
        self.key = try NIOSSLPrivateKey(bytes: Array(try key.serializeAsPEM().pemString.utf8), format: .pem)
    }

    /// How a waiting controller speaks TLS: 1.3 only, and the caller shows its certificates too.
    func configuration() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.asksCaller()
        return configuration
    }
}

extension TLSConfiguration {
    /// The application protocol of calls (RFC 7301).
    static let callProtocol = "roomful-call"

    /// What both sides of a call have in common.
    mutating func asksCaller() {
        minimumTLSVersion = .tlsv13
        applicationProtocols = [Self.callProtocol]
        // The callback takes the place of every check, but is called only if there is one to replace.
        certificateVerification = .noHostnameVerification
        trustRoots = .certificates([])
        // Nobody who goes silent is waited for.
        shutdownTimeout = .milliseconds(200)
    }
}

/// Looks at the certificate that a waiting controller shows in one handshake.
final class PadHandshake: Sendable {
    private let expected: Pin?
    private let shown = Mutex<Pin?>(nil)
    private let isRoomsOwn = Mutex(false)

    /// - Parameter expected: what was announced; `nil` takes anyone.
    init(expecting expected: Pin?) { self.expected = expected }

    /// The pin that the controller showed, whether it is the expected one or not.
    var pin: Pin? { shown.withLock { $0 } }

    /// The other side shows a room's authority: it is a host's port.
    var isRoom: Bool { isRoomsOwn.withLock { $0 } }

    /// Nothing was shown yet, or what was expected.
    var isAsExpected: Bool { pin == nil || expected == nil || pin == expected }

    /// The callback for the handler. That the controller has the key, TLS itself proves.
    var verification: NIOSSLCustomVerificationCallback {
        { [self] chain, promise in
            guard let der = chain.first.flatMap({ try? $0.toDERBytes() }), let leaf = try? Certificate(derEncoded: der)
            else { return promise.succeed(.failed) }
            shown.withLock { $0 = leaf.pin }
            let others = chain.dropFirst().prefix(ChainVerifier.longestChain).compactMap { try? $0.toDERBytes() }
            if others.contains(where: { (try? Certificate(derEncoded: $0)).flatMap { RoomID(of: $0) } != nil }) {
                isRoomsOwn.withLock { $0 = true }
                return promise.succeed(.failed)
            }
            promise.succeed(expected == nil || expected == leaf.pin ? .certificateVerified : .failed)
        }
    }
}
