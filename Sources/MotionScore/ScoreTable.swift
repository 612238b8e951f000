import Foundation
import InputMerge
import WireProtocol

/// A CSV file with a head line: the recordings and their labels.
struct ScoreTable {
    /// A line of a file that is no recording's.
    struct BrokenLine: Error, CustomStringConvertible {
        /// `file:line: what is wrong`.
        let description: String
    }

    /// There is no such file.
    struct Absent: Error {
        /// Below the folder of recordings.
        let file: String
    }

    private let name: String
    private let columns: [String: Int]
    let rows: [[Substring]]
    /// Where each row stands in the file, from 1.
    private let places: [Int]
    /// What one of the file's units of acceleration is, in m/s².
    private(set) var accelerationUnit = 1.0
    /// What one of the file's units of rotation rate is, in rad/s.
    private(set) var rotationUnit = 1.0
    /// The gyroscope's range in rad/s, as its device would declare it; `nil` where no axis was ever at its end.
    private(set) var rotationRange: Double?

    init(_ name: String, in folder: URL) throws {
        let file = folder.appending(path: name)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
            throw Absent(file: name)
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        var (lines, places): ([[Substring]], [Int]) = ([], [])
        for (place, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.isEmpty {
            lines.append(line.split(separator: ",", omittingEmptySubsequences: false))
            places.append(place + 1)
        }
        let names = (lines.first ?? []).map(String.init)
        columns = Dictionary(zip(names, 0...)) { first, _ in first }
        rows = Array(lines.dropFirst())
        self.places = Array(places.dropFirst())
        self.name = name
        // Each play asks for them, and all rows have a say.
        if has("ax") { accelerationUnit = foundAccelerationUnit }
        if has("gx") { (rotationUnit, rotationRange) = (foundRotationUnit, foundRotationRange) }
    }

    /// In words for people, why a file is not scored.
    static func reason(_ error: any Error, for file: String) -> String {
        (error as? BrokenLine)?.description ?? "\(file): cannot be read"
    }

    func has(_ column: String) -> Bool { columns[column] != nil }

    /// Empty where there is no such field.
    func text(_ row: [Substring], _ column: String) -> String {
        columns[column].flatMap { $0 < row.count ? String(row[$0]) : nil } ?? ""
    }

    /// NaN where there is no number.
    func number(_ row: [Substring], _ column: String) -> Double { Double(text(row, column)) ?? .nan }

    /// The row's time in s.
    ///
    /// - Throws: ``BrokenLine`` where there is none that a clock could show: a recording is played by its times.
    func seconds(at row: Int, _ column: String) throws -> Double {
        let time = number(rows[row], column)
        guard time.magnitude < 1e9 else {
            let found = text(rows[row], column).prefix(32)
            throw BrokenLine(
                description:
                    "\(name):\(places[row]): \(column) is \"\(found)\", and must be seconds below 1,000,000,000")
        }
        return time
    }

    func vector(_ row: [Substring], _ prefix: String) -> SIMD3<Double> {
        SIMD3(number(row, prefix + "x"), number(row, prefix + "y"), number(row, prefix + "z"))
    }

    /// What a file of labels says of one recording.
    func rows(of recording: String) -> [[Substring]] { rows.filter { text($0, "rec") == recording } }

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

extension ScoreTable {
    /// Whoever wrote g has a median of about 1 (and hardly ever 2.5), whoever wrote m/s² one of about 9.8, or, without
    /// gravity, of several in hard motion.
    private var foundAccelerationUnit: Double {
        let lengths = rows.lazy.map { vector($0, "a") }.map { ($0 * $0).sum().squareRoot() }.filter(\.isFinite).sorted()
        return lengths.isEmpty || lengths[lengths.count / 2] > 2.5 ? 1 : standardGravity
    }

    /// No phone's gyroscope reads more than 2,000 °/s, which are 35 rad/s, and a hand in motion soon turns by more than
    /// 35 °/s. What one sample in a thousand shows may be broken.
    private var foundRotationUnit: Double {
        let lengths = rows.lazy.map { vector($0, "g") }.map { ($0 * $0).sum().squareRoot() }.filter(\.isFinite).sorted()
        return !lengths.isEmpty && lengths[(lengths.count - 1) * 999 / 1_000] > 70 ? .pi / 180 : 1
    }

    /// An axis that is at its end stays at the greatest value three times in a row or more, and that is one of those which
    /// gyroscopes have.
    private var foundRotationRange: Double? {
        let axes = rows.lazy.map { vector($0, "g") }.map { max(abs($0.x), abs($0.y), abs($0.z)) }
        let most = axes.filter(\.isFinite).max() ?? 0
        let range = most * foundRotationUnit
        let degrees: Double = range * 180 / .pi
        let usual: [Double] = [125, 250, 500, 1_000, 2_000]
        let isUsual = usual.contains { abs(degrees / $0 - 1) < 0.01 }
        var (run, longest) = (0, 0)
        for value in axes {
            run = value >= 0.995 * most ? run + 1 : 0
            longest = max(longest, run)
        }
        return isUsual && longest >= 3 ? range : nil
    }
}
