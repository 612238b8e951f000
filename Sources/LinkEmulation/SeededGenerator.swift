import WireProtocol

/// The same random numbers from the same seed, on every machine: xoshiro256** (Blackman and Vigna, 2018).
///
/// Its state is filled by SplitMix64, as its authors advise, so that near seeds give unlike sequences.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    public init(seed: UInt64) {
        var mix = SplitMix64(seed: seed)
        state = (mix.next(), mix.next(), mix.next(), mix.next())
    }

    public mutating func next() -> UInt64 {
        let result = (state.1 &* 5).rotatedLeft(by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3.rotatedLeft(by: 45)
        return result
    }

    /// A number from 0 up to, not including, 1: all 53 bits of a `Double` are random.
    public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// True with the given probability; draws one number whatever the answer.
    public mutating func chance(_ probability: Double) -> Bool { fraction() < probability }
}

extension UInt64 {
    fileprivate func rotatedLeft(by bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
