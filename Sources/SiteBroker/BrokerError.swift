import CNATS
import SiteRecords

/// Why a broker does not do what is asked: one line that says what to do next.
package struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The machine lacks the library.
        case noLibrary
        /// Nobody answers there, or what answers is no NATS server.
        case unreachable
        /// User, password, token or credentials are not taken.
        case credentials
        /// Its certificate is not believed, or only one of both wants TLS.
        case encryption
        /// The user may not do this.
        case notAllowed
        /// No answer came in time.
        case timedOut
        /// The connection has ended.
        case closed
        /// Nobody hears the subject.
        case nobodyHears
        /// JetStream is off.
        case noJetStream
        /// JetStream has promised to others what it may keep (its error 10047).
        case noStorage
        case noStream
        case noRecord
        /// Somebody else appended meanwhile (JetStream's error 10071).
        case notLast
        /// Whatever else JetStream refuses, in its words.
        case refused
    }

    package var code: Code
    package var message: String
    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension BrokerError {
    /// Whether it says something else than the last one: of several brokers each is named in its turn.
    package func isNews(after last: BrokerError?) -> Bool {
        code != last?.code || code == .refused && message != last?.message
    }

    /// Why no connection came about.
    init(connecting status: Int32, words: String, to place: BrokerPlace) {
        let there = place.address.description
        switch Int(status) {
        case nats_authentication_failed:
            self.init(
                .credentials,
                place.hasCredentials
                    ? "\(there) does not take these credentials: ask for the site's file for this role"
                    : "\(there) wants credentials: give the site's file for this role with --site-credentials")
        // The library turns to TLS by itself where the broker wants it.
        case nats_secure_connection_required where !place.address.isSecure,
            nats_tls_error where !place.address.isSecure:
            self.init(.encryption, "\(there) wants an encrypted connection: write tls:// in place of nats://")
        case nats_secure_connection_wanted:
            self.init(.encryption, "\(there) offers no encryption: write nats://, or turn TLS on there")
        case nats_tls_error:
            self.init(
                .encryption,
                "\(there): the certificate is not believed (\(words)); \(Self.advice(onCertificate: words))")
        case nats_protocol_error:
            self.init(.unreachable, "what answers at \(there) is no NATS server (\(words))")
        default:
            let why = Int(status) == nats_no_server || words.isEmpty ? "" : " (\(words))"
            self.init(.unreachable, "no broker answers at \(there)\(why): does nats-server run there?")
        }
    }

    /// - Parameter words: OpenSSL's, for what is wrong with it.
    private static func advice(onCertificate words: String) -> String {
        if words.contains("has expired") { return "renew the broker's certificate, or set this machine's clock right" }
        if words.contains("not yet valid") { return "is this machine's clock right?" }
        return "give its authority with --site-ca FILE"
    }
}
