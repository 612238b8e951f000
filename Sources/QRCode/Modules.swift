/// The modules of a code while it is drawn: which are dark, and which belong to function patterns.
struct Modules: Hashable, Sendable {
    let size: Int
    private var dark: [Bool]
    private var isFunction: [Bool]

    init(size: Int) {
        self.size = size
        dark = Array(repeating: false, count: size * size)
        isFunction = dark
    }

    subscript(_ x: Int, _ y: Int) -> Bool { dark[y * size + x] }

    private mutating func draw(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        dark[y * size + x] = isDark
        isFunction[y * size + x] = true
    }

    // MARK: Function patterns (6.3)

    mutating func drawFunctionPatterns(_ layout: Layout) {
        for place in 0..<size {
            draw(6, place, place % 2 == 0)
            draw(place, 6, place % 2 == 0)
        }
        drawFinder(3, 3)
        drawFinder(size - 4, 3)
        drawFinder(3, size - 4)
        let centres = layout.alignment
        for x in centres {
            for y in centres {
                // Where a finder is there is none.
                let (first, last) = (centres.first, centres.last)
                if (x, y) == (first, first) || (x, y) == (first, last) || (x, y) == (last, first) { continue }
                drawAlignment(x, y)
            }
        }
        drawFormat(layout.correction, mask: 0)
        drawVersion(layout.version)
    }

    /// A finder pattern with its separator, around its centre.
    private mutating func drawFinder(_ x: Int, _ y: Int) {
        for dy in -4...4 {
            for dx in -4...4 {
                let distance = max(abs(dx), abs(dy))
                draw(x + dx, y + dy, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ x: Int, _ y: Int) {
        for dy in -2...2 {
            for dx in -2...2 { draw(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
        }
    }

    /// The level and the mask, twice, each with its own correction (7.9).
    mutating func drawFormat(_ correction: QRSymbol.Correction, mask: Int) {
        let data = (correction == .low ? 0b01 : 0b00) << 3 | mask
        let bits = (data << 10 | remainder(of: data, by: 0x537, degree: 10)) ^ 0x5412
        func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }

        for place in 0...5 { draw(8, place, bit(place)) }
        draw(8, 7, bit(6))
        draw(8, 8, bit(7))
        draw(7, 8, bit(8))
        for place in 9...14 { draw(14 - place, 8, bit(place)) }

        for place in 0...7 { draw(size - 1 - place, 8, bit(place)) }
        for place in 8...14 { draw(8, size - 15 + place, bit(place)) }
        // Always dark.
        draw(8, size - 8, true)
    }

    /// The version, twice, from version 7 on (7.10).
    private mutating func drawVersion(_ version: Int) {
        guard version >= 7 else { return }
        let bits = version << 12 | remainder(of: version, by: 0x1F25, degree: 12)
        for place in 0..<18 {
            let isDark = bits >> place & 1 == 1
            let (a, b) = (size - 11 + place % 3, place / 3)
            draw(a, b, isDark)
            draw(b, a, isDark)
        }
    }

    // MARK: Data

    /// Places the codewords in columns of two, from the lower right, up and down in turn (7.7.3).
    mutating func drawCodewords(_ codewords: [UInt8]) {
        var bit = 0
        var right = size - 1
        var goesUp = true
        while right >= 1 {
            // The vertical timing pattern is left out.
            if right == 6 { right = 5 }
            for step in 0..<size {
                let y = goesUp ? size - 1 - step : step
                for x in [right, right - 1] where !isFunction[y * size + x] && bit < codewords.count * 8 {
                    dark[y * size + x] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            right -= 2
            goesUp.toggle()
        }
    }

    /// Turns over the data's modules where the pattern says so (7.8.2, table 10).
    mutating func apply(mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isFunction[y * size + x] {
                let turns =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (y / 2 + x / 3) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if turns { dark[y * size + x].toggle() }
            }
        }
    }
}

/// What is left of `value`, moved up by `degree`, divided by the polynomial: a BCH code's check bits (annexes C and D).
private func remainder(of value: Int, by polynomial: Int, degree: Int) -> Int {
    var rest = value
    for _ in 0..<degree { rest = rest << 1 ^ (rest >> (degree - 1)) * polynomial }
    return rest
}
