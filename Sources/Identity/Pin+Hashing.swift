import Crypto
package import WireProtocol

extension Pin {
    /// The pin of a public key given as DER-encoded SubjectPublicKeyInfo.
    package init(subjectPublicKeyInfo: some Sequence<UInt8>) {
        self.init(sha256: SHA256.hash(data: Array(subjectPublicKeyInfo)))
    }
}
