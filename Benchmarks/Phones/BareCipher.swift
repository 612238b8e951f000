import WireProtocol

/// No seal at all: what a browser sends is inside TLS.
///
/// ``ControllerLink`` leaves room for a tag and writes kind 1; a browser's datagram has none, and kind 3. These are the
/// differences, and all of them (WIRE-FORMAT.md, section 4).
struct BareCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}

    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { true }

    /// Makes a datagram of the link's one of a browser's, and returns its length.
    static func undress(_ datagram: UnsafeMutableRawBufferPointer, size: Int) -> Int {
        datagram[0] = datagram[0] & 0xF0 | DatagramHeader.Kind.browserMotion.rawValue
        return size - sealTagLength
    }

    /// Makes what came for a browser into what the link reads: `size` bytes with room for a tag behind them.
    static func dress(_ datagram: UnsafeMutableRawBufferPointer, size: Int) -> Bool {
        guard size > 0, datagram[0] & 0x0F == DatagramHeader.Kind.browserFeedback.rawValue else { return false }
        datagram[0] = datagram[0] & 0xF0 | DatagramHeader.Kind.feedback.rawValue
        return true
    }

    static let noKey = LinkKey(a: 0, b: 0, c: 0, d: 0)
}
