/// Rows of text under a heading, each column as wide as it must be; figures stand on the right.
struct Table {
    private let heading: [String]
    private let isFigure: [Bool]
    private var rows: [[String]] = []

    /// - Parameter columns: a heading that begins with `>` stands over figures.
    init(_ columns: [String]) {
        isFigure = columns.map { $0.hasPrefix(">") }
        heading = columns.map { $0.hasPrefix(">") ? String($0.dropFirst()) : $0 }
    }

    mutating func add(_ row: [String]) {
        precondition(row.count == heading.count, "a row has as many cells as the table has columns")
        rows.append(row)
    }

    var text: String {
        var widths = heading.map(\.count)
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
        }
        return ([heading] + rows).map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return isFigure[column] ? padding + cell : cell + padding
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}
