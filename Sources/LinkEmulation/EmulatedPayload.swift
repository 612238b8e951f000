/// What crosses an emulated link: something that has a size and can be damaged on the way.
public protocol EmulatedPayload {
    /// Bytes on the wire: what a bottleneck's rate counts.
    var byteCount: Int { get }

    /// Flips one bit that `choice`, evenly spread over all values, picks.
    mutating func flipBit(_ choice: UInt64)
}

extension Array: EmulatedPayload where Element == UInt8 {
    public var byteCount: Int { count }

    public mutating func flipBit(_ choice: UInt64) {
        guard !isEmpty else { return }
        let bit = choice % UInt64(count * 8)
        self[Int(bit / 8)] ^= 1 << UInt8(bit % 8)
    }
}
