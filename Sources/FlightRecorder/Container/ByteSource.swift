/// Bytes that can be read at any place: a file, or memory.
package protocol ByteSource {
    var size: UInt64 { get }
    /// Exactly so many bytes, or `nil` when they cannot be had.
    func read(at offset: UInt64, count: Int) -> [UInt8]?
}

extension [UInt8]: ByteSource {
    package var size: UInt64 { UInt64(count) }
    package func read(at offset: UInt64, count: Int) -> [UInt8]? {
        guard count >= 0, offset <= size, size - offset >= UInt64(count) else { return nil }
        return Array(self[Int(offset)..<Int(offset) + count])
    }
}
