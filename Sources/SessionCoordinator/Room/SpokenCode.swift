/// An admission code as it is compared, however it was typed: case, spaces and dashes do not matter, nor does an O for
/// a 0, an I or an L for a 1 (Crockford's Base 32).
enum SpokenCode {
    /// Takes the same time wherever the first difference lies.
    static func isSame(_ code: String, _ other: String) -> Bool {
        let (a, b) = (significant(code), significant(other))
        return a.count == b.count && zip(a, b).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }

    static func significant(_ code: String) -> [UInt8] {
        code.utf8.compactMap { character in
            switch character {
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "\t"): nil
            case UInt8(ascii: "O"), UInt8(ascii: "o"): UInt8(ascii: "0")
            case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "L"), UInt8(ascii: "l"): UInt8(ascii: "1")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 32
            default: character
            }
        }
    }
}
