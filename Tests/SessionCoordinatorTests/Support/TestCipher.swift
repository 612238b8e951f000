import WireProtocol

/// Hides nothing worth hiding, but notices every change: a mask, and two running products over words of eight bytes.
struct TestCipher: DatagramCipher {
    func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) {
        let end = datagram.count - sealTagLength
        mask(datagram, headerLength..<end, key)
        let tag = digest(datagram, end, key, number)
        datagram.storeBytes(of: tag.0, toByteOffset: end, as: UInt64.self)
        datagram.storeBytes(of: tag.1, toByteOffset: end + 8, as: UInt64.self)
    }

    func open(
        _ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32
    ) -> Bool {
        let end = datagram.count - sealTagLength
        let tag = digest(datagram, end, key, number)
        guard datagram.loadUnaligned(fromByteOffset: end, as: UInt64.self) == tag.0,
            datagram.loadUnaligned(fromByteOffset: end + 8, as: UInt64.self) == tag.1
        else { return false }
        mask(datagram, headerLength..<end, key)
        return true
    }

    private func words(_ key: LinkKey) -> (UInt64, UInt64) {
        key.withUnsafeBytes { bytes in
            (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    private func mask(_ bytes: UnsafeMutableRawBufferPointer, _ range: Range<Int>, _ key: LinkKey) {
        let word = words(key).0
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            let masked = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ word
            bytes.storeBytes(of: masked, toByteOffset: place, as: UInt64.self)
            place += 8
        }
    }

    /// Each step is a bijection of the state, so one changed word always changes the end.
    private func digest(
        _ bytes: UnsafeMutableRawBufferPointer, _ end: Int, _ key: LinkKey, _ number: UInt32
    ) -> (UInt64, UInt64) {
        var (first, second) = words(key)
        first ^= UInt64(number)
        second &+= UInt64(end)
        var place = 0
        func take(_ word: UInt64) {
            first = (first ^ word) &* 0x9E37_79B9_7F4A_7C15
            first ^= first >> 29
            second = (second &+ word) &* 0xBF58_476D_1CE4_E5B9
            second ^= second >> 31
        }
        while place + 8 <= end {
            take(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        while place < end {
            take(UInt64(bytes[place]) + 1)
            place += 1
        }
        return (first, second)
    }
}
