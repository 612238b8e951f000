import ArgumentParser
import EveningFiles
import RoomRecords
import Roomful

/// How a room that is opened records itself.
struct RecordOptions: ParsableArguments {
    @Option(
        help: """
            Record the whole evening: into a folder, such as evenings/, or a file that does not exist yet. A file of \
            rooms and a service, which open again and again, take a folder alone.
            """, completion: .file(), transform: String.ofPath)
    var record: String?
    @Option(help: "In a folder: a new file after so many bytes.") var recordSize = RecordOptions.usualSize
    @Option(help: "In a folder: a new file after so long.") var recordTime = RecordOptions.usualTime
    @Option(help: "In a folder: remove the oldest recordings while all take more than this, such as 20GB.")
    var recordBudget: String?
    @Option(help: "Kept in the recording: what it is of.") var recordDescription: String?
    @Option(help: "Kept in the recording: who agreed to what.") var recordConsent: String?

    @Option(
        name: .customLong("pseudonyms"),
        help: """
            Labels for people in each recording of the room, also in one that is begun later, made with the key in \
            this file: no name, id, address or word reaches a recording. (Seats are kept under their names, beside it.)
            """,
        completion: .file(), transform: String.ofPath)
    var pseudonyms: String?

    /// As rooms need it that are opened again and again.
    mutating func keepToFolder() throws(RoomError) {
        guard let path = record else { return }
        record = RecordingNames.lastingFolder(path)
        guard record == nil else { return }
        throw RoomError(
            .badOption,
            "--record names one file, over which nothing is recorded when the rooms are opened again: name a folder, "
                + "with a slash at its end, such as \"evenings/\"")
    }

    func options() throws -> RecordingOptions? {
        guard let record else {
            if let option = withoutRecord { throw RoomError(.badOption, "\(option) goes with --record") }
            return nil
        }
        var options = RecordingOptions(path: RecordingPaths.absolute(record))
        if let option = ofFolders, !RecordingNames.isFolder(options.path) {
            throw RoomError(
                .badOption,
                "--record \(record) is no folder that is there: end it with / to have it made, or leave out \(option)")
        }
        options.fileSize = try size(recordSize, "--record-size")
        options.budget = try recordBudget.map { try size($0, "--record-budget") }
        guard let time = Figures.duration(recordTime), time >= .seconds(1) else {
            throw RoomError(.badOption, "--record-time takes a time from 1s, such as 30m or 1h, not \"\(recordTime)\"")
        }
        options.fileTime = time
        options.description = recordDescription
        options.consent = recordConsent
        options.program = ProgramVersion.ofRecordings
        return options
    }

    private static let usualSize = "256MB"
    private static let usualTime = "1h"

    func pseudonymKey() throws -> [UInt8]? { try pseudonyms.map(PseudonymKeyFile.read) }

    /// What was said of a recording, where nothing is recorded: a consent that is kept nowhere is none.
    private var withoutRecord: String? {
        if recordConsent != nil { return "--record-consent" }
        if recordDescription != nil { return "--record-description" }
        return ofFolders
    }

    /// What would do nothing to a single file.
    private var ofFolders: String? {
        if recordBudget != nil { return "--record-budget" }
        if recordSize != Self.usualSize { return "--record-size" }
        return recordTime != Self.usualTime ? "--record-time" : nil
    }

    private func size(_ text: String, _ option: String) throws -> UInt64 {
        guard let size = RecordingPaths.bytes(text), size >= 64_000 else {
            throw RoomError(.badOption, "\(option) takes a size from 64KB, such as 256MB or 20GB, not \"\(text)\"")
        }
        return size
    }
}
