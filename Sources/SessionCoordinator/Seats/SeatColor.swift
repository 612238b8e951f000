/// The colours that tell seats apart: distinct for people who see red and green alike (after Okabe and Ito, 2008).
package enum SeatColor {
    private static let palette: [(rgb: UInt32, name: String)] = [
        (0x0072B2, "Blue"), (0xE69F00, "Orange"), (0x009E73, "Green"), (0xCC79A7, "Pink"), (0x56B4E9, "Sky"),
        (0xD55E00, "Red"), (0xF0E442, "Yellow"), (0x7F7F7F, "Grey"),
    ]

    private static func entry(ofSeat seat: Int) -> (rgb: UInt32, name: String) { palette[(seat - 1) % palette.count] }

    static func of(seat: Int) -> UInt32 { entry(ofSeat: seat).rgb }

    /// The same in a word.
    static func name(ofSeat seat: Int) -> String { entry(ofSeat: seat).name }

    /// `#rrggbb`.
    package static func text(_ color: UInt32) -> String {
        let digits = String(color & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
