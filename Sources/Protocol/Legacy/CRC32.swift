/// The checksum of Ethernet and zlib (IEEE 802.3, 3.2.9; RFC 1952, 8): finds accidents, proves nothing about who sent.
enum CRC32 {
    /// The polynomial with its bits reversed, since bytes are taken from their lowest bit on.
    private static let polynomial: UInt32 = 0xEDB8_8320

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? polynomial : 0) }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
    }
}
