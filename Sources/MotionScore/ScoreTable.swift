#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A CSV file with a header line, held as text; figures are read where they are asked for.
public struct ScoreTable: Sendable {
    public let columns: [String]
    public var rowCount: Int { cells.count / max(columns.count, 1) }

    /// Row after row; short lines are filled up, long ones cut.
    private let cells: [Substring]

    /// `nil` when the file is not there or cannot be read.
    public init?(path: String) {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)), let text = String(data: bytes, encoding: .utf8)
        else { return nil }
        self.init(text: text)
    }

    public init(text: String) {
        let lines = text.split(whereSeparator: \.isNewline)
        let columns = lines.first.map(Self.fields) ?? []
        var cells: [Substring] = []
        cells.reserveCapacity(columns.count * lines.count)
        for line in lines.dropFirst() {
            let fields = Self.fields(of: line)
            for column in columns.indices { cells.append(column < fields.count ? fields[column] : "") }
        }
        self.columns = columns.map(String.init)
        self.cells = cells
    }

    /// Where a column stands; `nil` when the file has none of that name.
    public func column(_ name: String) -> Int? { columns.firstIndex(of: name) }

    /// Whether the file has all of these.
    public func has(_ names: String...) -> Bool { names.allSatisfy(columns.contains) }

    public func text(_ row: Int, _ column: Int) -> Substring { cells[row * columns.count + column] }

    /// A figure; NaN when the cell is empty or no number.
    public func number(_ row: Int, _ column: Int) -> Double { Double(text(row, column)) ?? .nan }

    /// By name; NaN also when there is no such column. Slower than by place.
    public func number(_ row: Int, _ name: String) -> Double { column(name).map { number(row, $0) } ?? .nan }

    /// Three figures of adjacent or scattered columns: `vector(row, ["gx", "gy", "gz"].map(table.column))`.
    public func vector(_ row: Int, _ columns: (Int, Int, Int)) -> SIMD3<Double> {
        SIMD3(number(row, columns.0), number(row, columns.1), number(row, columns.2))
    }

    /// The places of `prefix` + x, y, z; `nil` unless all are there.
    public func axes(_ prefix: String) -> (Int, Int, Int)? {
        guard let x = column(prefix + "x"), let y = column(prefix + "y"), let z = column(prefix + "z") else { return nil }
        return (x, y, z)
    }

    /// Consecutive rows with the same text in a column, in the order of the file: the recordings of a file with `rec`.
    public func groups(by name: String) -> [(name: String, rows: Range<Int>)] {
        guard let column = column(name) else { return [] }
        var groups: [(name: String, rows: Range<Int>)] = []
        for row in 0..<rowCount {
            let name = text(row, column)
            if let last = groups.last, last.name == name {
                groups[groups.count - 1].rows = last.rows.lowerBound..<row + 1
            } else {
                groups.append((String(name), row..<row + 1))
            }
        }
        return groups
    }

    private static func fields(of line: Substring) -> [Substring] {
        line.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
