/// Rows of text under a heading, each column as wide as it must be; figures stand on the right.
struct Table {
    private struct Column {
        let heading: String
        let isFigure: Bool
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// - Parameter columns: a heading that begins with `>` stands over figures.
    init(_ columns: [String]) {
        self.columns = columns.map { heading in
            let isFigure = heading.hasPrefix(">")
            return Column(heading: isFigure ? String(heading.dropFirst()) : heading, isFigure: isFigure)
        }
    }

    mutating func add(_ row: [String]) {
        precondition(row.count == columns.count, "a row has as many cells as the table has columns")
        rows.append(row)
    }

    var text: String { lines(Array(columns.indices)).joined(separator: "\n") }

    /// The heading and the rows, in no more columns of a terminal than these.
    ///
    /// - Parameter sacrifices: by heading, what is left out first where not everything fits.
    func lines(within width: Int, leavingOut sacrifices: [Int]) -> [String] {
        var shown = Array(columns.indices)
        for column in sacrifices {
            guard lines(shown).map({ TerminalText.width($0) }).max() ?? 0 > width else { break }
            shown.removeAll { $0 == column }
        }
        return lines(shown).map { TerminalText.cut($0, to: width) }
    }

    private func lines(_ shown: [Int]) -> [String] {
        let all = [columns.map(\.heading)] + rows
        let widths = shown.map { column in all.map { TerminalText.width($0[column]) }.max() ?? 0 }
        return all.map { row in
            let cells = zip(shown, widths).map { column, width in
                let padding = String(repeating: " ", count: width - TerminalText.width(row[column]))
                let cell = TerminalText.isolated(row[column])
                return columns[column].isFigure ? padding + cell : cell + padding
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
