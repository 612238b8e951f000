import Crypto
import Foundation
package import PrivateFiles
import WireProtocol

/// What keeps a room's secrets from its broker: 256 bits that a site's hosts share, in a file of theirs (0600).
///
/// Each item is sealed by AES-256-GCM with a key of its own, HKDF-SHA-256 over the site's key and 32 random bytes (RFC 5869):
/// no nonce can come twice. The room's id is authenticated with it, so that what is one room's means nothing in another's.
package struct SiteKey: Sendable {
    private let key: SymmetricKey

    private static let size = 32
    private static let saltSize = 32
    /// Of what is sealed beside the item's own bytes: salt, nonce and tag.
    package static let overhead = saltSize + 12 + 16

    private init(_ key: SymmetricKey) { self.key = key }

    package static func random() -> SiteKey { SiteKey(SymmetricKey(size: .bits256)) }

    /// Reads a file of 64 hexadecimal digits.
    ///
    /// - Throws: ``StorageError``: no such file, another user's to read, or no key.
    package init(file path: String) throws(StorageError) {
        let file = try openHandedIn(path)
        guard try file.facts(path: path).permissions & 0o077 == 0 else {
            throw StorageError(
                .openToOthers, path: path,
                "\(path) holds the site's key, but other users may open it; run: chmod 600 \(shellWord(path))")
        }
        let text = String(decoding: try file.readAll(limit: 256, path: path), as: UTF8.self)
        guard let bytes = Hexadecimal.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            bytes.count == Self.size
        else {
            throw StorageError(
                .wrongKind, path: path,
                "\(path) holds no site's key, which is 64 hexadecimal digits: roomful site init writes one")
        }
        self.init(SymmetricKey(data: bytes))
    }

    /// As it stands in its file.
    package var text: String { Hexadecimal.encode(key.withUnsafeBytes { Array($0) }) }

    /// Salt, then nonce, ciphertext and tag; `nil` only where the system has no randomness to give.
    package func seal(_ bytes: [UInt8], room: String) -> [UInt8]? {
        var generator = SystemRandomNumberGenerator()
        let salt: [UInt8] = (0..<Self.saltSize).map { _ in generator.next() }
        let sealed = try? AES.GCM.seal(bytes, using: key(salt), authenticating: Array(room.utf8))
        return sealed?.combined.map { salt + Array($0) }
    }

    /// `nil` for what was not sealed with this key for this room.
    package func open(_ sealed: [UInt8], room: String) -> [UInt8]? {
        guard sealed.count >= Self.overhead, let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(Self.saltSize))
        else { return nil }
        let salt = Array(sealed.prefix(Self.saltSize))
        let opened = try? AES.GCM.open(box, using: key(salt), authenticating: Array(room.utf8))
        return opened.map { Array($0) }
    }

    private func key(_ salt: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: salt, info: Array("roomful room log 1".utf8), outputByteCount: Self.size)
    }
}
