import Crypto
import Foundation
import Identity
import NIOCore
package import NIOSSL
import SwiftASN1
import Synchronization
package import WireProtocol
import X509

/// Who a waiting controller is for as long as it waits: a key made at its start, and the certificate that shows it.
///
/// The pin is announced beside the controller's address, so that a host sees whether it speaks to the one that announced
/// itself. Nothing else hangs on the key: who the controller is for the room, the ticket and the secret say.
package struct WaitingIdentity: Sendable {
    package let pin: Pin
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
    package func configuration() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.asksCaller()
        return configuration
    }
}
