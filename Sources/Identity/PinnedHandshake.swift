import NIOCore
package import NIOSSL
import Synchronization
package import WireProtocol

/// Checks a host's identity during one TLS handshake of a native controller, and remembers what it was.
///
/// Give ``configuration()`` and ``verification`` to a `NIOSSLClientHandler`; make a new one for each connection.
/// A host that is refused never gets a byte of ours beyond the handshake, and ``outcome`` says why.
package final class PinnedHandshake: Sendable {
    private let decide: @Sendable (ChainVerifier.Finding) -> IdentityError?
    private let result = Mutex<Result<ChainVerifier.Finding, IdentityError>?>(nil)

    /// - Parameter decide: Whether a host that has proven to be this one may be talked to; an error says no.
    package init(_ decide: @escaping @Sendable (ChainVerifier.Finding) -> IdentityError?) { self.decide = decide }

    /// Accepts the host with this pin only.
    package convenience init(expecting pin: Pin) {
        self.init { finding in
            finding.pin == pin ? nil : .pinMismatch(expected: pin, presented: finding.pin)
        }
    }

    /// Accepts any host that proves some identity, so that a person can be asked. Nothing secret may be sent before.
    package static func asking() -> PinnedHandshake { PinnedHandshake { _ in nil } }

    /// Who the host is, or why it was refused; `nil` until it showed its certificates.
    package var outcome: Result<ChainVerifier.Finding, IdentityError>? { result.withLock { $0 } }

    /// How a native controller speaks TLS: 1.3 only, HTTP/1.1.
    package static func configuration() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = ["http/1.1"]
        // The callback takes the place of every check, but is called only if there is one to replace.
        configuration.certificateVerification = .noHostnameVerification
        // No authority of the machine's own has a say.
        configuration.trustRoots = .certificates([])
        return configuration
    }

    /// The callback for the handler.
    package var verification: NIOSSLCustomVerificationCallback {
        { chain, promise in
            // Certificates are read on the event loop; only the signatures are checked beside it.
            let der = chain.map { (try? $0.toDERBytes()) ?? [] }
            promise.completeWithTask { await self.judge(der) }
        }
    }

    private func judge(_ chain: [[UInt8]]) async -> NIOSSLVerificationResult {
        let judged: Result<ChainVerifier.Finding, IdentityError>
        do throws(IdentityError) {
            let finding = try await ChainVerifier().verify(chain)
            judged = decide(finding).map { .failure($0) } ?? .success(finding)
        } catch {
            judged = .failure(error)
        }
        result.withLock { $0 = judged }
        guard case .success = judged else { return .failed }
        return .certificateVerified
    }
}

extension IdentityError {
    package static func pinMismatch(expected: Pin, presented: Pin) -> IdentityError {
        IdentityError(
            .pinMismatch,
            "the host is not the one that was expected: its fingerprint is \(presented.short), not \(expected.short)")
    }
}
