extension StringProtocol where SubSequence == Substring {
    /// The text without the spaces around it.
    package var trimmed: Substring {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return self[first...last]
    }

    /// What stands between its commas, as people write them: `jump, shake` is two.
    package var listed: [Substring] { split { $0 == "," }.map(\.trimmed).filter { !$0.isEmpty } }
}
