/// Where an operator's own certificate lies, and its key: `host --cert FILE --key FILE`.
public struct CertificateFiles: Hashable, Sendable {
    /// PEM: the host's certificate first, then those of the authorities between it and the one that browsers know.
    public var certificate: String
    /// PEM: the private key of the first certificate, without a passphrase.
    public var key: String

    /// - Parameters:
    ///   - certificate: the path of the chain in PEM, the server's own certificate first.
    ///   - key: the path of its private key in PEM.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads them as they are now.
    ///
    /// - Throws: ``IdentityError`` with `badCertificate` where no room could show them, or no broker.
    package func check() throws(IdentityError) { _ = try OwnCertificate(self) }
}
