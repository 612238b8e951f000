/// Reads big-endian fields one after another and says `truncated` where they end: never past the last byte.
struct ByteReader {
    private(set) var remaining: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { remaining = bytes[...] }
    init(_ bytes: UnsafeRawBufferPointer.SubSequence) { remaining = bytes }

    var isAtEnd: Bool { remaining.isEmpty }

    mutating func read<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(FrameError) -> Value {
        let size = MemoryLayout<Value>.size
        guard remaining.count >= size else { throw .truncated }
        let value = remaining.base.loadUnaligned(fromByteOffset: remaining.startIndex, as: Value.self)
        remaining = remaining.dropFirst(size)
        return Value(bigEndian: value)
    }

    mutating func readBytes(_ count: Int) throws(FrameError) -> UnsafeRawBufferPointer.SubSequence {
        guard count >= 0, remaining.count >= count else { throw .truncated }
        let bytes = remaining.prefix(count)
        remaining = remaining.dropFirst(count)
        return bytes
    }

    /// Three bytes: up to 16,777,215.
    mutating func read24() throws(FrameError) -> UInt32 {
        let high: UInt8 = try read()
        let low: UInt16 = try read()
        return UInt32(high) << 16 | UInt32(low)
    }
}
