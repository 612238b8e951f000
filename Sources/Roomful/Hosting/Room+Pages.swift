/// Where people find the room's pages.
extension Room {
    /// Whether a phone's browser will warn of a certificate that it does not know, as far as the host can tell: not where
    /// the operator gave an address of their own, nor where their certificate is for the room's.
    package var warnsPhones: Bool {
        guard options.url == nil else { return false }
        guard options.certificate != nil, let address = ticket.addresses.first(where: { !$0.hasScope }) else {
            return true
        }
        return !foundation.tls.bears(address.host)
    }

    /// The game that is played, for a browser on this machine; `nil` where none is.
    package var gamePage: String? {
        guard options.play != nil || options.serve != nil else { return nil }
        if let httpPort { return "http://127.0.0.1:\(httpPort)/game/" }
        return "https://localhost:\(port)/game/#t=\(foundation.gameToken.text)"
    }

    /// The operator's page, for a browser on this machine first, then for others. Each holds the operator's token.
    package var operatorPages: [String] {
        let fragment = "operator/#t=\(foundation.operatorToken.text)"
        let root = ticket.link(at: options.url).prefix { $0 != "#" }
        let here = httpPort.map { "http://127.0.0.1:\($0)/" } ?? "https://localhost:\(port)/"
        return [here + fragment, root + fragment]
    }
}
