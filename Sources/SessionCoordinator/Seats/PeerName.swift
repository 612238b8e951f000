import WireProtocol

/// The names of controllers as people see them: no control characters, no terminal escapes, at most 63 bytes.
public enum PeerName {
    /// The name without what must not reach a terminal or a page; `nil` when it is longer than 63 bytes.
    public static func sanitised(_ name: String) -> String? {
        guard name.utf8.count <= 63 else { return nil }
        var clean = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where isShown(scalar) {
            // Pages show a run of spaces as one: it is one everywhere.
            if !scalar.properties.isWhitespace {
                clean.append(scalar)
            } else if clean.last != " " {
                clean.append(" ")
            }
        }
        guard clean.contains(where: isVisible) else { return "" }
        return String(clean).trimmingSpaces()
    }

    /// The name, or the name with the first number from 2 that makes it look unlike the others; at most 63 bytes, too.
    static func unique(_ name: String, among others: [String]) -> String {
        let own = look(of: name)
        guard others.contains(where: { look(of: $0) == own }) else { return name }
        // A whole crowd may give the same: each number is looked up, and not compared with everyone's.
        let taken = Set(others.map { look(of: $0) })
        var number = 2
        while taken.contains(look(of: numbered(name, number))) { number += 1 }
        return numbered(name, number)
    }

    /// The name without the signs that nobody sees, and with single spaces: two that differ in these alone are the same
    /// to people.
    private static func look(of name: String) -> String {
        // Of a whole crowd hardly any name has one: what is made anew for each would cost milliseconds.
        var isAfterSpace = true
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            defer { isAfterSpace = scalar == " " }
            return scalar == " " ? !isAfterSpace : isVisible(scalar)
        }
        if isPlain, !isAfterSpace { return name }
        var seen = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if isVisible(scalar) {
                seen.append(scalar)
            } else if scalar.properties.isWhitespace, !seen.isEmpty, seen.last != " " {
                seen.append(" ")
            }
        }
        if seen.last == " " { seen.removeLast() }
        return String(seen)
    }

    /// Whether it leaves a mark: no joiner, filler or selector (Unicode's Default_Ignorable_Code_Point), no space, no blank.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        (0x21...0x7E).contains(scalar.value)
            || !scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isWhitespace && scalar != "\u{2800}"
    }

    private static func numbered(_ name: String, _ number: Int) -> String {
        let suffix = " \(number)"
        var stem = Substring(name)
        while stem.utf8.count + suffix.utf8.count > 63 { stem.removeLast() }
        return stem + suffix
    }

    /// Whether people are to see it: joiners belong to emoji, all else that only formats may turn the text around it.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        guard isPrintable(scalar) else { return false }
        return scalar.properties.generalCategory != .format || scalar == "\u{200D}" || scalar == "\u{200C}"
    }
}

extension String {
    fileprivate func trimmingSpaces() -> String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
