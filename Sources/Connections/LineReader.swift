package import NIOCore

/// Cuts a stream of bytes into lines, none longer than a limit: what is too long ends the conversation.
package struct LineReader {
    package struct TooLong: Error {}

    private var rest: [UInt8] = []
    package let limit: Int

    package init(limit: Int) { self.limit = limit }

    /// The lines that are complete now, without their ends.
    package mutating func take(_ buffer: ByteBuffer) throws(TooLong) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in buffer.readableBytesView {
            if byte == UInt8(ascii: "\n") {
                lines.append(rest)
                rest.removeAll(keepingCapacity: true)
            } else {
                guard rest.count < limit else { throw TooLong() }
                rest.append(byte)
            }
        }
        return lines
    }
}
