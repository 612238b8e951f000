/// The fingerprint by which a room is recognised: SHA-256 of its authority's public key.
///
/// It is taken over the DER of the SubjectPublicKeyInfo, as in RFC 7469, 2.4, so a certificate may be issued anew
/// with the same key and keeps its pin.
public struct Pin: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// `nil` unless there are 32 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard self.bytes.count == 32 else { return nil }
    }

    /// The pin of the key of which this is the SHA-256.
    package init(sha256 digest: some Sequence<UInt8>) {
        bytes = Array(digest)
        precondition(bytes.count == 32, "a SHA-256 has 32 bytes")
    }

    /// The first 64 bits in four groups, for people to compare: `3f2a-91bc-04de-77a1`.
    public var short: String {
        let digits = Array(description.prefix(16))
        return stride(from: 0, to: 16, by: 4).map { String(digits[$0..<$0 + 4]) }.joined(separator: "-")
    }
}

extension Pin: Comparable, LosslessStringConvertible {
    /// 64 lowercase hexadecimal digits.
    public var description: String { Hexadecimal.encode(bytes) }

    /// Reads 64 hexadecimal digits of either case, as a person may paste them: with spaces, colons or dashes between.
    public init?(_ text: String) {
        guard text.utf8.count <= 256, let bytes = Hexadecimal.decode(text.filter { !" :-".contains($0) })
        else { return nil }
        self.init(bytes: bytes)
    }

    public static func < (a: Pin, b: Pin) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}
