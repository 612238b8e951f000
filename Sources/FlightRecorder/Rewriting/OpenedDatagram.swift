import WireProtocol

/// Takes out of an opened datagram what people said by it, and, where it is asked, how they moved.
enum OpenedDatagram {
    private static let blockHead = 3

    /// The same datagram with the application's own bytes made zero, and all that is no field of a known block: nothing else
    /// changes, not even a length, nor whether it can be read.
    static func withoutWords(_ datagram: [UInt8]) -> [UInt8] {
        var bytes = datagram
        let end = forEachBlock(of: datagram) { type, body in
            let kept =
                switch type {
                case .message: messageHead + LinkMessage.wordless(datagram[body].dropFirst(messageHead))
                case .data: dataHead
                case .stream: body.count
                case .acknowledgement: 6
                case .probe: 2
                case .probeAnswer: body.count < 14 ? 10 : 14
                case .receipt: 4
                case .goodbye: 5
                case .account: 8
                case .tally: 26
                case nil: 0
                }
            for place in body.dropFirst(kept) { bytes[place] = 0 }
        }
        // A block that says it is longer than what is left says so still.
        let rest = end + blockHead <= bytes.count ? end + blockHead : end
        for place in bytes.indices.dropFirst(rest) { bytes[place] = 0 }
        return bytes
    }

    /// A message's number, before what it says.
    private static let messageHead = 4
    /// Channel and number of what is newest.
    private static let dataHead = 5

    /// The same without its samples, and without what its sender says of how many there were.
    static func withoutMotion(_ datagram: [UInt8]) -> [UInt8] {
        let silent = withoutWords(datagram)
        var bytes = Array(silent.prefix(WireFormat.contentStart))
        forEachBlock(of: silent) { type, body in
            guard type != .stream, type != .tally, type != nil else { return }
            bytes += silent[body.lowerBound - blockHead..<body.upperBound]
        }
        return bytes
    }

    /// The same with other ids in the receipts for haptics that the host commanded; a controller's own finds keep
    /// theirs.
    static func withReceipts(_ datagram: [UInt8], for told: (UInt32) -> UInt32) -> [UInt8] {
        var bytes = datagram
        forEachBlock(of: datagram) { type, body in
            guard type == .message, let place = LinkMessage.receiptID(datagram[body].dropFirst(messageHead))
            else { return }
            let id = datagram[place].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard id < LocalFind.firstID else { return }
            bytes.replaceSubrange(place, with: told(id).bigEndianBytes)
        }
        return bytes
    }

    /// The connection that a datagram is of.
    static func connection(_ datagram: [UInt8]) -> UInt32? {
        datagram.withUnsafeBytes { try? DatagramHeader(reading: $0) }?.connection.rawValue
    }

    /// - Returns: where the first block begins that does not end within the datagram; its own end if there is none.
    @discardableResult
    private static func forEachBlock(of bytes: [UInt8], _ body: (BlockType?, Range<Int>) -> Void) -> Int {
        var place = WireFormat.contentStart
        while place + blockHead <= bytes.count {
            let length = Int(bytes[place + 1]) << 8 | Int(bytes[place + 2])
            let end = place + blockHead + length
            guard end <= bytes.count else { return place }
            body(BlockType(rawValue: bytes[place]), place + blockHead..<end)
            place = end
        }
        return min(place, bytes.count)
    }
}
