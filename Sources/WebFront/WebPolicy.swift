import Connections
import ControlPort
package import Identity
import NIOHTTP1
import WireProtocol

/// Who may ask what of a room's site. Pure: it looks at a request and says yes, or why not.
package struct WebPolicy: Sendable {
    /// What a token lets its holder do.
    enum Role: Comparable, Sendable {
        case stranger
        /// A page on this machine, of which nothing is known but that.
        case game
        /// It showed the game's token, which only this machine's user is told: it may show others the way in.
        case trustedGame
        case operates
    }

    package let gameToken: AccessToken
    package let operatorToken: AccessToken
    /// Whether a DNS name, in lower case, is this machine's or its certificate's.
    package let isKnown: @Sendable (String) -> Bool
    /// Where the operator said, with `--url`, that phones reach the room.
    package let publicURL: PublicURL?
    /// Further origins, of development servers.
    package let allowedOrigins: Set<String>
    /// Whether games on this machine need no token at the loopback door (`--open-loopback`).
    let isLoopbackOpen: Bool

    package init(
        gameToken: AccessToken, operatorToken: AccessToken, isKnown: @escaping @Sendable (String) -> Bool,
        publicURL: PublicURL? = nil, allowedOrigins: Set<String>, isLoopbackOpen: Bool = false
    ) {
        self.gameToken = gameToken
        self.operatorToken = operatorToken
        self.isKnown = isKnown
        self.publicURL = publicURL
        self.allowedOrigins = allowedOrigins
        self.isLoopbackOpen = isLoopbackOpen
    }

    /// Why the request is turned away before anything else of it counts; `nil` when it is not.
    ///
    /// A page elsewhere can make a browser connect here: by a name that its owner points at this machine (so the `Host`
    /// must be ours), or plainly (so the `Origin` must be).
    func refusal(_ request: WebRequest, mustNameOrigin: Bool = false) -> WebAnswer? {
        guard let host = request.host, isOurs(host, at: request.arrival) else {
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

    /// What the holder of a token may do. Every user of this machine reaches the loopback door, and so does every proxy on
    /// it: without a token only an operator's word lets games in there, and never what is passed on for somebody else.
    /// The empty token is none.
    func role(of token: String?, at arrival: WebArrival) -> Role {
        guard let token, !token.isEmpty else {
            return isLoopbackOpen && arrival == .loopback && publicURL == nil ? .game : .stranger
        }
        guard let shown = AccessToken(token) else { return .stranger }
        if shown == operatorToken { return .operates }
        return shown == gameToken ? .trustedGame : .stranger
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

    private func isOurs(_ host: String, at arrival: WebArrival) -> Bool {
        guard let name = Endpoint.name(ofHost: host) else { return false }
        if name == "localhost" || publicURL?.host == name { return true }
        // An address cannot be pointed elsewhere by its owner, as a name can.
        guard let address = PeerAddress(host: name, port: 0) else { return arrival == .tls && isKnown(name) }
        // At the loopback door nobody of this machine has a reason to call it otherwise.
        return arrival == .tls || address.isLoopback
    }

    func isAllowed(_ origin: String, host: String, arrival: WebArrival) -> Bool {
        let origin = origin.lowercased()
        let own = (arrival == .tls ? "https://" : "http://") + host.lowercased()
        return origin == own || origin == publicURL?.origin || allowedOrigins.contains(origin)
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
