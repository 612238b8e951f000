/// Writes big-endian fields into a buffer of fixed size.
///
/// The caller asks ``room`` before it writes: running over the end is a bug of ours, never of a peer.
public struct ByteWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    /// Bytes written so far.
    public private(set) var count = 0

    /// Writes from the buffer's first byte on; the buffer must outlive the writer.
    public init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    /// Bytes that can still be written.
    public var room: Int { buffer.count - count }

    /// What was written so far, for a checksum over it.
    var written: UnsafeRawBufferPointer.SubSequence { UnsafeRawBufferPointer(buffer)[..<count] }

    /// Writes the value, the most significant byte first. Needs as many bytes of ``room`` as the type has.
    public mutating func write<Value: FixedWidthInteger>(_ value: Value) {
        precondition(room >= MemoryLayout<Value>.size, "a block was begun without asking for room")
        buffer.storeBytes(of: value.bigEndian, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    /// Writes the bytes as they are. Needs as many bytes of ``room``.
    public mutating func write(_ bytes: some Collection<UInt8>) {
        precondition(room >= bytes.count, "a block was begun without asking for room")
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: bytes)
        count += bytes.count
    }

    /// Three bytes: up to 16,777,215.
    mutating func write24(_ value: UInt32) {
        write(UInt8(truncatingIfNeeded: value >> 16))
        write(UInt16(truncatingIfNeeded: value))
    }

    /// Overwrites two bytes written before: a length that is known only at the end.
    mutating func patch(_ value: UInt16, at offset: Int) {
        buffer.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    mutating func patch(_ value: UInt8, at offset: Int) {
        buffer.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
    }
}
