/// zlib's CRC-32 (RFC 1952, 8), eight bytes at a time.
package struct Checksum: Sendable {
    private var state = UInt32.max

    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            tables[byte] = (0..<8).reduce(UInt32(byte)) { value, _ in
                value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0)
            }
        }
        for place in 256..<tables.count {
            let before = tables[place - 256]
            tables[place] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    package init() {}

    package static func of(_ bytes: some Collection<UInt8>) -> UInt32 {
        var sum = Checksum()
        if bytes.withContiguousStorageIfAvailable({ sum.take(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { sum.take($0) }
        }
        return sum.value
    }

    package var value: UInt32 { ~state }

    package mutating func take(_ bytes: UnsafeRawBufferPointer) {
        Self.tables.withUnsafeBufferPointer { tables in
            var place = 0
            while place + 8 <= bytes.count {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ UInt64(state)
                var next: UInt32 = 0
                for step in 0..<8 {
                    next ^= tables[(7 - step) * 256 + Int(word >> UInt64(8 * step) & 0xFF)]
                }
                state = next
                place += 8
            }
            while place < bytes.count {
                state = state >> 8 ^ tables[Int((state ^ UInt32(bytes[place])) & 0xFF)]
                place += 1
            }
        }
    }
}
