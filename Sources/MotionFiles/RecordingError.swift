/// Why a recording or a line of samples cannot be used, and what to do about it, in one line.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault a file has; more may be added.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// The file cannot be opened, or is not text.
        public static let unreadable = Code(name: "unreadable")
        /// There is not a single sample.
        public static let empty = Code(name: "empty")
        /// The first line names no columns that a sample needs.
        public static let missingColumns = Code(name: "missingColumns")
        /// The header names a unit that is not known.
        public static let unknownUnit = Code(name: "unknownUnit")
        /// The numbers contradict the units that the header declares.
        public static let wrongUnits = Code(name: "wrongUnits")
        /// A line that holds other columns than the first line says, or no numbers.
        public static let brokenLine = Code(name: "brokenLine")
        /// NaN, infinite, or too large for any sensor.
        public static let notFinite = Code(name: "notFinite")
        /// A sample is not later than the one before.
        public static let timeRunsBackwards = Code(name: "timeRunsBackwards")
        /// The file does not hold the recording that was asked for.
        public static let unknownRecording = Code(name: "unknownRecording")
    }

    /// What kind of fault it is, for programs.
    public var code: Code
    /// `file:line`, or only the file; `nil` for a line that came from no file.
    public var location: String?
    /// What is wrong and what to do, without the location.
    public var message: String

    /// - Parameters:
    ///   - location: where, as `file:line`; `nil` where it is no one place.
    ///   - message: one line for people.
    public init(_ code: Code, at location: String? = nil, _ message: String) {
        self.code = code
        self.location = location
        self.message = message
    }

    public var description: String { location.map { "\($0): \(message)" } ?? message }

    package func at(_ location: String) -> RecordingError { RecordingError(code, at: location, message) }
}
