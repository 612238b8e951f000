import WireProtocol

/// The generator behind every seeded choice here.
extension SplitMix64 {
    /// 0 up to, but not including, 1; the same on every platform.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
