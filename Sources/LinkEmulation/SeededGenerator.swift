/// The same random numbers from the same seed, on every machine: xoshiro256** (Blackman and Vigna, 2018).
///
/// Its state is filled by SplitMix64, as its authors advise, so that near seeds give unlike sequences.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    public init(seed: UInt64) {
        var mix = SplitMix64(state: seed)
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

/// Spreads one seed over many (Steele, Lea and Flood, 2014).
struct SplitMix64: Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension UInt64 {
    fileprivate func rotatedLeft(by bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
