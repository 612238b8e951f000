public import WireProtocol

/// Seals nothing from anyone, but notices every change, and is quick: for simulations alone.
///
/// The payload stays clear, so that the injector's books can read it; the tag is a running product over words of eight
/// bytes, in which each step is a bijection of the state: one changed word always changes the end.
public struct ToyCipher: DatagramCipher {
    public init() {}

    public func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) {
        let end = datagram.count - sealTagLength
        let tag = digest(datagram, end, key, number)
        datagram.storeBytes(of: tag, toByteOffset: end, as: UInt64.self)
        datagram.storeBytes(of: ~tag, toByteOffset: end + 8, as: UInt64.self)
    }

    public func open(
        _ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32
    ) -> Bool {
        let end = datagram.count - sealTagLength
        let tag = digest(datagram, end, key, number)
        return datagram.loadUnaligned(fromByteOffset: end, as: UInt64.self) == tag
            && datagram.loadUnaligned(fromByteOffset: end + 8, as: UInt64.self) == ~tag
    }

    private func digest(
        _ bytes: UnsafeMutableRawBufferPointer, _ end: Int, _ key: LinkKey, _ number: UInt32
    ) -> UInt64 {
        var state = key.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } ^ UInt64(number) &+ UInt64(end) << 32
        func take(_ word: UInt64) {
            state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 29
        }
        var place = 0
        while place + 8 <= end {
            take(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        while place < end {
            take(UInt64(bytes[place]) &+ 1)
            place += 1
        }
        return state
    }
}
