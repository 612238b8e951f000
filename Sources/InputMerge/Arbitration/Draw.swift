/// Draws lots that anyone can draw again: from a seed and the number of the verdict.
///
/// SplitMix64 (Steele, Lea & Flood 2014); each of a few is equally likely to within 2⁻⁶⁰.
struct Draw: Sendable {
    private var state: UInt64

    init(seed: UInt64, serial: UInt64) { state = seed &+ serial &* 0x9E37_79B9_7F4A_7C15 }

    /// 0 to `count` - 1.
    mutating func lot(of count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
