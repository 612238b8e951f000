import Foundation
import Identity
package import WireProtocol

extension WebPages {
    /// The room's pages, with the game that is played or the folder that is served at `/game/`.
    ///
    /// - Throws: ``RoomError`` for a game or a folder that is not there.
    package init(playing game: String?, serving folder: String?) throws(RoomError) {
        if let game, !Self.games.contains(game) {
            throw RoomError(
                .badOption, "there is no game \"\(printable(game))\"; there are: \(Self.games.joined(separator: ", "))")
        }
        if let folder {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
                throw RoomError(.badOption, "--serve: \"\(printable(folder))\" is not a folder that can be read")
            }
            guard FileManager.default.isReadableFile(atPath: folder + "/index.html") else {
                throw RoomError(.badOption, "--serve: \"\(printable(folder))\" has no index.html to show at /game/")
            }
        }
        self.init(folder: folder, game: game)
    }
}
