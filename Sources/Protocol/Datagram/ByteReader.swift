/// Reads big-endian fields one after another and says `truncated` where they end: never past the last byte.
///
/// Always inlined: a call for each field cost more than the field.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// Where the next field begins, and where the last one ends.
    private var position: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer) { (self.bytes, position, end) = (bytes, 0, bytes.count) }
    init(_ slice: UnsafeRawBufferPointer.SubSequence) {
        (bytes, position, end) = (slice.base, slice.startIndex, slice.endIndex)
    }

    var remaining: UnsafeRawBufferPointer.SubSequence { bytes[position..<end] }
    var isAtEnd: Bool { position == end }

    @inline(__always)
    mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(FrameError) -> Value {
        let size = MemoryLayout<Value>.size
        guard end - position >= size else { throw .truncated }
        let value = bytes.loadUnaligned(fromByteOffset: position, as: Value.self)
        position += size
        return Value(bigEndian: value)
    }

    @inline(__always)
    mutating func readBytes(_ count: Int) throws(FrameError) -> UnsafeRawBufferPointer.SubSequence {
        guard count >= 0, end - position >= count else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Three bytes: up to 16,777,215.
    @inline(__always)
    mutating func read24() throws(FrameError) -> UInt32 {
        let high: UInt8 = try read()
        let low: UInt16 = try read()
        return UInt32(high) << 16 | UInt32(low)
    }
}
