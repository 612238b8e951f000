import Foundation
import NIOCore
import NIOHTTP1

/// One request, whole, as the room's site looks at it.
struct WebRequest: Sendable {
    var method: HTTPMethod
    /// Decoded, beginning with a slash, without the query.
    var path: String
    private var query: String
    var headers: HTTPHeaders
    var body: ByteBuffer
    var arrival: WebArrival

    init(_ head: HTTPRequestHead, body: ByteBuffer = ByteBuffer(), arrival: WebArrival) {
        method = head.method
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = percentDecoded(parts.first ?? "") ?? "/"
        query = parts.count > 1 ? String(parts[1]) : ""
        headers = head.headers
        self.body = body
        self.arrival = arrival
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

    var host: String? { headers["host"].count == 1 ? headers.first(name: "host") : nil }
    var origin: String? { headers.first(name: "origin") }
}

/// At which of the room's two doors a request came in.
enum WebArrival: Hashable, Sendable {
    /// The room's own port, inside TLS.
    case tls
    /// Plain HTTP from this machine: an engine, a development server, or a proxy that ends the TLS.
    case loopback
}
