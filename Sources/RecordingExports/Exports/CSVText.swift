/// A text as a cell of comma-separated values (RFC 4180): always between quotes, and never a formula.
///
/// A spreadsheet takes for a formula what begins with one of a few signs, whatever white space or unseen character stands
/// before the sign or joins itself to it. One that separates at semicolons does not heed our quotes, since for it the cell
/// began further left: there each part is looked at. An apostrophe before the sign makes the cell a text.
package func csvText(_ text: String) -> String {
    var cell = "\"".unicodeScalars
    var isAtBeginning = true
    for scalar in text.unicodeScalars {
        switch scalar {
        case ";", "\t", "\n", "\r": isAtBeginning = true
        case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}":
            if isAtBeginning { cell.append("'") }
            isAtBeginning = false
        default: isAtBeginning = isAtBeginning && (scalar == "\"" || isUnseen(scalar))
        }
        if scalar == "\"" { cell.append(scalar) }
        cell.append(scalar)
    }
    cell.append("\"")
    return String(cell)
}

/// An object of JSON as such a cell: whoever parses it reads what was written.
///
/// A semicolon stands only within its strings, where its escape is the same: so nothing is separated there, and no
/// apostrophe comes between.
func csvText(json: String) -> String {
    var escaped = "".unicodeScalars
    for scalar in json.unicodeScalars {
        if scalar == ";" {
            escaped.append(contentsOf: "\\u003b".unicodeScalars)
        } else {
            escaped.append(scalar)
        }
    }
    return csvText(String(escaped))
}

/// White space, and what spreadsheets may leave out when they read.
private func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
        || [.control, .format].contains(properties.generalCategory)
}
