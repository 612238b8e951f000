import SwiftASN1
import X509

/// A certificate with its private key, as they lie in one file of ours: so neither is ever there without the other.
struct PEMPair: Sendable {
    let certificate: Certificate
    let key: Certificate.PrivateKey

    init(certificate: Certificate, key: Certificate.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads a file's content; throws if it is no pair, or if key and certificate do not belong together.
    init(pem: [UInt8]) throws {
        var certificate: Certificate?
        var key: Certificate.PrivateKey?
        for document in try PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self)) {
            if document.discriminator == Certificate.defaultPEMDiscriminator {
                certificate = try Certificate(pemDocument: document)
            } else {
                key = try Certificate.PrivateKey(pemDocument: document)
            }
        }
        guard let certificate, let key, certificate.publicKey == key.publicKey else { throw Unpaired() }
        self.init(certificate: certificate, key: key)
    }

    /// The file's content: first the key, then the certificate.
    func pem() throws -> [UInt8] {
        Array((try key.serializeAsPEM().pemString + "\n" + certificate.serializeAsPEM().pemString + "\n").utf8)
    }

    /// The file holds no certificate, no key, or two that do not belong together.
    private struct Unpaired: Error {}
}
