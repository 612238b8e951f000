package import ControlPort
import Foundation
import Identity
package import NIOCore
package import NIOHTTP1

/// One request, whole, as the room's site looks at it.
package struct WebRequest: Sendable {
    package var method: HTTPMethod
    /// Decoded, beginning with a slash, without the query.
    package var path: String
    private var query: String
    package var headers: HTTPHeaders
    package var body: ByteBuffer
    package var arrival: WebArrival

    package init(_ head: HTTPRequestHead, body: ByteBuffer = ByteBuffer(), arrival: WebArrival) {
        method = head.method
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = percentDecoded(parts.first ?? "") ?? "/"
        query = parts.count > 1 ? String(parts[1]) : ""
        headers = head.headers
        self.body = body
        self.arrival = arrival == .loopback && Self.isPassedOn(head.headers) ? .passedOn : arrival
    }

    /// Whether somebody passes it on for somebody else (RFC 7239; RFC 9110, 7.6.3).
    static func isPassedOn(_ headers: HTTPHeaders) -> Bool {
        headers.contains { name, _ in
            let name = name.lowercased()
            return name == "via" || name == "forwarded" || name == "x-real-ip" || name.hasPrefix("x-forwarded")
        }
    }

    /// The first field of this name in the query, decoded.
    func query(_ name: String) -> String? {
        for field in query.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts[0] == name { return percentDecoded(parts.count > 1 ? parts[1] : "") }
        }
        return nil
    }

    /// The query as it came, with its question mark; empty where there is none.
    var queryText: String { query.isEmpty ? "" : "?" + query }

    /// What stands behind `Bearer` (RFC 6750, 2.1).
    var bearer: String? {
        guard let value = headers.first(name: "authorization"), value.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(value.dropFirst("bearer ".count)).trimmingCharacters(in: .whitespaces)
    }

    package var host: String? { headers["host"].count == 1 ? headers.first(name: "host") : nil }
    /// Several are one that nobody bears: browsers name one, and of two the wrong one would count.
    package var origin: String? {
        let named = headers["origin"]
        return named.isEmpty ? nil : named.joined(separator: ", ")
    }
}
