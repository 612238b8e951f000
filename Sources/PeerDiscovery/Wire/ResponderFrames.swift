/// Cuts what comes through the socket between a program and its responder into messages: two bytes say how long one is.
///
/// Neither end trusts the other: what is kept is never longer than one message and what was taken in at once.
struct ResponderFrames: Sendable {
    /// The longest message, in bytes: more than a TXT record that fits a packet of multicast DNS (RFC 6762, 17).
    static let longest = 16_384

    private var bytes: [UInt8] = []
    private var start = 0

    mutating func take(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// The next whole message; nil until more has come.
    mutating func next() throws(ResponderWireError) -> ArraySlice<UInt8>? {
        guard bytes.count - start >= 2 else { return nil }
        let length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        guard (1...Self.longest).contains(length) else { throw .length(length) }
        let begin = start + 2
        guard bytes.count - begin >= length else { return nil }
        start = begin + length
        return bytes[begin..<start]
    }

    /// A message on its way out; nil if it is longer than one can be.
    static func framed(_ message: [UInt8]) -> [UInt8]? {
        guard (1...longest).contains(message.count) else { return nil }
        return [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
    }
}

/// What is wrong with what came from the other end.
enum ResponderWireError: Error, Equatable {
    case length(Int)
    case unknown(UInt8)
    case cut
    case unreadable
    case excess
}
