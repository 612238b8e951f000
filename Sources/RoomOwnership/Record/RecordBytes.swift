/// Writes big-endian fields one after another.
struct RecordWriter {
    var bytes: [UInt8] = []

    mutating func write(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }
}

/// Reads big-endian fields one after another, and says `truncated` where they end.
struct RecordReader {
    private let bytes: [UInt8]
    /// From 0 to the count of bytes.
    var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }
    var isAtEnd: Bool { remaining == 0 }

    mutating func read<Value: FixedWidthInteger>() throws(SiteLogRecordError) -> Value {
        let size = MemoryLayout<Value>.size
        guard remaining >= size else { throw .truncated }
        defer { position += size }
        return bytes.withUnsafeBytes { Value(bigEndian: $0.loadUnaligned(fromByteOffset: position, as: Value.self)) }
    }

    mutating func readBytes(_ count: Int) throws(SiteLogRecordError) -> [UInt8] {
        guard count >= 0, remaining >= count else { throw .truncated }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
