import Testing

@testable import Identity
@testable import PrivateFiles
@testable import Roomful

@Suite("Tokens of games and operators")
struct AccessTokenTests {
    @Test("A token is 43 characters of base64url, and is read back as itself")
    func text() throws {
        for _ in 0..<200 {
            let token = AccessToken.random()
            #expect(token.text.utf8.count == 43)
            #expect(token.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
            #expect(AccessToken(token.text) == token)
        }
    }

    @Test("Two tokens are never the same, and one other bit makes another token")
    func difference() throws {
        #expect(AccessToken.random() != AccessToken.random())
        let a = try #require(AccessToken(String(repeating: "A", count: 43)))
        let b = try #require(AccessToken("B" + String(repeating: "A", count: 42)))
        #expect(a != b)
        #expect(a == a)
    }

    @Test(
        "What is no token is refused",
        arguments: [
            "", "A", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
            String(repeating: "A", count: 42) + "=", String(repeating: "A", count: 42) + "B",
            String(repeating: "A", count: 42) + "+", String(repeating: "A", count: 42) + " ",
            String(repeating: "é", count: 43),
        ])
    func noToken(text: String) {
        #expect(AccessToken(text) == nil)
    }

    @Test("Printing a token, or what holds it, does not show it")
    func printing() {
        let token = AccessToken.random()
        var dumped = ""
        dump(token, to: &dumped)
        for shown in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!shown.contains(token.text))
        }
    }

    @Test("A room keeps its tokens, for its owner only, and its game's is not its operator's")
    func kept() throws {
        let place = TemporaryFolder()
        let folder = try place.folder
        let game = try AccessToken.kept(as: "game-token", in: folder)
        let keeper = try AccessToken.kept(as: "operator-token", in: folder)
        #expect(game != keeper)
        #expect(try AccessToken.kept(as: "game-token", in: folder) == game)
        #expect(try AccessToken.kept(as: "operator-token", in: folder) == keeper)
        #expect(place.content("game-token") == game.text + "\n")
        #expect(try place.mode("game-token") == 0o600)
        #expect(try place.mode("operator-token") == 0o600)
    }

    @Test("A token that others may read is refused; one that is broken is made anew")
    func hostileFolder() throws {
        let place = TemporaryFolder()
        let folder = try place.folder
        try place.plant("game-token", "not a token\n")
        let made = try AccessToken.kept(as: "game-token", in: folder)
        #expect(try AccessToken.kept(as: "game-token", in: folder) == made)
        try place.plant("game-token", made.text, mode: 0o644)
        let error = failure(StorageError.self) { try AccessToken.kept(as: "game-token", in: folder) }
        #expect(error?.code == .openToOthers)
    }
}
