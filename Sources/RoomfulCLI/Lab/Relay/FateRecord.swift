/// What a relay did to one datagram or copy, as it stands in its journal: 12 bytes, each number little-endian.
///
/// ```
/// connection u32 | number u32 | time in units of 16 µs since the journal began, times 8, plus the fate   u32
/// ```
struct FateRecord: Hashable, Sendable {
    enum Fate: UInt8, Hashable, Sendable {
        /// It came from the controller, and will be passed on; or was lost; or will be passed on twice.
        case carried, lost, doubled
        /// It was passed on, whole or with a bit flipped.
        case delivered, corrupted
    }

    static let size = 12
    /// Nanoseconds.
    static let unit: Int64 = 16_000
    /// A journal's times end here, after more than two hours.
    private static let lastTick: Int64 = 1 << 29 - 1

    var connection: UInt32
    var number: UInt32
    var fate: Fate
    /// Nanoseconds since the journal began, to 16 µs below.
    var time: Int64

    /// Appends the record's bytes.
    func write(to bytes: inout [UInt8]) {
        let tick = UInt32(min(max(0, time / Self.unit), Self.lastTick))
        for word in [connection, number, tick << 3 | UInt32(fate.rawValue)] {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
    }

    init(connection: UInt32, number: UInt32, fate: Fate, time: Int64) {
        self.connection = connection
        self.number = number
        self.fate = fate
        self.time = time
    }

    /// `nil` for bytes that are no record.
    init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else { return nil }
        func word(_ place: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self))
        }
        guard let fate = Fate(rawValue: UInt8(word(2) & 7)) else { return nil }
        self.init(connection: word(0), number: word(1), fate: fate, time: Int64(word(2) >> 3) * Self.unit)
    }
}
