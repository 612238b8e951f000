import Identity

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

    /// The game that is played, for a browser on this machine; `nil` where none is. Holds the game's token, by which it
    /// may show the room's QR code.
    package var gamePage: String? {
        guard options.play != nil || options.serve != nil else { return nil }
        return gamePlace(path: "game/")
    }

    /// Where games on this machine find the room, with their token behind the `#`: what a program takes as its address.
    package var gameLink: String { gamePlace(path: "") }

    /// For a big screen in an exhibit, in a browser on this machine: the way in while nobody plays, else the game.
    var screenPage: String { gamePlace(path: "screen/") }

    private func gamePlace(path: String) -> String {
        let place = httpPort.map { "http://127.0.0.1:\($0)/" } ?? "https://localhost:\(port)/"
        let needsToken = httpPort == nil || !options.opensLoopback
        return place + path + (needsToken ? "#t=\(foundation.gameToken.text)" : "")
    }

    /// The operator's page, for a browser on this machine first, then for others. Each holds the operator's token.
    var operatorPages: [String] {
        let fragment = "operator/#t=\(foundation.operatorToken.text)"
        let root = ticket.link(at: options.url).prefix { $0 != "#" }
        let here = httpPort.map { "http://127.0.0.1:\($0)/" } ?? "https://localhost:\(port)/"
        return [here + fragment, root + fragment]
    }
}
