/// How the codewords of one version and level are divided into blocks (7.5.1, table 9).
struct Layout {
    static let versions = 1...20

    let version: Int
    let correction: QRSymbol.Correction

    /// Modules on a side.
    var size: Int { version * 4 + 17 }

    /// Where the centres of the alignment patterns lie, on both axes (annex E).
    var alignment: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<(count - 1)).reversed().map { size - 7 - $0 * step }
    }

    /// Codewords of data and correction together (table 1): what the function patterns leave, in whole bytes.
    var codewords: Int {
        var modules = (16 * version + 128) * version + 64
        if version > 1 {
            let count = version / 7 + 2
            modules -= (25 * count - 10) * count - 55
            if version > 6 { modules -= 36 }
        }
        return modules / 8
    }

    var blocks: Int { (correction == .low ? Layout.blocks.low : Layout.blocks.medium)[version - 1] }
    /// Correction codewords of each block.
    var correctionCodewords: Int {
        (correction == .low ? Layout.corrections.low : Layout.corrections.medium)[version - 1]
    }
    var dataCodewords: Int { codewords - blocks * correctionCodewords }

    /// Bits of the character count (table 3, byte mode).
    private var countBits: Int { version < 10 ? 8 : 16 }
    /// What fits in byte mode, after 4 bits of mode and the count.
    var mostBytes: Int { (dataCodewords * 8 - 4 - countBits) / 8 }

    /// The data's bit stream, in byte mode, filled up (7.4.1, 7.4.5, 7.4.9, 7.4.10).
    func dataCodewords(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= mostBytes, "a layout was chosen that holds the bytes")
        var stream = BitStream()
        stream.append(0b0100, bits: 4)
        stream.append(bytes.count, bits: countBits)
        for byte in bytes { stream.append(Int(byte), bits: 8) }
        // The terminator, cut short where there is no room for it; then zeros up to the next codeword.
        stream.append(0, bits: min(4, dataCodewords * 8 - stream.count))
        stream.append(0, bits: (8 - stream.count % 8) % 8)
        var codewords = stream.bytes
        var filler: UInt8 = 0xEC
        while codewords.count < dataCodewords {
            codewords.append(filler)
            filler ^= 0xEC ^ 0x11
        }
        return codewords
    }

    /// Divides the data into blocks, adds each block's correction, and interleaves all (7.6).
    func interleaved(_ data: [UInt8]) -> [UInt8] {
        let short = dataCodewords / blocks
        let longBlocks = dataCodewords % blocks
        let generator = ReedSolomon(degree: correctionCodewords)
        var rest = data[...]
        var blocksOfData: [ArraySlice<UInt8>] = []
        for index in 0..<blocks {
            // The longer blocks, by one codeword, are the last ones.
            let length = short + (index >= blocks - longBlocks ? 1 : 0)
            blocksOfData.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        let corrections = blocksOfData.map { generator.remainder(of: $0) }
        var codewords: [UInt8] = []
        for place in 0...short {
            for block in blocksOfData where place < block.count { codewords.append(block[block.startIndex + place]) }
        }
        for place in 0..<correctionCodewords {
            for block in corrections { codewords.append(block[place]) }
        }
        return codewords
    }

    // Table 9, versions 1 to 20.
    private static let corrections = (
        low: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28],
        medium: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
    )
    private static let blocks = (
        low: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8],
        medium: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]
    )
}

/// Bits one after the other, the most significant first.
private struct BitStream {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func append(_ value: Int, bits: Int) {
        for place in (0..<bits).reversed() {
            if count % 8 == 0 { bytes.append(0) }
            if value >> place & 1 == 1 { bytes[count / 8] |= 0x80 >> (count % 8) }
            count += 1
        }
    }
}
