package import TOMLKit
package import WireProtocol

/// Opens a text that somebody wrote by hand.
///
/// - Parameters:
///   - file: what errors call it.
///   - namelessHeader: what to write in place of a header that begins with no name.
/// - Throws: ``RoomError`` with code `badOption`, naming file and line.
package func openedTOML(
    _ text: String, from file: String, namelessHeader: String
) throws(RoomError) -> TOMLTable {
    if let (line, trap) = tomlTrap(in: text) {
        let words =
            switch trap {
            case .namelessHeader: namelessHeader
            case .date: "no key takes a date"
            case .braceInList: "a list that [ begins ends with ]"
            case .deepKey: "no key has so many parts"
            }
        throw RoomError(.badOption, "\(file):\(line): \(words)")
    }
    do {
        return try TOMLTable(string: text)
    } catch let error as TOMLParseError {
        throw RoomError(.badOption, "\(file):\(error.source.begin.line): \(error.description)")
    } catch {
        throw RoomError(.badOption, "\(file): \(error)")
    }
}

/// At what toml++ 3 ends the program (assertions in its `parse_key`, `parse_time` and `parse_value`); it says in words what
/// else is wrong in a file.
private enum TOMLTrap {
    /// A table header that begins with no name, such as `[.jump]` or `[é]`.
    case namelessHeader
    /// A date with no time of day behind its T, such as `1979-05-27T;`, or what looks like one before a digit, such as
    /// `1979-05-2x 9`.
    case date
    /// A list that a brace would close, such as `[1, }`.
    case braceInList
    /// A key of so many parts, `a.a.a…`, that its tables, one within the other, need more stack than there is.
    case deepKey
}

/// The first of these in a text, and its line, from 1.
///
/// This looks at nothing else: texts, comments and arrays are only found to be left out.
private func tomlTrap(in text: String) -> (line: Int, trap: TOMLTrap)? {
    var traps = TOMLTraps(Array(text.utf8))
    return traps.first()
}

private struct TOMLTraps {
    private static let mostParts = 64

    private let bytes: [UInt8]
    private var place = 0
    private var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func first() -> (line: Int, trap: TOMLTrap)? {
        // The brackets and braces of values that are open, innermost last.
        var open: [UInt8] = []
        var (isAtStart, isInHeader) = (true, false)
        var parts = 0
        while let byte = next {
            if byte == UInt8(ascii: ".") { parts += 1 } else if !isOfKey(byte) { parts = 0 }
            if parts > Self.mostParts { return (line, .deepKey) }
            switch byte {
            case UInt8(ascii: "\n"): (isAtStart, isInHeader) = (true, false)
            case UInt8(ascii: "#"):
                skipComment()
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipText(fence: byte)
                isAtStart = false
                continue
            case UInt8(ascii: "["):
                if isAtStart, open.isEmpty {
                    if isNameless() { return (line, .namelessHeader) }
                    isInHeader = true
                } else if !isInHeader {
                    open.append(byte)
                }
                isAtStart = false
            case UInt8(ascii: "]"): if !isInHeader, open.last == UInt8(ascii: "[") { open.removeLast() }
            case UInt8(ascii: "{"):
                open.append(byte)
                isAtStart = false
            case UInt8(ascii: "}"):
                if open.last == UInt8(ascii: "[") { return (line, .braceInList) }
                if !open.isEmpty { open.removeLast() }
            // Whatever may be taken for space at a line's beginning.
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case ...UInt8(ascii: " "), 0x80...: isAtStart = true
            default:
                if isDateWithoutTime() || isDateBeforeDigit() { return (line, .date) }
                isAtStart = false
            }
            advance()
        }
        return nil
    }

    private mutating func advance() {
        if next == UInt8(ascii: "\n") { line += 1 }
        place += 1
    }

    private mutating func skipComment() { while let byte = next, byte != UInt8(ascii: "\n") { advance() } }

    /// A text of one line ends with it, if not before; one in three marks goes on to the next three.
    private mutating func skipText(fence: UInt8) {
        let isLong = bytes[place...].starts(with: [fence, fence, fence])
        for _ in 0..<(isLong ? 3 : 1) { advance() }
        while let byte = next {
            if isLong, bytes[place...].starts(with: [fence, fence, fence]) {
                for _ in 0..<3 { advance() }
                // Up to two more of the same before these were the text's own.
                for _ in 0..<2 where next == fence { advance() }
                return
            }
            if !isLong, byte == fence { return advance() }
            if !isLong, byte == UInt8(ascii: "\n") { return }
            if byte == UInt8(ascii: "\\"), fence == UInt8(ascii: "\"") { advance() }
            if next != nil { advance() }
        }
    }

    /// Whether what follows the one or two brackets here is no name, and no third bracket that TOML's own reader refuses.
    private func isNameless() -> Bool {
        var rest = bytes[(place + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if rest.first == UInt8(ascii: "[") {
            rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        }
        // A bare key, a quoted one, or nothing, of which TOML's own reader says what is wrong.
        return !(rest.first.map { isBare($0) || "\"']".utf8.contains($0) } ?? true)
    }

    /// Whether a date begins here, `1979-05-27T` or with a space for the T, and no digit follows it.
    private func isDateWithoutTime() -> Bool {
        guard place == 0 || !isBare(bytes[place - 1]), bytes.count - place > 11 else { return false }
        let date = bytes[place..<place + 10].map { isDigit($0) ? UInt8(ascii: "0") : $0 }
        return date == Array("0000-00-00".utf8) && "Tt ".utf8.contains(bytes[place + 10]) && !isDigit(bytes[place + 11])
    }

    /// Whether a value of ten characters begins here that could be a date, its underscores not counted, and a digit follows
    /// it after a space.
    private func isDateBeforeDigit() -> Bool {
        guard place == 0 || !isBare(bytes[place - 1]), isDigit(bytes[place]) else { return false }
        var (characters, end) = ([UInt8](), place)
        while end < bytes.count, characters.count <= 10, !" \t\r\n,]}#".utf8.contains(bytes[end]) {
            let isCounted = bytes[end] != UInt8(ascii: "_") && bytes[end] & 0xC0 != 0x80
            if isCounted { characters.append(bytes[end]) }
            end += 1
        }
        guard characters.count == 10, end + 1 < bytes.count else { return false }
        return characters[4] == UInt8(ascii: "-") && characters[7] == UInt8(ascii: "-")
            && bytes[end] == UInt8(ascii: " ") && isDigit(bytes[end + 1])
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a key may go on with it, a quoted part's beginning and space between parts included.
    private func isOfKey(_ byte: UInt8) -> Bool { isBare(byte) || " \t\"'".utf8.contains(byte) }

    private func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
