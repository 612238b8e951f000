import Connections
import Foundation
import Roomful

/// A room as a file says it, made from the words of a `roomful host` command line.
struct WrittenRoom {
    /// TOML: one key a line, in the order given.
    private(set) var text = ""
    /// Files that the words name, as absolute paths.
    private(set) var files: [String] = []

    /// - Parameters:
    ///   - words: `["Living Room", "--seats", "8"]`.
    ///   - folder: what relative paths start from.
    /// - Throws: ``RoomError`` with code `badOption` for a word that no file can say.
    init(_ words: [String], folder: String) throws(RoomError) {
        var values: [(option: HostOption, texts: [String])] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            let (option, given, isOff) = try Self.option(of: word)
            var text = given
            if text == nil, case .flag = option.kind { text = isOff ? "false" : "true" }
            if text == nil, option.isPositional { text = word }
            guard let text = text ?? rest.popFirst(), !(option.isFile && text.isEmpty) else {
                throw RoomError(.badOption, "\(word) needs a value")
            }
            let place = values.firstIndex { $0.option == option }
            if let place, option.isPositional {
                let words = [values[place].texts[0], text].map { "\"\($0)\"" }.joined(separator: " and ")
                throw RoomError(.badOption, "a room has one name, not \(words): put one of several words in quotes")
            }
            if let place, option.kind == .list {
                values[place].texts.append(text)
            } else {
                values.removeAll { $0.option == option }
                values.append((option, [text]))
            }
        }
        for (option, texts) in values { say(option, texts, folder) }
    }

    /// Which key a word stands for, and its value where the word holds it.
    private static func option(of word: String) throws(RoomError) -> (HostOption, value: String?, isOff: Bool) {
        guard word.hasPrefix("--") else {
            guard !word.hasPrefix("-"), let name = HostOption.all.first(where: \.isPositional) else {
                throw RoomError(.badOption, "\(word) cannot stand in a file; roomful config print lists what can")
            }
            return (name, nil, false)
        }
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let key = parts.first.map(String.init) ?? ""
        let value = parts.count == 2 ? String(parts[1]) : nil
        if let option = HostOption.all.first(where: { $0.key == key && !$0.isPositional }) {
            return (option, value, false)
        }
        if key.hasPrefix("no-"), let option = HostOption.all.first(where: { $0.key == key.dropFirst(3) }),
            option.kind == .flag(canBeOff: true)
        {
            return (option, nil, true)
        }
        let near = nearestWord(to: key, among: HostOption.all.map(\.key)).map { "; did you mean --\($0)?" } ?? ";"
        throw RoomError(.badOption, "--\(key) cannot stand in a file\(near) roomful config print lists what can")
    }

    private mutating func say(_ option: HostOption, _ texts: [String], _ folder: String) {
        switch option.kind {
        case .flag: text += "\(option.key) = \(texts[0])\n"
        case .list: text += "\(option.key) = [\(texts.map(Self.quoted).joined(separator: ", "))]\n"
        case .text:
            var value = texts[0]
            if option.isFile {
                value = value.hasPrefix("/") ? value : folder + "/" + value
                files.append(value)
            }
            // What TOML would write otherwise stays a text: 007, +5.
            let isPlainNumber = Int(value).map { "\($0)" } == value
            text += "\(option.key) = \(isPlainNumber ? value : Self.quoted(value))\n"
        }
    }

    /// A basic string of TOML 1.0: quotes, backslashes and control characters escaped.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 32 || scalar.value == 127:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
