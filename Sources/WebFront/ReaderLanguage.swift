/// Chooses the language in which a browser's user reads the pages: the most wanted of those that there are, by
/// `Accept-Language` (RFC 9110, 12.5.4). Regions and scripts are left aside, as "Deutsch" is one file.
enum ReaderLanguage {
    /// What a reader gets who wants none of ours.
    static let fallback = "en"
    /// Nobody reads more; whoever sends more is no reader.
    private static let mostWanted = 32

    static func best(of known: Set<String>, wanted header: String) -> String {
        let wanted = header.split(separator: ",", maxSplits: mostWanted).prefix(mostWanted).compactMap(Wish.init)
        let best = wanted.enumerated()
            .filter { $0.element.weight > 0 && known.contains($0.element.language) }
            .max { ($0.element.weight, $1.offset) < ($1.element.weight, $0.offset) }
        return best?.element.language ?? fallback
    }

    /// One language of the header, and how much it is wanted, from 0 to 1.
    private struct Wish {
        var language: String
        var weight = 1.0

        init?(_ text: Substring) {
            let parts = text.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            guard let tag = parts.first, let primary = tag.split(separator: "-").first else { return nil }
            language = primary.lowercased()
            for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("q=") {
                weight = Double(parameter.dropFirst(2)) ?? 0
            }
        }
    }
}
