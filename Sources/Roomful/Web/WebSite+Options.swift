import Foundation

extension WebPolicy {
    init(_ foundation: RoomFoundation, _ options: RoomOptions) {
        let names = Set(ServerNames.current().dnsNames)
        let tls = foundation.tls
        self.init(
            gameToken: foundation.gameToken, operatorToken: foundation.operatorToken,
            isKnown: { names.contains($0) || tls.bears($0) }, publicURL: options.url,
            allowedOrigins: Set(options.allowedOrigins.map { Self.origin($0) }))
    }

    /// In lower case, without a slash at its end.
    private static func origin(_ text: String) -> String {
        let lower = text.lowercased()
        return lower.hasSuffix("/") ? String(lower.dropLast()) : lower
    }
}

extension WebPages {
    /// - Throws: ``RoomError`` for a game or a folder that is not there.
    init(_ options: RoomOptions) throws {
        if let game = options.play, !Self.games.contains(game) {
            throw RoomError(
                .badOption, "there is no game \"\(printable(game))\"; there are: \(Self.games.joined(separator: ", "))")
        }
        if let folder = options.serve {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
                throw RoomError(.badOption, "--serve: \"\(printable(folder))\" is not a folder that can be read")
            }
            guard FileManager.default.isReadableFile(atPath: folder + "/index.html") else {
                throw RoomError(.badOption, "--serve: \"\(printable(folder))\" has no index.html to show at /game/")
            }
        }
        self.init(folder: options.serve, game: options.play)
    }
}
