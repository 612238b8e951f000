import Testing
import WireProtocol

@testable import QRCode

@Suite("QR codes")
struct QRSymbolTests {
    /// Every version and level.
    static let layouts = QRSymbol.Correction.allCases.flatMap { correction in
        Layout.versions.map { Layout(version: $0, correction: correction) }
    }

    @Test("A version holds as many bytes as the standard's table 7 says")
    func capacity() {
        let low = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858]
        let medium = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666]
        #expect(Layout.versions.map { Layout(version: $0, correction: .low).mostBytes } == low)
        #expect(Layout.versions.map { Layout(version: $0, correction: .medium).mostBytes } == medium)
    }

    @Test("The alignment patterns lie where annex E puts them")
    func alignment() {
        let expected: [Int: [Int]] = [
            1: [], 2: [6, 18], 6: [6, 34], 7: [6, 22, 38], 13: [6, 34, 62], 14: [6, 26, 46, 66], 15: [6, 26, 48, 70],
            16: [6, 26, 50, 74], 18: [6, 30, 56, 82], 20: [6, 34, 62, 90],
        ]
        for (version, centres) in expected {
            #expect(Layout(version: version, correction: .low).alignment == centres, "version \(version)")
        }
    }

    @Test("The standard's own example of correction: “01234567” in version 1-M (annex I.2)")
    func annexI() {
        let data: [UInt8] =
            [0x10, 0x20, 0x0C, 0x56, 0x61, 0x80] + [0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11]
        let correction: [UInt8] = [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55]
        #expect(ReedSolomon(degree: 10).remainder(of: data) == correction)
    }

    @Test("The smallest version is taken: with M while it is enough, then with L, and beyond 858 bytes none")
    func smallest() throws {
        for (count, version, correction) in [
            (0, 1, QRSymbol.Correction.medium), (14, 1, .medium), (15, 2, .medium), (213, 10, .medium),
            (214, 11, .medium), (666, 20, .medium), (667, 18, .low), (718, 18, .low), (719, 19, .low), (858, 20, .low),
        ] {
            let code = try QRSymbol([UInt8](repeating: 65, count: count))
            #expect(code.version == version && code.correction == correction, "\(count) bytes")
        }
        #expect(throws: QRSymbol.TooLong(bytes: 859, most: 858)) { try QRSymbol([UInt8](repeating: 65, count: 859)) }
    }

    @Test("Every version, level and mask equals qrencode's, module by module", .enabled(if: Oracles.has("qrencode")))
    func golden() throws {
        for (index, layout) in QRSymbolTests.layouts.enumerated() {
            var generator = SplitMix64(seed: UInt64(index))
            let smaller =
                layout.version == 1 ? 0 : Layout(version: layout.version - 1, correction: layout.correction).mostBytes
            for count in [layout.mostBytes, smaller + 1, (smaller + layout.mostBytes) / 2 + 1] where count > 0 {
                let bytes = generator.text(count)
                let theirs = try Oracles.encode(bytes, version: layout.version, layout.correction)
                try #require(theirs.count == layout.size && theirs.allSatisfy { $0.count == layout.size })
                // Which mask they chose stands in the format, whose own mask turns these three modules (7.9).
                let mask = [2, 3, 4].reduce(0) { $0 << 1 | (theirs[8][$1] ? 1 : 0) } ^ 0b101
                let ours = QRSymbol(bytes, layout, mask: mask)
                let isSame = (0..<layout.size).allSatisfy { y in
                    (0..<layout.size).allSatisfy { x in ours.isDark(x, y) == theirs[y][x] }
                }
                #expect(isSame, "version \(layout.version) \(layout.correction), \(count) bytes, mask \(mask)")
            }
        }
    }

    @Test(
        "Every version, at every level, with every mask is read back by zbarimg", .enabled(if: Oracles.has("zbarimg")))
    func readBack() throws {
        for (index, layout) in QRSymbolTests.layouts.enumerated() {
            var generator = SplitMix64(seed: UInt64(index))
            for mask in [nil, index % 8] {
                let bytes = generator.text(layout.mostBytes)
                let read = try Oracles.read(QRSymbol(bytes, layout, mask: mask).picture)
                #expect(read == bytes, "version \(layout.version) \(layout.correction), mask \(mask ?? -1)")
            }
        }
    }

    @Test("Texts of any length come back, and also with a stain on them", .enabled(if: Oracles.has("zbarimg")))
    func damaged() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("damaged QR codes: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        for _ in 0..<30 {
            let bytes = generator.text(Int.random(in: 1...300, using: &generator))
            let code = try QRSymbol(bytes)
            // A stain on the data, away from what a camera finds the code by: about 3 % of the modules.
            let side = code.size / 6
            let corner = code.size - side - 10
            let stained = picture(width: code.size + 8, height: code.size + 8) { x, y in
                let isStained = (corner..<(corner + side)).contains(x - 4) && (corner..<(corner + side)).contains(y - 4)
                return isStained || code.isDark(x - 4, y - 4)
            }
            #expect(try Oracles.read(code.picture) == bytes)
            #expect(try Oracles.read(stained) == bytes, "\(bytes.count) bytes, version \(code.version)")
        }
    }

    @Test("The mask with the least penalty is taken, and the penalty is the sum of the four rules")
    func penalty() throws {
        var generator = SplitMix64(seed: 7)
        for version in [1, 4, 9] {
            let layout = Layout(version: version, correction: .medium)
            let bytes = generator.text(layout.mostBytes)
            let all = (0..<8).map { QRSymbol(bytes, layout, mask: $0) }
            for code in all {
                #expect(code.modules.penalty == plainPenalty(code), "version \(version), mask \(code.mask)")
            }
            let chosen = QRSymbol(bytes, layout, mask: nil)
            #expect(chosen.modules.penalty == all.map(\.modules.penalty).min())
        }
    }

    /// Table 11 written down as it stands, slowly; what lies outside counts as light.
    private func plainPenalty(_ code: QRSymbol) -> Int {
        let all = 0..<code.size
        var penalty = 0
        let lines = all.map { y in all.map { code.isDark($0, y) } } + all.map { x in all.map { code.isDark(x, $0) } }
        for line in lines {
            var start = 0
            while start < line.count {
                let end = line[start...].firstIndex { $0 != line[start] } ?? line.count
                if end - start >= 5 { penalty += 3 + (end - start - 5) }
                start = end
            }
            let around = [Bool](repeating: false, count: code.size)
            penalty += 40 * finderLike(around + line + around)
        }
        for y in all.dropLast() {
            for x in all.dropLast() {
                let block = [
                    code.isDark(x, y), code.isDark(x + 1, y), code.isDark(x, y + 1), code.isDark(x + 1, y + 1),
                ]
                if Set(block).count == 1 { penalty += 3 }
            }
        }
        let dark = all.reduce(0) { sum, y in sum + all.count { code.isDark($0, y) } }
        let percent = Double(dark) * 100 / Double(code.size * code.size)
        return penalty + 10 * max(0, Int(((abs(percent - 50)) / 5).rounded(.up)) - 1)
    }

    /// Runs dark 1, light 1, dark 3, light 1, dark 1 in units of any length, with four units of light on a side.
    private func finderLike(_ line: [Bool]) -> Int {
        var runs: [(isDark: Bool, length: Int)] = []
        for module in line {
            if runs.last?.isDark == module { runs[runs.count - 1].length += 1 } else { runs.append((module, 1)) }
        }
        var count = 0
        for index in runs.indices where runs[index].isDark && index + 5 < runs.count && index > 0 {
            let unit = runs[index].length
            guard runs[index...(index + 4)].map(\.length) == [unit, unit, unit * 3, unit, unit] else { continue }
            let (before, after) = (runs[index - 1].length, runs[index + 5].length)
            if before >= unit * 4 && after >= unit { count += 1 }
            if after >= unit * 4 && before >= unit { count += 1 }
        }
        return count
    }
}
