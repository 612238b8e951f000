import Foundation
import PrivateFiles
package import SiteRecords
import WireProtocol

/// A broker's address with what opens it.
package struct BrokerPlace: Sendable {
    private enum Secret: Sendable {
        case none
        case user(String, password: String)
        case token(String)
        /// NATS's own file, which the library reads.
        case file(String)
    }

    package let address: BrokerAddress
    let authorities: String?
    private let secret: Secret

    /// The longest file of credentials that is read, in bytes.
    private static let longest = 65_536

    /// - Parameters:
    ///   - credentials: a file with `USER:PASSWORD`, a token, or NATS's own credentials.
    ///   - authorities: certificates in PEM.
    /// - Throws: ``BrokerError`` with code `credentials` or `encryption` when a file cannot be used.
    package init(_ address: BrokerAddress, credentials: String?, authorities: String?) throws(BrokerError) {
        self.address = address
        self.authorities = authorities
        if let authorities, (try? openHandedIn(authorities)) == nil {
            throw BrokerError(.encryption, "there is no file \(authorities) with certificates to read")
        }
        if let credentials {
            secret = try Self.secret(in: credentials)
        } else if let user = address.user {
            secret = address.password.map { .user(user, password: $0) } ?? .token(user)
        } else {
            secret = .none
        }
    }

    private static func secret(in path: String) throws(BrokerError) -> Secret {
        let text: String?
        do {
            let file = try openHandedIn(path)
            let facts = try file.facts(path: path)
            // Root looks after services, whose files are their own user's; and a service may be given a file of root's.
            guard geteuid() == 0 || [0, geteuid()].contains(facts.owner) else {
                throw BrokerError(
                    .credentials,
                    "the credentials in \(path) belong to user \(facts.owner), who may change them: copy them to a file "
                        + "of your own")
            }
            guard facts.permissions & 0o077 == 0 else {
                throw BrokerError(
                    .credentials,
                    "other users may open the credentials in \(path); once they are right, run: chmod 600 \(shellWord(path))"
                )
            }
            text = String(validating: try file.readAll(limit: longest, path: path), as: UTF8.self)
        } catch let error as BrokerError {
            throw error
        } catch {
            text = nil
        }
        guard let text else {
            throw BrokerError(.credentials, "cannot read the credentials in \(path): it must be a small text file")
        }
        if text.contains("-----BEGIN NATS USER JWT-----") { return .file(path) }
        let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !line.isEmpty, !line.contains(where: \.isNewline) else {
            throw BrokerError(
                .credentials, "\(path) holds no credentials: one line USER:PASSWORD, a token, or NATS's own")
        }
        guard let colon = line.firstIndex(of: ":") else { return .token(line) }
        return .user(String(line[..<colon]), password: String(line[line.index(after: colon)...]))
    }

    var hasCredentials: Bool { if case .none = secret { false } else { true } }
    var user: String? { if case .user(let name, _) = secret { name } else { nil } }
    var password: String? { if case .user(_, let password) = secret { password } else { nil } }
    var token: String? { if case .token(let token) = secret { token } else { nil } }
    var credentials: String? { if case .file(let path) = secret { path } else { nil } }

    /// The roles of `roomful site init`, which may hear inboxes of their own alone.
    package static let roles: Set = ["host", "game", "operator", "reader"]

    /// Where answers to this user go.
    var inbox: String { user.map { Self.roles.contains($0) ? "_INBOX_\($0)" : "_INBOX" } ?? "_INBOX" }
}
