import ControllerSession
import WireProtocol

/// Seals nothing worth hiding: an exclusive or, and a checksum that depends on key, number, header and payload.
struct TestCipher: DatagramCipher {
    func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) {
        let end = datagram.count - sealTagLength
        let tag = checksum(UnsafeRawBufferPointer(rebasing: datagram[..<end]), key, number)
        mask(datagram, headerLength..<end, key, number)
        for place in 0..<sealTagLength { datagram[end + place] = tag[place] }
    }

    func open(
        _ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32
    ) -> Bool {
        let end = datagram.count - sealTagLength
        mask(datagram, headerLength..<end, key, number)
        return checksum(UnsafeRawBufferPointer(rebasing: datagram[..<end]), key, number) == Array(datagram[end...])
    }

    private func mask(_ bytes: UnsafeMutableRawBufferPointer, _ range: Range<Int>, _ key: LinkKey, _ number: UInt32) {
        key.withUnsafeBytes { key in
            for place in range { bytes[place] ^= key[place % 32] &+ UInt8(truncatingIfNeeded: number) }
        }
    }

    /// FNV-1a over key and bytes, twice: the second time over each byte's complement.
    private func checksum(_ bytes: UnsafeRawBufferPointer, _ key: LinkKey, _ number: UInt32) -> [UInt8] {
        let prime: UInt64 = 0x100_0000_01B3
        var (one, other) = (0xCBF2_9CE4_8422_2325 ^ UInt64(number), 0xCBF2_9CE4_8422_2325 ^ ~UInt64(number))
        func mix(_ part: UnsafeRawBufferPointer) {
            for byte in part {
                one = (one ^ UInt64(byte)) &* prime
                other = (other ^ UInt64(~byte)) &* prime
            }
        }
        key.withUnsafeBytes(mix)
        mix(bytes)
        return one.bigEndianBytes + other.bigEndianBytes
    }
}

extension LinkEpoch {
    /// The link epochs of the tests, told apart by a number.
    static func numbered(_ number: UInt16) -> LinkEpoch {
        let seed = UInt64(number)
        return LinkEpoch(
            connection: ConnectionID(index: 3, generation: number), sendKey: LinkKey(a: seed, b: 1, c: 2, d: 3),
            receiveKey: LinkKey(a: seed, b: 5, c: 6, d: 7))
    }
}

extension DeviceTime {
    /// Milliseconds after the tests' beginning: the device was switched on long before.
    static func ms(_ milliseconds: Double) -> DeviceTime {
        DeviceTime(nanoseconds: 86_400_000_000_000 + Int64(milliseconds * 1e6))
    }
}
