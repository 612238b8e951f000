import Foundation

/// A CSV file with a head line: the recordings and their labels.
struct ScoreTable {
    private let columns: [String: Int]
    let rows: [[Substring]]

    init(_ name: String, in folder: URL) throws {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        let lines = text.split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let names = (lines.first ?? []).map(String.init)
        columns = Dictionary(zip(names, 0...)) { first, _ in first }
        rows = Array(lines.dropFirst())
    }

    func has(_ column: String) -> Bool { columns[column] != nil }

    /// Empty where there is no such field.
    func text(_ row: [Substring], _ column: String) -> String {
        columns[column].flatMap { $0 < row.count ? String(row[$0]) : nil } ?? ""
    }

    /// NaN where there is no number.
    func number(_ row: [Substring], _ column: String) -> Double { Double(text(row, column)) ?? .nan }

    func vector(_ row: [Substring], _ prefix: String) -> SIMD3<Double> {
        SIMD3(number(row, prefix + "x"), number(row, prefix + "y"), number(row, prefix + "z"))
    }

    /// Rows of the same recording stand together; in the order of their first.
    func recordings(by column: String) -> [(name: String, rows: ArraySlice<[Substring]>)] {
        var found: [(String, ArraySlice<[Substring]>)] = []
        var start = rows.startIndex
        while start < rows.endIndex {
            let name = text(rows[start], column)
            let end = rows[start...].firstIndex { text($0, column) != name } ?? rows.endIndex
            found.append((name, rows[start..<end]))
            start = end
        }
        return found
    }
}
