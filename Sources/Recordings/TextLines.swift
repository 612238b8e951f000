/// A text's lines, without what ends them: LF, CR LF or CR.
///
/// By bytes: to find a text's characters takes longer than to read the numbers that they spell.
struct TextLines: Sequence, IteratorProtocol {
    /// What follows the last line that was given; `nil` after the last of all.
    private var rest: Substring.UTF8View?

    /// - Parameter text: an empty one is one empty line.
    init(of text: String) { rest = Substring(text).utf8 }

    mutating func next() -> Substring? {
        guard let text = rest else { return nil }
        guard let end = text.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
            rest = nil
            return Substring(text)
        }
        let after = text[text.index(after: end)...]
        let isPair = text[end] == UInt8(ascii: "\r") && after.first == UInt8(ascii: "\n")
        rest = isPair ? after.dropFirst() : after
        return Substring(text[..<end])
    }
}
