/// The digest of a log up to one of its records: who builds on another history than the reader's is found out.
///
/// FNV-1a (Fowler, Noll and Vo), 64 bits, over the digest before and the record's bytes. It finds copies of a
/// log that differ by accident. It proves nothing about who wrote.
package struct LogChain: Hashable, Sendable {
    package var digest: UInt64

    /// That of an empty log. A record that states 0 states nothing.
    package static let empty = LogChain(digest: 0xCBF2_9CE4_8422_2325)

    package init(digest: UInt64) { self.digest = digest }

    /// With one more record at the end.
    package func adding(_ record: [UInt8]) -> LogChain {
        var hash = Self.empty.digest
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for place in 0..<8 { mix(UInt8(truncatingIfNeeded: digest >> (8 * UInt64(place)))) }
        for byte in record { mix(byte) }
        return LogChain(digest: hash == 0 ? 1 : hash)
    }
}
