/// Writes fields one after another into memory that somebody lent, little-endian, lengths and times as LEB128.
///
/// It never writes past the end: what did not fit is shown by ``isOverrun``, and ``withdraw(to:)`` takes it back.
package struct TapePen {
    private let memory: UnsafeMutableRawBufferPointer
    package private(set) var count = 0
    /// Something did not fit since the last withdrawal.
    package private(set) var isOverrun = false

    package init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// Forgets everything after the first `count` bytes.
    package mutating func withdraw(to count: Int) {
        self.count = min(count, self.count)
        isOverrun = false
    }

    private mutating func claim(_ size: Int) -> Int? {
        guard !isOverrun, memory.count - count >= size else {
            isOverrun = true
            return nil
        }
        defer { count += size }
        return count
    }

    package mutating func byte(_ value: UInt8) {
        if let place = claim(1) { memory[place] = value }
    }

    package mutating func fixed<Value: FixedWidthInteger>(_ value: Value) {
        guard let place = claim(MemoryLayout<Value>.size) else { return }
        memory.storeBytes(of: value.littleEndian, toByteOffset: place, as: Value.self)
    }

    package mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    /// Zigzag: small numbers of either sign are short.
    package mutating func signed(_ value: Int64) { number(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    package mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        guard let place = claim(bytes.count), !bytes.isEmpty else { return }
        UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + bytes.count]).copyMemory(from: bytes)
    }

    /// With their length before them.
    package mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        number(UInt64(bytes.count))
        raw(bytes)
    }

    /// What `body` writes, with its length before it: a reader that knows less of it passes over the rest.
    package mutating func section(_ body: (inout TapePen) -> Void) {
        let start = count
        fixed(UInt32(0))
        body(&self)
        guard !isOverrun else { return }
        memory.storeBytes(of: UInt32(count - start - 4).littleEndian, toByteOffset: start, as: UInt32.self)
    }

    /// Everything that `body` writes, however much it is.
    package static func bytes(_ body: (inout TapePen) -> Void) -> [UInt8] {
        var size = 4_096
        while true {
            var isWhole = false
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                var pen = TapePen(UnsafeMutableRawBufferPointer(buffer))
                body(&pen)
                isWhole = !pen.isOverrun
                count = pen.count
            }
            if isWhole { return bytes }
            size *= 4
        }
    }
}

/// Why a recording cannot be read on at some place, in words for whoever made or keeps it.
package struct TapeError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }

    static let cut = TapeError("it ends in the middle of a field")

    static func newer(_ what: String) -> TapeError {
        TapeError("it holds \(what), which this version does not know: play it with a newer one")
    }

    static func unusable(_ problem: String) -> TapeError {
        TapeError("its rules cannot be used by this version: \(problem)")
    }
}

/// Reads what a ``TapePen`` wrote; says where it ends, and never reads past it.
package struct TapeReader: Sendable {
    private let content: ArraySlice<UInt8>
    private var place: Int

    package init(_ bytes: some Sequence<UInt8>) { self.init(Array(bytes)[...]) }
    package init(_ bytes: ArraySlice<UInt8>) {
        content = bytes
        place = bytes.startIndex
    }

    package var isAtEnd: Bool { place >= content.endIndex }
    package var remaining: Int { content.endIndex - place }

    package mutating func byte() throws(TapeError) -> UInt8 {
        guard place < content.endIndex else { throw .cut }
        defer { place += 1 }
        return content[place]
    }

    package mutating func fixed<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(TapeError) -> Value {
        let size = MemoryLayout<Value>.size
        guard remaining >= size else { throw .cut }
        defer { place += size }
        return content[place..<place + size].withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(as: Value.self)) }
    }

    package mutating func number() throws(TapeError) -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let next = try byte()
            guard shift < 63 || next < 2 else { throw TapeError("a number has more than 64 bits") }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    package mutating func signed() throws(TapeError) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    package mutating func raw(_ count: Int) throws(TapeError) -> ArraySlice<UInt8> {
        guard count >= 0, remaining >= count else { throw .cut }
        defer { place += count }
        return content[place..<place + count]
    }

    package mutating func bytes() throws(TapeError) -> ArraySlice<UInt8> {
        let count = try number()
        guard count <= UInt64(remaining) else { throw .cut }
        return try raw(Int(count))
    }

    package mutating func section() throws(TapeError) -> TapeReader {
        let count: UInt32 = try fixed()
        return TapeReader(try raw(Int(count)))
    }
}
