/// The colours that tell seats apart: distinct for people who see red and green alike (after Okabe and Ito, 2008).
package enum SeatColor {
    private static let palette: [UInt32] = [
        0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xD55E00, 0xF0E442, 0x7F7F7F,
    ]

    static func of(seat: Int) -> UInt32 { palette[(seat - 1) % palette.count] }

    /// `#rrggbb`.
    package static func text(_ color: UInt32) -> String {
        let digits = String(color & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
