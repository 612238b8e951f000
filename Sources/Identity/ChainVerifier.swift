import Foundation
import SwiftASN1
package import WireProtocol
@_spi(DisableValidityCheck) import X509

/// Tells which room's authority really stands behind the certificates that a host shows.
///
/// The chain proves itself: the authority is the one in it that signed the host's certificate, or a *voucher*, another
/// certificate for the same key, which is how a room stands behind a certificate that its operator brought. Its pin is
/// then compared with what the controller knows. Neither names nor addresses nor dates are checked: a host is reached
/// under many, and a phone's clock may be years off. TLS itself proves that the host has its certificate's key.
package struct ChainVerifier: Sendable {
    /// More certificates than this are not looked at: a host shows two, or its operator's few and two.
    package static let longestChain = 8

    package init() {}

    /// The pin, and the room that the authority says to be.
    package struct Finding: Hashable, Sendable {
        package let pin: Pin
        /// `nil` if the authority is not one that Roomful made.
        package let roomID: RoomID?
    }

    /// - Parameter chain: DER, the host's own certificate first.
    func verify(_ chain: [[UInt8]]) async throws(IdentityError) -> Finding {
        guard (1...ChainVerifier.longestChain).contains(chain.count) else {
            throw IdentityError(.malformedChain, "the host shows \(plural(chain.count, "certificate")) instead of two")
        }
        var certificates: [Certificate] = []
        for der in chain {
            guard let certificate = try? Certificate(derEncoded: der) else {
                throw IdentityError(.malformedChain, "the host shows a certificate that cannot be understood")
            }
            certificates.append(certificate)
        }
        let key = certificates[0].publicKey
        let vouching = certificates.filter { $0.publicKey == key && $0.isForServers }
        guard !vouching.isEmpty else {
            throw IdentityError(.notForServers, "the host's certificate is not meant for a server")
        }
        let authorities = certificates.dropFirst().filter(\.isAuthority)
        guard !authorities.isEmpty else {
            throw IdentityError(.noAuthority, "the host shows no authority that vouches for it")
        }
        // A room's authority goes before those of the world, which may be in the chain too.
        let rooms = authorities.filter { RoomID(of: $0) != nil }
        for authority in rooms + authorities.filter({ RoomID(of: $0) == nil }) {
            for leaf in vouching where await ChainVerifier.hasSigned(authority, leaf) {
                return Finding(pin: authority.pin, roomID: RoomID(of: authority))
            }
        }
        throw IdentityError(.notSigned, "the host's certificate is not signed by the authority that it shows")
    }

    private static func hasSigned(_ authority: Certificate, _ leaf: Certificate) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([authority])) {
            RFC5280Policy.withValidityCheckDisabled()
        }
        let verdict = await verifier.validate(leaf: leaf, intermediates: CertificateStore())
        if case .validCertificate = verdict { return true }
        return false
    }
}

extension Certificate {
    /// An end entity's, for TLS servers.
    fileprivate var isForServers: Bool {
        guard let usages = try? extensions.extendedKeyUsage, usages.contains(.serverAuth) else { return false }
        return !isAuthority
    }

    /// May sign certificates (RFC 5280, 4.2.1.3 and 4.2.1.9); one without these extensions may not.
    fileprivate var isAuthority: Bool {
        guard case .isCertificateAuthority = try? extensions.basicConstraints,
            let usage = try? extensions.keyUsage
        else { return false }
        return usage.keyCertSign
    }
}
