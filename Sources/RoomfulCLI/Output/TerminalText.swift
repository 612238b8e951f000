import WireProtocol

/// Text as terminals lay it out: how wide it is, and how it is cut.
enum TerminalText {
    /// Columns that a text takes: East Asian wide characters and emoji two, combining marks and isolates none.
    static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The text, or its beginning and an ellipsis, in no more columns than these.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var (kept, used) = ("", 0)
        for character in text {
            let width = width(of: character)
            guard used + width < columns else { break }
            kept.append(character)
            used += width
        }
        return columns > 0 ? kept + isolateEnds(of: kept) + "…" : ""
    }

    /// A name within a sentence: one that is written from right to left turns nothing around it (Unicode UAX 9, FSI).
    static func isolated(_ name: String) -> String { name.isolated }

    /// Breaks a line between words, so that none is wider; further lines begin with `indent`. A space that must not be
    /// broken is U+00A0, and comes out as a space.
    static func wrapped(_ line: String, to columns: Int, indent: String = "") -> [String] {
        let start = line.prefix { $0 == " " }
        var (lines, current, isEmpty) = ([String](), String(start), true)
        for word in line.dropFirst(start.count).split(separator: " ") {
            let candidate = isEmpty ? current + word : current + " " + word
            if isEmpty || width(candidate) <= columns {
                current = candidate
            } else {
                lines.append(current)
                current = indent + word
            }
            isEmpty = false
        }
        return (lines + [current]).map { $0.replacing("\u{A0}", with: " ") }
    }

    private static func isolateEnds(of text: String) -> String {
        let open = text.unicodeScalars.count { $0 == "\u{2068}" } - text.unicodeScalars.count { $0 == "\u{2069}" }
        return String(repeating: "\u{2069}", count: max(0, open))
    }

    private static func width(of character: Character) -> Int {
        guard let base = character.unicodeScalars.first else { return 0 }
        let properties = base.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return 0
        default: break
        }
        let isEmoji =
            properties.isEmojiPresentation || character.unicodeScalars.contains { $0 == "\u{FE0F}" || $0 == "\u{200D}" }
        return isEmoji || isWide(base) ? 2 : 1
    }

    /// East Asian Width W and F (Unicode UAX 11), by blocks.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
