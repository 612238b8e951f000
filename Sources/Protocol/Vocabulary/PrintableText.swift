/// Whether a character of somebody else's text may reach a terminal or a file of ours.
///
/// Control characters and terminal escapes may not, nor what reorders the text around it or cannot be seen
/// (Unicode general categories Cc, Zl, Zp, and the bidirectional overrides and isolates of UAX #9).
package func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
    }
}

/// The text without what must not be printed.
package func printable(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text.unicodeScalars.filter(isPrintable))
    return String(scalars)
}

/// A stranger's text, fit for a terminal: without control characters and not too long.
package func spoken(_ text: String, atMost bytes: Int) -> String {
    var result = ""
    for character in printable(String(text.unicodeScalars.prefix(bytes))) {
        guard result.utf8.count + character.utf8.count <= bytes else { break }
        result.append(character)
    }
    return result
}

/// A word as a shell takes it, whatever it holds: as it is where it needs no marks, else between them.
package func shellWord(_ text: String) -> String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,".unicodeScalars
    let scalars = printable(text).unicodeScalars
    guard scalars.isEmpty || scalars.contains(where: { !plain.contains($0) }) else { return String(scalars) }
    // A mark that something joins itself to is another character to us, and the same mark to a shell.
    let parts = scalars.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.map { String($0) }.joined(separator: "'\\''") + "'"
}

/// Text in an element or a quoted attribute of XML or HTML; what XML cannot hold at all (XML 1.0, 2.2) is left out.
///
/// Sign by sign: one that an accent joins is another character to us, and the same sign to a browser.
package func escapedForXML(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        case "'": escaped += "&#39;"
        case "\t", "\n", "\r", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
            escaped.unicodeScalars.append(scalar)
        default: break
        }
    }
    return escaped
}
