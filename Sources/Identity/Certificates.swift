import Crypto
package import Foundation
import SwiftASN1
package import WireProtocol
import X509

/// How long the certificates that a room issues are valid.
package enum Validity {
    /// An authority lasts ten years; its certificate is issued anew with the same key, and so the same pin.
    package static let authority: TimeInterval = 3650 * day
    /// iOS refuses server certificates of more than 398 days (Apple, HT211025), or 825 days where the authority was
    /// installed by hand (HT210176).
    package static let server: TimeInterval = 397 * day
    /// It begins a day early, for phones whose clock is behind.
    package static let allowance: TimeInterval = day
    /// A certificate this close to its end is issued anew.
    static let renewal: TimeInterval = 30 * day
    /// The same by a clock of which nobody knows whether it is right.
    static let lastDay: TimeInterval = day

    private static let day: TimeInterval = 86_400
}

extension Certificate {
    /// The authority of a room, signed by itself.
    static func authority(of room: RoomID, key: PrivateKey, now: Date) throws -> Certificate {
        let name = try DistinguishedName { CommonName(room.authorityName) }
        let start = now - Validity.allowance
        let keyIdentifier = SubjectKeyIdentifier(hash: key.publicKey)
        return try Certificate(
            version: .v3, serialNumber: SerialNumber(), publicKey: key.publicKey,
            notValidBefore: start, notValidAfter: start + Validity.authority, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                keyIdentifier
                AuthorityKeyIdentifier(keyIdentifier: keyIdentifier.keyIdentifier)
            },
            issuerPrivateKey: key)
    }

    /// A server's certificate for `names`, signed by `authority`.
    static func server(
        _ key: PublicKey, names: ServerNames, signedBy authority: PEMPair, now: Date
    ) throws -> Certificate {
        let start = now - Validity.allowance
        let authorityKey = SubjectKeyIdentifier(hash: authority.key.publicKey)
        let alternatives =
            names.dnsNames.map { GeneralName.dnsName($0) }
            + names.addresses.map { GeneralName.ipAddress(ASN1OctetString(contentBytes: $0.networkBytes[...])) }
        return try Certificate(
            version: .v3, serialNumber: SerialNumber(), publicKey: key,
            notValidBefore: start, notValidAfter: start + Validity.server,
            issuer: authority.certificate.subject, subject: try DistinguishedName { CommonName("Roomful host") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                if !alternatives.isEmpty { SubjectAlternativeNames(alternatives) }
                SubjectKeyIdentifier(hash: key)
                AuthorityKeyIdentifier(keyIdentifier: authorityKey.keyIdentifier)
            },
            issuerPrivateKey: authority.key)
    }

    /// The pin that this certificate gives if it is an authority's.
    package var pin: Pin { Pin(subjectPublicKeyInfo: publicKey.derEncoded) }

    /// The names and addresses that the certificate is for, as far as they are of our kinds.
    var serverNames: ServerNames {
        var dnsNames: [String] = []
        var addresses: [PeerAddress] = []
        for name in (try? extensions.subjectAlternativeNames) ?? SubjectAlternativeNames() {
            switch name {
            case .dnsName(let name): dnsNames.append(name)
            case .ipAddress(let octets): addresses += PeerAddress(networkBytes: octets.bytes).map { [$0] } ?? []
            default: continue
            }
        }
        return ServerNames(dnsNames: dnsNames, addresses: addresses)
    }

    /// Why a server's certificate will not do where people are sent to `link`; `nil` if it will. Without the machine's
    /// other names and addresses it does, as each new one is a new warning on every phone.
    func whyReplace(for link: PeerAddress?) -> String? {
        guard let link, !serverNames.covers(link) else { return nil }
        return "the machine has a new address"
    }

    /// Why a certificate that the room signed will not do any more, in words for the log; `nil` while it does.
    ///
    /// One that begins later shows that the clock was ahead then, or is behind now, as after a boot without a battery
    /// for it. As long as nobody knows, it stays: what a clock that is behind signs has expired once that is right. One
    /// that ends soon may be what a clock shows that is ahead for a moment: as long as nobody knows, its last day is
    /// waited for.
    ///
    /// - Parameters:
    ///   - margin: how long it is to be valid for, in seconds.
    ///   - isClockSure: the clock is kept right, or has had its time to be set.
    func whyReplace(at now: Date, margin: TimeInterval, isClockSure: Bool) -> String? {
        if now + (isClockSure ? margin : Validity.lastDay) >= notValidAfter { return "it ends soon" }
        return isClockSure && notValidBefore > now ? "it begins later" : nil
    }
}

extension Certificate.PublicKey {
    /// The SubjectPublicKeyInfo in DER (RFC 5280, 4.1).
    var derEncoded: [UInt8] {
        var serializer = DER.Serializer()
        do { try serializer.serialize(self) } catch {
            preconditionFailure("a public key that was parsed or made can be written: \(error)")
        }
        return serializer.serializedBytes
    }
}

extension PeerAddress {
    /// 4 bytes for IPv4, 16 for IPv6, as certificates bear them (RFC 5280, 4.2.1.6).
    fileprivate var networkBytes: [UInt8] {
        if let ipv4 { return withUnsafeBytes(of: ipv4.bigEndian) { Array($0) } }
        return withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    fileprivate init?(networkBytes bytes: ArraySlice<UInt8>) {
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(ipv4: UInt32(number(bytes)), port: 0)
        case 16: self.init(high: number(bytes.prefix(8)), low: number(bytes.suffix(8)), port: 0)
        default: return nil
        }
    }
}
