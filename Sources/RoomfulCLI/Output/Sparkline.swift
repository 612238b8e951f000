/// A row of blocks, one a value, as high as the value is.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// - Parameters:
    ///   - values: what is not known is a dot.
    ///   - least: the lowest value that fills a whole block, so that noise does not look like mountains.
    static func text(_ values: [Double?], least: Double) -> String {
        let top = max(least, values.compactMap(\.self).max() ?? 0)
        return String(
            values.map { value in
                guard let value else { return "·" }
                // Another host of a site may tell any number.
                let share = min(max(value / top, 0), 1)
                return blocks[Int((share * Double(blocks.count - 1)).rounded(.up))]
            })
    }
}
