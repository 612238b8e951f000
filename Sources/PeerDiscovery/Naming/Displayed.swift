extension String {
    /// This text with everything made visible that could move a cursor, colour a terminal or reorder a line.
    ///
    /// Each such scalar becomes `\u{…}`, as Swift would write it, so that a forged name stays recognisable and harmless.
    package var displayed: String {
        guard !unicodeScalars.allSatisfy(\.isSafeToShow) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isSafeToShow {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether this scalar shows as itself: no control character, line separator or invisible format character.
    ///
    /// The joiners stay, because families of emoji and Persian words are written with them, and so do the tag characters
    /// that make regional flags.
    var isSafeToShow: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: value == 0x200C || value == 0x200D || (0xE0020...0xE007F).contains(value)
        default: true
        }
    }
}
