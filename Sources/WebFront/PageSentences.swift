import Foundation

/// The pages' sentences in one language, for what is written without a browser: a poster.
///
/// They stand once, in `Sources/Pages/language`; of those files only plain texts are read, not plural forms.
package struct PageSentences: Hashable, Sendable {
    /// Two letters: `en`, `ar`.
    package let language: String
    private let texts: [String: String]

    /// The languages that there are, in order.
    package static let languages = WebPages.bundledLanguages.sorted()

    package static let english = PageSentences(ReaderLanguage.fallback) ?? PageSentences("en", source: "")

    /// The language of this process' environment, by POSIX's order of `LC_ALL`, `LC_MESSAGES` and `LANG`; English where
    /// that is none of ours.
    package static var ofThisSystem: PageSentences {
        let environment = ProcessInfo.processInfo.environment
        let wish = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let letters = wish.prefix { $0.isLetter && $0.isASCII }.lowercased()
        return PageSentences(letters) ?? english
    }

    /// `nil` when there is no such language.
    package init?(_ language: String) {
        guard let bytes = WebPages.bundled(at: "language/\(language).js") else { return nil }
        self.init(language, source: String(decoding: bytes, as: UTF8.self))
    }

    /// Written from right to left.
    package var isRightToLeft: Bool { ["ar", "fa", "he", "ur"].contains(language) }

    /// A sentence, in which `{name}` stands for the value of that name; its key where there is no such sentence.
    package func text(_ key: String, _ values: [String: String] = [:]) -> String {
        // From the sentence's own places: what a value holds is never taken for one.
        var rest = (texts[key] ?? key)[...]
        var result = ""
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            result += rest[..<open] + (values[name] ?? "{\(name)}")
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// Reads lines such as `"key": "text",` and `+ "more of it",`.
    init(_ language: String, source: String) {
        self.language = language
        var texts: [String: String] = [:]
        var key: String?
        for line in source.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("+ \""), let key {
                texts[key, default: ""] += Self.literal(line.dropFirst(3))
            } else if line.hasPrefix("\""), let colon = line.firstRange(of: "\": \"") {
                let name = String(line[..<colon.lowerBound].dropFirst())
                texts[name] = Self.literal(line[colon.upperBound...])
                key = name
            } else {
                key = nil
            }
        }
        self.texts = texts
    }

    /// What stands before the closing quotation mark.
    private static func literal(_ text: Substring) -> String {
        String(text[..<(text.lastIndex(of: "\"") ?? text.endIndex)])
    }
}
