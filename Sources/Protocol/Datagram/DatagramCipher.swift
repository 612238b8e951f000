/// What seals and opens a link's datagrams.
///
/// The shell hands one in; the cores never see how it works. A datagram is `header`, which stays clear and is
/// authenticated, then the payload, which is encrypted, then ``sealTagLength`` bytes of tag. The nonce is 64 zero bits
/// and the datagram's number, big-endian, so a number must never serve twice under one key. A datagram too short to
/// hold its header and tag never opens.
public protocol DatagramCipher: Sendable {
    /// Encrypts the payload in place and writes the tag into the last ``sealTagLength`` bytes, which are left for it.
    func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32)

    /// Verifies and decrypts in place; `datagram` includes the tag.
    ///
    /// - Returns: `false` when the tag does not fit; what the payload's bytes are then, nobody may ask.
    func open(
        _ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32
    ) -> Bool
}

/// Bytes of tag at the end of every sealed datagram, with either suite.
public let sealTagLength = 16

/// How a link's datagrams are sealed: named by the host in the seat answer.
public enum CipherSuite: String, Codable, Hashable, Sendable, CaseIterable {
    /// AES-256-GCM (NIST SP 800-38D): the fastest where the processor has instructions for it.
    case aes256gcm = "aes-256-gcm"
    /// ChaCha20-Poly1305 (RFC 8439): for processors without.
    case chacha20poly1305 = "chacha20-poly1305"
}

/// 32 bytes of key, held inline so that a table of peers stays flat.
///
/// It never prints itself: neither in a log line nor when something that holds it is dumped.
public struct LinkKey: Hashable, Sendable {
    /// Bytes in a key, for either suite.
    public static let size = 32

    // The key's bytes as they lie in memory, 8 to a word.
    @usableFromInline let a, b, c, d: UInt64

    /// Bytes 0 to 7 from `a`, 8 to 15 from `b` and so on, each little-endian.
    @inlinable
    public init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
        (self.a, self.b, self.c, self.d) = (a.littleEndian, b.littleEndian, c.littleEndian, d.littleEndian)
    }

    /// `nil` unless there are exactly 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == LinkKey.size else { return nil }
        var words = SIMD4<UInt64>()
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        (a, b, c, d) = (words[0], words[1], words[2], words[3])
    }

    /// Lends the 32 bytes for the length of a call.
    @inlinable
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Swift.withUnsafeBytes(of: self, body)
    }
}

extension LinkKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "LinkKey(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
