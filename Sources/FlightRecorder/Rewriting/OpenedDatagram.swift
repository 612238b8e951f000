import WireProtocol

/// Takes out of an opened datagram what people said by it, and, where it is asked, how they moved.
enum OpenedDatagram {
    /// Header, then the time of sending.
    private static let beforeBlocks = DatagramHeader.size + 8
    private static let blockHead = 3

    /// The same datagram with the application's own bytes made zero: nothing else changes, not even a length.
    static func withoutWords(_ datagram: [UInt8]) -> [UInt8] {
        var bytes = datagram
        forEachBlock(of: datagram) { type, body in
            let kept =
                switch type {
                case .message: messageHead + LinkMessage.wordless(datagram[body].dropFirst(messageHead))
                case .data: dataHead
                default: body.count
                }
            for place in body.dropFirst(kept) { bytes[place] = 0 }
        }
        return bytes
    }

    /// A message's number, before what it says.
    private static let messageHead = 4
    /// Channel and number of what is newest.
    private static let dataHead = 5

    /// The same without its samples, and without what its sender says of how many there were.
    static func withoutMotion(_ datagram: [UInt8]) -> [UInt8] {
        let silent = withoutWords(datagram)
        var bytes = Array(silent.prefix(beforeBlocks))
        forEachBlock(of: silent) { type, body in
            guard type != .stream, type != .tally, type != nil else { return }
            bytes += silent[body.lowerBound - blockHead..<body.upperBound]
        }
        return bytes
    }

    /// The connection that a datagram is of.
    static func connection(_ datagram: [UInt8]) -> UInt32? {
        datagram.withUnsafeBytes { try? DatagramHeader(reading: $0) }?.connection.rawValue
    }

    private static func forEachBlock(of bytes: [UInt8], _ body: (BlockType?, Range<Int>) -> Void) {
        var place = beforeBlocks
        while place + blockHead <= bytes.count {
            let length = Int(bytes[place + 1]) << 8 | Int(bytes[place + 2])
            let end = place + blockHead + length
            guard end <= bytes.count else { return }
            body(BlockType(rawValue: bytes[place]), place + blockHead..<end)
            place = end
        }
    }
}
