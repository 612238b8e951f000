import Foundation
import PrivateFiles
import SwiftASN1
import WireProtocol
import X509

/// An operator's own certificate with its chain and key, read from files and found fit to be shown.
///
/// Whether browsers trust it is for them to say; here is checked what would fail for all of them. Its time is told, and
/// keeps no room from opening: native controllers go by the pin alone.
struct OwnCertificate: Sendable {
    /// As many as are shown, so that with the room's own two a controller still looks at them all.
    static let longestChain = ChainVerifier.longestChain - 2
    private static let longestFile = 1 << 18

    let leaf: Certificate
    private let certificates: [Certificate]
    /// The file that holds them.
    private let path: String
    /// DER, the leaf first.
    let chain: [[UInt8]]
    /// PEM.
    let key: String

    /// - Throws: ``IdentityError`` with `badCertificate`, naming the file and what to do.
    init(_ files: CertificateFiles) throws(IdentityError) {
        let documents = try OwnCertificate.documents(files.certificate, option: "--cert")
            .filter { $0.discriminator == Certificate.defaultPEMDiscriminator }
        guard !documents.isEmpty else {
            throw .badCertificate("\(files.certificate) holds no certificate in PEM (BEGIN CERTIFICATE)")
        }
        guard documents.count <= OwnCertificate.longestChain else {
            throw .badCertificate(
                "\(files.certificate) holds \(documents.count) certificates, and at most "
                    + "\(OwnCertificate.longestChain) make a chain; leave out those that do not belong to it")
        }
        var certificates: [Certificate] = []
        for document in documents {
            guard let certificate = try? Certificate(pemDocument: document) else {
                throw .badCertificate(
                    "certificate \(certificates.count + 1) of \(files.certificate) cannot be understood")
            }
            certificates.append(certificate)
        }
        leaf = certificates[0]
        self.certificates = certificates
        path = files.certificate
        chain = documents.map(\.derBytes)
        let key = try OwnCertificate.key(files.key)
        self.key = key.pem
        guard leaf.publicKey == key.value.publicKey else {
            throw .badCertificate(
                certificates.contains { $0.publicKey == key.value.publicKey }
                    ? "the first certificate of \(path) must be the host's own, and its authorities after it"
                    : "the key in \(files.key) is not that of the certificate in \(path)")
        }
    }

    /// When the first of its chain ends: browsers look at them all.
    var ends: Date { certificates.map(\.notValidAfter).min() ?? leaf.notValidAfter }

    /// When the last of its chain begins.
    var begins: Date { certificates.map(\.notValidBefore).max() ?? leaf.notValidBefore }

    /// Why browsers will call it out of its time, and what to do; `nil` while it is in it.
    func whyUntimely(at now: Date) -> String? {
        for (index, certificate) in certificates.enumerated() {
            let which = index == 0 ? "the certificate in" : "certificate \(index + 1) of"
            if certificate.notValidAfter <= now {
                return "\(which) \(path) has expired, on \(Self.day(certificate.notValidAfter)); renew it"
            }
            if certificate.notValidBefore > now {
                return "\(which) \(path) is not valid before \(Self.day(certificate.notValidBefore)); "
                    + "is this machine's clock right?"
            }
        }
        return nil
    }

    private static func key(_ path: String) throws(IdentityError) -> (value: Certificate.PrivateKey, pem: String) {
        let text = try text(path, option: "--key", isSecret: true)
        // PKCS #8 (RFC 7468, 11) says so by its label, OpenSSL's older form in a header (RFC 1421, 4.6.1.1).
        if text.contains("ENCRYPTED") {
            throw .badCertificate(
                "the key in \(path) is encrypted, and a room opens without anyone to ask; "
                    + "decrypt it with: openssl pkey -in \(shellWord(path)) -out plain-key.pem")
        }
        let documents = (try? PEMDocument.parseMultiple(pemString: text)) ?? []
        guard let document = documents.first(where: { $0.discriminator.hasSuffix("PRIVATE KEY") }) else {
            throw .badCertificate("\(path) holds no private key in PEM (BEGIN PRIVATE KEY)")
        }
        guard let key = try? Certificate.PrivateKey(pemDocument: document) else {
            throw .badCertificate("the key in \(path) cannot be understood; use RSA, or ECDSA on P-256, P-384 or P-521")
        }
        return (key, document.pemString)
    }

    private static func documents(_ path: String, option: String) throws(IdentityError) -> [PEMDocument] {
        let text = try text(path, option: option)
        do {
            return try PEMDocument.parseMultiple(pemString: text)
        } catch {
            throw .badCertificate(
                "\(path) is not PEM; convert it with: openssl x509 -inform DER -in \(shellWord(path)) -out cert.pem")
        }
    }

    private static func text(
        _ path: String, option: String, isSecret: Bool = false
    ) throws(IdentityError) -> String {
        do throws(StorageError) {
            let file = try openHandedIn(path)
            let isOpenToOthers = try file.facts(path: path).permissions & 0o007 != 0
            guard !isSecret || !isOpenToOthers else {
                throw StorageError(
                    .openToOthers, path: path,
                    "\(path) holds a secret, but every user of this machine may open it; run: chmod o= \(shellWord(path))"
                )
            }
            guard let text = String(validating: try file.readAll(limit: longestFile, path: path), as: UTF8.self) else {
                throw StorageError(.wrongKind, path: path, "\(path) is not PEM")
            }
            return text
        } catch {
            throw .badCertificate("\(option): \(error)")
        }
    }

    private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}

extension IdentityError {
    static func badCertificate(_ reason: String) -> IdentityError { IdentityError(.badCertificate, reason) }
}
