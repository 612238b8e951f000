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
        let place = text.withBytes { $0.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } }
        guard let place else {
            rest = nil
            return Substring(text)
        }
        let end = text.index(text.startIndex, offsetBy: place)
        let after = text[text.index(after: end)...]
        let isPair = text[end] == UInt8(ascii: "\r") && after.first == UInt8(ascii: "\n")
        rest = isPair ? after.dropFirst() : after
        return Substring(text[..<end])
    }
}

extension Substring {
    /// Whether there is nothing to be seen in it.
    var isBlank: Bool {
        guard let first = utf8.first, first <= 0x20 || first >= 0x80 else { return isEmpty }
        return allSatisfy(\.isWhitespace)
    }
}

extension Substring.UTF8View {
    /// Calls `body` with the bytes as they lie in memory: asked for one by one, each would be a call.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = withContiguousStorageIfAvailable(body) { return result }
        // A text that came from another language's runtime lies elsewhere.
        return Array(self).withUnsafeBufferPointer(body)
    }
}
