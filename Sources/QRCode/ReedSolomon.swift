/// The error correction of QR codes: Reed and Solomon's code over GF(2^8), polynomial x^8 + x^4 + x^3 + x^2 + 1 (7.5.2).
struct ReedSolomon {
    /// Coefficients of the generator polynomial, the highest power first, without the leading 1.
    private let generator: [UInt8]

    /// - Parameter degree: how many correction codewords a block has, 1 to 255.
    init(degree: Int) {
        precondition((1...255).contains(degree), "a block has 1 to 255 correction codewords")
        // (x - 2^0)(x - 2^1)…(x - 2^(degree - 1)), one factor after the other (annex A).
        var product = [UInt8](repeating: 0, count: degree)
        product[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for place in 0..<degree {
                product[place] = ReedSolomon.multiply(product[place], root)
                if place + 1 < degree { product[place] ^= product[place + 1] }
            }
            root = ReedSolomon.multiply(root, 2)
        }
        generator = product
    }

    /// The correction codewords of a block: what is left of the data divided by the generator.
    func remainder(of data: some Collection<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for place in generator.indices { remainder[place] ^= ReedSolomon.multiply(generator[place], factor) }
        }
        return remainder
    }

    /// The product in the field.
    static func multiply(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for place in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) * 0x1D
            product ^= (b >> place & 1) * a
        }
        return product
    }
}
