/// The bytes of a script, read one decision at a time. Past the end there are no more decisions: everything is 0.
struct ScriptReader {
    private var bytes: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    /// A number from 0 up to, not including, `end`.
    mutating func number(below end: Int) -> Int { Int(byte()) % max(1, end) }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// A time from 100 µs to about three minutes, short ones as finely graded as long ones.
    mutating func duration() -> Duration {
        let value = Int64(byte())
        return .nanoseconds((8 + value % 8) * 12_500 << min(20, value / 8))
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = Array(bytes.prefix(count))
        bytes = bytes.dropFirst(count)
        return taken
    }
}
