/// Reads memory that is about to be needed, a byte of each of the processor's cache lines: for many of them at once it
/// waits together, where each would be waited for when its turn comes.
///
/// What is read means nothing: no outcome but time depends on it. Whoever reads follows no reference that it would have to
/// retain, which waits for each by itself.
package struct Prefetch {
    @usableFromInline static let line = 64

    /// Of what was read; whoever asked keeps it, or the optimiser leaves the reading out.
    package var sum: UInt { total }
    @usableFromInline var total: UInt = 0

    package init() {}

    /// Of the first `size` bytes there; wherever lines begin, the last of them too.
    @inlinable @inline(__always)
    package mutating func read(_ memory: UnsafeRawPointer, size: Int) {
        guard size > 0 else { return }
        var offset = 0
        while offset < size {
            total &+= UInt(memory.load(fromByteOffset: offset, as: UInt8.self))
            offset += Self.line
        }
        total &+= UInt(memory.load(fromByteOffset: size - 1, as: UInt8.self))
    }

    /// Of a value, where it lies.
    ///
    /// - Parameter size: of the beginning alone, if only that is needed; in bytes.
    @inlinable @inline(__always)
    package mutating func read<Value>(_ value: UnsafePointer<Value>, size: Int = MemoryLayout<Value>.size) {
        read(UnsafeRawPointer(value), size: size)
    }

    /// The same of the first element of an array, and of what the array keeps before it.
    @inlinable @inline(__always)
    package mutating func read<Value>(first value: UnsafePointer<Value>, size: Int = MemoryLayout<Value>.size) {
        let header = 32
        read(UnsafeRawPointer(value) - header, size: size + header)
    }
}
