import NIOHTTP1
import WireProtocol

/// Who may ask what of a room's site. Pure: it looks at a request and says yes, or why not.
struct WebPolicy: Sendable {
    /// What a token lets its holder do.
    enum Role: Comparable, Sendable { case stranger, game, operates }

    let gameToken: AccessToken
    let operatorToken: AccessToken
    /// Whether a DNS name, in lower case, is this machine's or its certificate's.
    let isKnown: @Sendable (String) -> Bool
    /// Where the operator said, with `--url`, that phones reach the room.
    let publicURL: PublicURL?
    /// Further origins, of development servers.
    let allowedOrigins: Set<String>

    /// Why the request is turned away before anything else of it counts; `nil` when it is not.
    ///
    /// A page elsewhere can make a browser connect here: by a name that its owner points at this machine (so the `Host`
    /// must be ours), or plainly (so the `Origin` must be).
    func refusal(_ request: WebRequest, mustNameOrigin: Bool = false) -> WebAnswer? {
        guard let host = request.host, isOurs(host) else {
            return .refusal(
                .misdirectedRequest, "wrongHost",
                "This room does not answer to that name. Open it by its address, or tell the host --url.")
        }
        guard let origin = request.origin else {
            guard mustNameOrigin else {
                return isEmbeddedElsewhere(request)
                    ? .refusal(
                        .forbidden, "wrongOrigin", "A page of another site may not do that.") : nil
            }
            return .refusal(.forbidden, "noOrigin", "Only a page of this room may do that, and it names its origin.")
        }
        guard isAllowed(origin, host: host, arrival: request.arrival) else {
            return .refusal(
                .forbidden, "wrongOrigin",
                "A page of another origin may not do that; admit a development server with: --allow-origin \(printable(origin))"
            )
        }
        return nil
    }

    /// What the holder of a token may do; games on this machine need none. Where `--url` says that a proxy may stand
    /// there, whoever comes in by loopback may be anybody: then games need theirs, too.
    func role(of token: String?, at arrival: WebArrival) -> Role {
        guard let token else { return arrival == .loopback && publicURL == nil ? .game : .stranger }
        guard let shown = AccessToken(token) else { return .stranger }
        if shown == operatorToken { return .operates }
        return shown == gameToken ? .game : .stranger
    }

    static let unauthorised = WebAnswer.refusal(
        .unauthorized, "wrongToken",
        "The token is missing or wrong. Open the page by its whole link: roomful open, or what roomful host printed.")

    /// A picture or script of another site's page names no origin, but says where it stands (W3C Fetch Metadata, 2.3).
    private func isEmbeddedElsewhere(_ request: WebRequest) -> Bool {
        guard request.path.hasPrefix("/api/"), let site = request.headers.first(name: "sec-fetch-site") else {
            return false
        }
        return site != "same-origin" && site != "none"
    }

    private func isOurs(_ host: String) -> Bool {
        guard let name = Self.name(ofHost: host) else { return false }
        // An address cannot be pointed elsewhere by its owner, as a name can.
        if PeerAddress(host: name, port: 0) != nil || name == "localhost" || isKnown(name) { return true }
        return publicURL?.host == name
    }

    func isAllowed(_ origin: String, host: String, arrival: WebArrival) -> Bool {
        let origin = origin.lowercased()
        let own = (arrival == .tls ? "https://" : "http://") + host.lowercased()
        return origin == own || origin == publicURL?.origin || allowedOrigins.contains(origin)
    }

    /// `192.168.1.5:7777`, `[::1]:7777`, `games.local` without what follows the name.
    static func name(ofHost host: String) -> String? {
        var name = host.lowercased()[...]
        if name.first == "[" {
            guard let end = name.firstIndex(of: "]") else { return nil }
            name = name[name.index(after: name.startIndex)..<end]
        } else if let colon = name.firstIndex(of: ":") {
            name = name[..<colon]
        }
        if name.last == "." { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }
}

extension WebPolicy {
    /// Lets pages of admitted development servers read the answer (Fetch, 3.2).
    func crossOriginHeaders(_ request: WebRequest) -> HTTPHeaders {
        guard let origin = request.origin?.lowercased(), allowedOrigins.contains(origin) else { return [:] }
        return [
            "access-control-allow-origin": origin, "access-control-allow-headers": "authorization, content-type",
            "access-control-allow-methods": "GET, POST", "access-control-max-age": "600", "vary": "Origin",
        ]
    }
}
