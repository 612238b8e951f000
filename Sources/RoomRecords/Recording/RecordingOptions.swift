/// Where a room records itself, and how much of the disk that may take.
public struct RecordingOptions: Hashable, Sendable {
    /// A file that does not exist yet, or a folder, in which each evening gets files of its own.
    public var path: String
    /// A file is followed by the next one when it has this many bytes; in folders only.
    public var fileSize: UInt64
    /// The same, when it has lasted so long.
    public var fileTime: Duration
    /// In a folder: the oldest evenings are removed while all recordings there take more bytes; `nil` keeps all.
    public var budget: UInt64?
    /// Words about the evening, kept in the file: what is studied.
    public var description: String?
    /// Who agreed to being recorded, and to what; kept in the file, in the recorder's own words.
    public var consent: String?
    /// Ids, names, addresses and words of people never reach the recording: labels made with this key stand for them,
    /// the same for the same person in every evening. At least 16 bytes, which nobody else may know.
    public var pseudonymKey: [UInt8]?
    /// Which program records, with its version.
    public var program = "a program that links Roomful"

    /// A file of at most 256 MiB and an hour, where nothing else is said, without a bound on all of them together.
    public init(
        path: String, fileSize: UInt64 = 256 << 20, fileTime: Duration = .seconds(3_600), budget: UInt64? = nil,
        description: String? = nil, consent: String? = nil
    ) {
        self.path = path
        self.fileSize = fileSize
        self.fileTime = fileTime
        self.budget = budget
        self.description = description
        self.consent = consent
    }
}

/// How a room's recorder stands.
public struct RecordingStatus: Hashable, Sendable, Codable {
    /// What the recorder is doing.
    public enum State: String, Hashable, Sendable, Codable {
        /// Nobody asked for a recording, or it was ended.
        case off
        /// What happens is written.
        case recording
        /// Something ended it: see ``RecordingStatus/problem``.
        case failed
    }
    /// What the recorder is doing.
    public var state: State
    /// The file that is written now, or was last.
    public var path: String?
    /// Since it began, in s.
    public var seconds: Double?
    /// In all files of this evening.
    public var bytes: Int?
    /// Events in them; marks are not counted among them.
    public var events: Int?
    /// Moments that a person marked with words while it recorded.
    public var marks: Int?
    /// Entries of the tape that were not kept because memory or disk was too slow; with any, a replay is not exact.
    public var lostEntries: Int?
    /// Events that were not kept for the same reason.
    public var lostEvents: Int?
    /// Whether the file can be played again to the same events: recording began with the room, and nothing is lost.
    public var isExact: Bool?
    /// Why it ended, where something ended it.
    public var problem: String?

    package init(_ state: State) { self.state = state }
}
