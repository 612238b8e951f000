import ArgumentParser
import Foundation
import Identity
import OperatorFront
import RoomRecords
import Roomful
import WireProtocol

/// Begins and ends recordings of a room that is open.
struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a room that is open.",
        discussion: """
            Examples:  roomful record start /tmp/evenings/    roomful record status    roomful record stop
            A recording that is begun here holds the rest of the evening for exports and reports. One that can be played
            again to the same events begins with the room: roomful host --record FILE.
            """,
        subcommands: [Start.self, Stop.self, Status.self])

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Begin; a recording that runs is ended then. Refused while teach --collect collects.",
            discussion: "Example:  roomful record start /tmp/evenings/")
        @OptionGroup var choice: RoomChoice
        @Argument(help: "A file that does not exist yet, or a folder.", completion: .file(), transform: String.ofPath)
        var path: String
        @Option(help: "Kept in the recording: who agreed to what.") var recordConsent: String?

        func run() async throws {
            var request = OperatorRequest(.recordStart)
            request.path = RecordingPaths.absolute(path)
            request.consent = recordConsent
            try await tell(choice, request)
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "End the recording: its file is whole afterwards.",
            discussion: "Example:  roomful record stop")
        @OptionGroup var choice: RoomChoice
        func run() async throws { try await tell(choice, OperatorRequest(.recordStop)) }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Say how the recording stands.",
            discussion: "Example:  roomful record status --json")
        @OptionGroup var choice: RoomChoice
        func run() async throws { try await tell(choice, OperatorRequest(.recordStatus)) }
    }

    private static func tell(_ choice: RoomChoice, _ request: OperatorRequest) async throws {
        try await Failure.explained {
            guard let status = try await choice.client().ask(request).recording else { return }
            Terminal.print(choice.json ? try Terminal.json(status) : RecordingPaths.line(status))
        }
    }
}

/// Points at a moment of the evening.
struct Mark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark",
        abstract: "Mark this moment in the recording; replays can begin there.",
        discussion: "Example:  roomful mark \"second trial\"")
    @OptionGroup var choice: RoomChoice
    @Argument(help: "What the moment is called: 1 to 200 bytes.") var text: String

    func run() async throws {
        var request = OperatorRequest(.mark)
        request.text = text
        try await carryOut(choice, request, done: "marked \"\(printable(text))\"")
    }
}

enum RecordingPaths {
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        return FileManager.default.currentDirectoryPath + "/" + path
    }

    /// A recording's state in a line.
    static func line(_ status: RecordingStatus) -> String {
        switch status.state {
        case .off:
            guard let path = status.path else { return "nothing is recorded" }
            return "recorded \(figures(status)) in \(printable(path))"
        case .recording: return "recording to \(printable(status.path ?? "?")): \(figures(status))" + loss(status)
        case .failed: return status.problem ?? "recording has ended"
        }
    }

    private static func figures(_ status: RecordingStatus) -> String {
        let seconds = status.seconds.map { String(format: "%.0f s", $0) } ?? "0 s"
        return "\(seconds), \(size(status.bytes ?? 0)), \(plural(status.events ?? 0, "event")), "
            + plural(status.marks ?? 0, "mark")
    }

    private static func loss(_ status: RecordingStatus) -> String {
        let lost = (status.lostEntries ?? 0, status.lostEvents ?? 0)
        let exact = status.isExact == true ? "" : "; it will not replay exactly"
        guard lost != (0, 0) else { return exact }
        let both = "\(plural(lost.0, "entry", "entries")), \(plural(lost.1, "event"))"
        return "; not kept: \(both): the disk is too slow" + exact
    }

    static func size(_ bytes: Int) -> String {
        bytes < 10_000_000
            ? String(format: "%.0f kB", Double(bytes) / 1e3) : String(format: "%.1f MB", Double(bytes) / 1e6)
    }

    /// `20GB`, `500MB`, `64KB` or bytes.
    static func bytes(_ text: String) -> UInt64? {
        let word = text.uppercased()
        for (unit, factor) in [("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1.0), ("", 1.0)] where word.hasSuffix(unit)
        {
            guard let value = Figures.decimal(word.dropLast(unit.count)), value > 0, value * factor < 1e18 else {
                continue
            }
            return UInt64(value * factor)
        }
        return nil
    }
}
