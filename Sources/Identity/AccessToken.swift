package import PrivateFiles

/// What a game's or an operator's program shows to a room that it talks to by HTTP: 256 random bits, 43 characters.
///
/// Base64url without padding (RFC 4648, 5), so that it can stand in a URL's fragment and in `Authorization: Bearer`
/// (RFC 6750, 2.1). Whoever holds it may do what it is for; printing it by accident shows dots: ask for ``text``.
public struct AccessToken: Sendable {
    /// 32 bytes.
    private let bytes: [UInt8]

    /// A new token from the system's randomness.
    public static func random() -> AccessToken {
        var generator = SystemRandomNumberGenerator()
        return AccessToken(drawing: &generator)
    }

    package init(drawing generator: inout some RandomNumberGenerator) {
        bytes = (0..<32).map { _ in generator.next() }
    }

    /// `nil` unless `text` is exactly 43 characters of base64url that stand for 32 bytes.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 43, let bytes = Identity.bytes(base64url: String(text)) else { return nil }
        self.bytes = bytes
    }

    /// 43 characters.
    public var text: String { base64url(bytes) }
}

extension AccessToken: Equatable {
    /// Takes the same time wherever the first difference lies, so that guessing learns nothing from it.
    public static func == (a: AccessToken, b: AccessToken) -> Bool {
        zip(a.bytes, b.bytes).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "•••" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AccessToken {
    /// The token kept in a room's folder under this name, 0600; a new one where there is none, or none that can be read
    /// as one: bookmarks made with a broken one did not work before either.
    package static func kept(as name: String, in folder: PrivateFolder) throws(StorageError) -> AccessToken {
        if let kept = try folder.read(name, limit: 64) {
            let text = String(decoding: kept.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
            if let token = AccessToken(text) { return token }
        }
        let token = AccessToken.random()
        try folder.replace(name, with: token.text + "\n")
        return token
    }
}
