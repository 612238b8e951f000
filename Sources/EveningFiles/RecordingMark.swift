import FlightRecorder
import WireProtocol

/// A moment that somebody pointed at.
package struct RecordingMark: Hashable, Sendable, Codable {
    package var text: String
    /// ms since the room opened.
    package var at: Double

    /// Whose own program it was; `nil` for an operator's or a game's.
    package var controller: String?

    package init(text: String, at: Double, controller: String? = nil) {
        (self.text, self.at, self.controller) = (text, at, controller)
    }

    /// A file is a stranger's: nothing of it may move a terminal.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        text = printable(try fields.decode(String.self, forKey: .text))
        at = try fields.decode(Double.self, forKey: .at)
        controller = try fields.decodeIfPresent(String.self, forKey: .controller)
    }
}

/// What the recorder says of its own recording.
package struct RecordingNote: Hashable, Sendable, Codable {
    /// A note of any other kind is a newer version's, and is passed over.
    package enum Kind: String, Sendable, Codable {
        /// Events are missing before this place.
        case hole
        /// The recording ended before its time.
        case failed
        /// It ended as it was meant to, and everything that its tape leads to was told.
        case complete
        /// The checksum of what the metadata say of it.
        case about
    }

    package var note: Kind
    package var text: String
    /// ms since the room opened.
    var at: Double

    package init(note: Kind, text: String, at: Double) { (self.note, self.text, self.at) = (note, text, at) }

    /// What is said of a recording stands outside of its chunks, and a file that was cut has no checksum of the whole:
    /// this one stands in the first chunk, which has its own.
    init(about: [(String, String)], at: Double) {
        let text = about.map { "\($0.0)\u{0}\($0.1)\u{0}" }.joined()
        self.init(note: .about, text: String(Checksum.of(Array(text.utf8)), radix: 16), at: at)
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        note = try fields.decode(Kind.self, forKey: .note)
        text = printable(try fields.decode(String.self, forKey: .text))
        at = try fields.decode(Double.self, forKey: .at)
    }
}
