package import FlightRecorder
import Foundation
import Identity
import RoomEngine
import SessionCoordinator
import WireProtocol

/// A recording as it is read, file after file: what it holds, and everything that is wrong with it, named.
package struct RecordedEvening {
    /// Its files, in the order of time.
    package private(set) var paths: [String]
    package let opening: Opening
    /// What was said of the recording when it began, from its first file.
    package private(set) var about: [(String, String)]
    /// Whether that is what was said: a recording of an older program does not tell.
    private var isAboutSound = true
    private var readers: [MCAPReader<RecordedFile>] = []
    private var place = 0
    private var waiting: ArraySlice<RecordedMessage> = []

    /// Whether a file is a recording that a room made.
    package static func isRecording(_ path: String) -> Bool { (try? RecordedFile(path))?.isOurs ?? false }

    /// - Parameter path: the evening's first file; what follows it is found beside it.
    package init(_ path: String) throws(RecordingFileError) {
        paths = [path] + RecordingNames.parts(after: path)
        about = []
        var opening: Opening?
        for path in paths {
            let file = try RecordedFile(path)
            // The last one of a recorder that was killed as it began that: nothing is missing but its words.
            if opening != nil, file.size == 0, path == paths.last {
                paths.removeLast()
                break
            }
            do throws(TapeError) {
                var reader = try MCAPReader(file, expand: Zstandard.expand)
                if opening == nil {
                    var told: RecordingNote?
                    while opening == nil, let messages = reader.nextChunk() {
                        told = Self.noteAbout(in: messages)
                        for message in messages where message.channel == RecordingChannel.opening.id {
                            opening = try Opening(reading: Array(message.data))
                        }
                    }
                    about = reader.metadata.first { $0.name == "roomful" }?.values ?? []
                    if let told { isAboutSound = told.text == RecordingNote(about: about, at: 0).text }
                    guard opening != nil else {
                        throw reader.damage.first.map { TapeError("its beginning is damaged (\($0))") }
                            ?? TapeError("it does not say what the room began with")
                    }
                    reader = try MCAPReader(file, expand: Zstandard.expand)
                }
                readers.append(reader)
            } catch {
                throw RecordingFileError("\(path) cannot be played: \(error)")
            }
        }
        guard var opening else { throw RecordingFileError("\(path) cannot be played") }
        // A file is a stranger's: nothing of it may move a terminal.
        opening.room = printable(opening.room)
        for place in opening.leases.indices { opening.leases[place].name = printable(opening.leases[place].name) }
        self.opening = opening
        about = about.map { (printable($0.0), printable($0.1)) }
    }

    private static func noteAbout(in messages: [RecordedMessage]) -> RecordingNote? {
        for message in messages where message.channel == RecordingChannel.notes.id {
            let note = try? JSONDecoder().decode(RecordingNote.self, from: Data(message.data))
            if let note, note.note == .about { return note }
        }
        return nil
    }

    /// Whether its controllers made one player together; else each was a player.
    package var isCollaborative: Bool { opening.configuration.room.mode == .collaborative }

    /// The next message; `nil` at the end.
    package mutating func next() -> RecordedMessage? {
        while true {
            if let message = waiting.popFirst() { return message }
            guard place < readers.count else { return nil }
            if let messages = readers[place].nextChunk() { waiting = messages[...] } else { place += 1 }
        }
    }

    /// The moments that somebody pointed at in such a recording.
    package static func marks(_ path: String) throws(RecordingFileError) -> [RecordingMark] {
        var evening = try RecordedEvening(path)
        var marks: [RecordingMark] = []
        while let message = evening.next() {
            guard message.channel == RecordingChannel.marks.id,
                let mark = try? JSONDecoder().decode(RecordingMark.self, from: Data(message.data))
            else { continue }
            marks.append(mark)
        }
        return marks
    }

    /// Everything that could not be read so far.
    package var damage: [String] {
        let words = "what was said of the recording (its room, description, consent …) is not as it was written"
        let said = isAboutSound ? [] : ["\(paths[0]), \(words)"]
        return said + zip(paths, readers).flatMap { path, reader in reader.damage.map { "\(path), \($0)" } }
    }

    /// Whether its last file stops where its recorder was killed, and nothing else is wrong: then ``damage`` names that
    /// place alone. To be asked after the last message.
    package var isCut: Bool {
        isAboutSound && readers.last?.isCut == true
            && readers.dropLast().allSatisfy { $0.isFinished && $0.damage.isEmpty }
    }

    /// Whether all files have their end; to be asked after the last message.
    package var isFinished: Bool { readers.allSatisfy(\.isFinished) }

    /// In bytes; 0 for what cannot be read.
    package static func size(of path: String) -> UInt64 { (try? RecordedFile(path))?.size ?? 0 }

    /// Whether a file has its end, without reading what stands before.
    package static func hasEnd(_ path: String) -> Bool {
        guard let file = try? RecordedFile(path), let reader = try? MCAPReader(file) else { return false }
        return reader.hasFooter
    }

    /// What became of a file that was to be mended.
    package enum Mending: Hashable, Sendable {
        /// It has its end; so many bytes were cut off of what its recorder had begun to write.
        case mended(cutOff: UInt64)
        /// It had its end, and nothing is wrong with it.
        case whole
        /// Its recorder ended before it recorded anything: nobody misses it.
        case empty
        /// Why nothing of it was changed, and what to do.
        case left(String)
    }

    /// Gives a room's recording that was cut its end. What is damaged, or cannot be read here, is no end's to take away.
    ///
    /// - Throws: where there is no such file.
    package static func mend(_ path: String) throws(RecordingFileError) -> Mending {
        let file = try RecordedFile(path)
        guard file.isOurs else { return .left("no room recorded it: mend it with the tools of what did") }
        do throws(TapeError) {
            var reader = try MCAPReader(file, expand: Zstandard.expand)
            var opening: RecordedMessage?
            var isEmpty = true
            while let messages = reader.nextChunk() {
                isEmpty = isEmpty && messages.isEmpty
                opening = opening ?? messages.first { $0.channel == RecordingChannel.opening.id }
            }
            if reader.isFinished, reader.damage.isEmpty { return .whole }
            guard let (keep, end) = reader.repair() else {
                let sound = "replay, export and report read what is sound in it"
                let advice = sound + (reader.isFinished ? "" : "; where libzstd is, or a newer roomful, try again")
                return .left((reader.damage.map(\.description) + [advice]).joined(separator: "; "))
            }
            guard let opening else {
                guard isEmpty else { return .left("it does not say what the room began with") }
                return file.isOpenElsewhere ? .left(RecordedFile.busy) : .empty
            }
            // What is a newer version's is mended by that.
            _ = try Opening(reading: Array(opening.data))
            if let reason = file.mend(keeping: keep, appending: end) { return .left(reason) }
            return .mended(cutOff: file.size - reader.soundEnd)
        } catch {
            return .left(error.description)
        }
    }
}
