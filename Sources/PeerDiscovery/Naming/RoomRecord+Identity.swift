extension RoomRecord {
    /// A room's identity: 128 random bits that its host made once and keeps. The name is not the identity.
    public struct ID: Sendable, Hashable {
        /// 16 bytes.
        public let bytes: [UInt8]

        /// Nil unless there are 16 bytes.
        public init?(bytes: [UInt8]) {
            guard bytes.count == 16 else { return nil }
            self.bytes = bytes
        }
    }

    /// The SHA-256 of the public key of a room's certificate authority, as its TXT record claims it.
    ///
    /// Anyone can claim any pin: it helps to tell rooms apart, and proves nothing before TLS has.
    public struct Pin: Sendable, Hashable {
        /// 32 bytes.
        public let bytes: [UInt8]

        /// Nil unless there are 32 bytes.
        public init?(bytes: [UInt8]) {
            guard bytes.count == 32 else { return nil }
            self.bytes = bytes
        }
    }
}

extension RoomRecord.ID: Comparable, LosslessStringConvertible {
    /// 32 hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        guard let bytes = decodeHex(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// 32 lowercase hexadecimal digits.
    public var description: String { encodeHex(bytes) }

    public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension RoomRecord.Pin: Comparable, LosslessStringConvertible {
    /// 64 hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        guard let bytes = decodeHex(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// 64 lowercase hexadecimal digits.
    public var description: String { encodeHex(bytes) }

    public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

private func encodeHex(_ bytes: [UInt8]) -> String {
    bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
}

private func decodeHex(_ text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { UInt8(exactly: Character(Unicode.Scalar($0)).hexDigitValue ?? -1) }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
