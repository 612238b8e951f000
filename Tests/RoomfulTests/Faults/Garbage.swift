import WireProtocol

/// Datagrams of no sense in all the ways that are told apart: any bytes, the right first byte, an existing seat's id.
struct Garbage {
    private var random: SplitMix64
    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func next() -> [UInt8] {
        let draw = random.next()
        var bytes = [UInt8](unsafeUninitializedCapacity: Int(draw % 600)) { buffer, count in
            for place in buffer.indices {
                buffer[place] = UInt8(truncatingIfNeeded: (draw &+ UInt64(place)) &* 0x9E37_79B9 >> 16)
            }
            count = buffer.count
        }
        if bytes.count >= 9, draw >> 40 % 4 != 0 {
            // Seat 1 of a room that has just opened: place 0, generation 1.
            let id: [UInt8] = draw >> 48 % 2 == 0 ? [0, 0, 0, 1] : Array(bytes[1..<5])
            bytes.replaceSubrange(0..<5, with: [0x11] + id)
        }
        return bytes
    }
}
