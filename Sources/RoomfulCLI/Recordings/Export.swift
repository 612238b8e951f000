import ArgumentParser
import Foundation
import RecordingExports
import RoomRecords
import Roomful

/// Writes a recorded evening as others read it.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a recording as CSV, XDF or SQLite.",
        discussion: "Example:  roomful export evening.mcap --to xdf results/")
    @Argument(help: "The recording, or its first file.", completion: .file()) var file: String
    @Option(help: "csv: a file for each table, with a data dictionary; xdf: for laboratories; sqlite: one database.")
    var to: String
    @Argument(
        help: "The folder to write into; made if it is missing.", completion: .directory, transform: String.ofPath)
    var folder: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        try await Failure.explained {
            guard let format = EveningExport.Format(rawValue: to) else {
                throw RoomError(.badOption, "--to takes csv, xdf or sqlite, not \"\(to)\"")
            }
            let summary = try EveningExport.run(file, to: format, in: folder, by: ProgramVersion.ofRecordings)
            for problem in summary.problems { Failure.say(problem) }
            let text =
                "\(plural(summary.samples, "sample")), \(plural(summary.events, "event")), "
                + "\(plural(summary.marks, "mark")) in " + summary.files.joined(separator: ", ")
            Terminal.print(json ? try Terminal.json(summary) : text)
        }
    }
}
