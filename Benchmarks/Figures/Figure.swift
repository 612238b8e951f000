import Foundation

/// One line of Documentation/PERFORMANCE.md: what was measured, round by round, beside what ran in the same rounds.
/// `Scripts/bench.py` makes medians, quartiles and ratios of them; nobody types one.
public struct Figure: Encodable {
    /// What the page calls it, such as `drained-aes-256-gcm-1000`.
    private let name: String
    private let unit: String
    /// Of each round.
    private let ours: [Double]
    /// Of the same rounds; empty where nothing ran beside.
    private let beside: [Double]

    public init(_ name: String, in unit: String, _ ours: [Double], beside: [Double] = []) {
        precondition(beside.isEmpty || beside.count == ours.count, "what ran beside ran in the same rounds")
        (self.name, self.unit, self.ours, self.beside) = (name, unit, ours, beside)
    }

    /// Adds it, as a line of JSON, to the file that `ROOMFUL_FIGURES` names; does nothing without one.
    public func keep() throws {
        guard let path = ProcessInfo.processInfo.environment["ROOMFUL_FIGURES"] else { return }
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: JSONEncoder().encode(self) + Data("\n".utf8))
    }
}

/// The middle value; of an even number, the upper of the two middle ones.
public func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
