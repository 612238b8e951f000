import ArgumentParser
import EveningFiles
import Foundation
import PrivateFiles
import RecordingExports
import RoomRecords
import Roomful

/// Makes a page of a recorded evening.
struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Make a page of a recording: who played when, motion, links, clocks, haptics, verdicts.",
        discussion: """
            Examples:  roomful report evening.mcap                           writes evening.html
                       roomful report evening.mcap --photo-finish V12 --svg finish.svg
            """)
    @Argument(help: "The recording, or its first file.", completion: .file()) var file: String
    @Option(name: .shortAndLong, help: "The page to write; else the recording's name with .html.") var output: String?
    @Option(help: "One verdict's picture alone, such as V12; with --svg.") var photoFinish: String?
    @Option(help: "Where that picture goes.") var svg: String?

    func validate() throws {
        if (photoFinish == nil) != (svg == nil) {
            throw ValidationError("--photo-finish and --svg go together: --photo-finish V12 --svg finish.svg")
        }
    }

    func run() async throws {
        try await Failure.explained {
            let report = try EveningReport(file)
            guard let photoFinish, let svg else {
                let path = output ?? (file.hasSuffix(".mcap") ? String(file.dropLast(5)) : file) + ".html"
                return try write(report.html, path)
            }
            guard let picture = report.photoFinish(photoFinish) else {
                let known =
                    report.verdicts.isEmpty ? "there is none" : "there are " + report.verdicts.joined(separator: ", ")
                throw RoomError(.notFound, "no verdict is called \(photoFinish); \(known)")
            }
            try write(picture, svg)
        }
    }

    private func write(_ text: String, _ path: String) throws {
        guard !RecordedEvening.isRecording(path) else {
            throw RoomError(.badOption, "\(path) is a recording, and stays one: name another file with --output")
        }
        try PrivateFile.write(text, to: path)
        Terminal.print("wrote \(path)")
    }
}
