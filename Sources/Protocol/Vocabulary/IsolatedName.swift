extension String {
    /// A name within a sentence: one that is written from right to left stands between U+2068 and U+2069, so that it turns
    /// nothing around it (Unicode UAX #9); any other is as it is.
    package var isolated: String {
        unicodeScalars.contains(where: \.isRightToLeft) ? "\u{2068}\(self)\u{2069}" : self
    }
}

extension Unicode.Scalar {
    /// Bidi classes R and AL, by the blocks that are set aside for them.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
