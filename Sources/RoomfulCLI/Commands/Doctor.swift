import ArgumentParser
import Foundation
import Roomful

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Why rooms or phones are not found, and what helps.",
        discussion: """
            Examples:  roomful doctor
                       roomful doctor --seats 200 --json
                       roomful doctor --phone       # can a phone reach this machine? scan the code
            Exit code 1 when something keeps rooms from being found, joined or hosted.
            """)
    @Flag(help: "Print JSON.") var json = false
    @Option(help: "Seats of the room that is to be hosted: 1 to 10000.") var seats = 21
    @Option(help: "The state folder to look at; else $ROOMFUL_STATE, or ~/.local/state/roomful.") var state: String?

    func run() async throws {
        try await Failure.explained {
            guard (1...10_000).contains(seats) else {
                Failure.say("a room has 1 to 10000 seats, not \(seats)")
                throw Failure.usage
            }
            let report = try await Progress.shown("looking at this machine and its network, 3 to 6 s …", unless: json) {
                await DoctorReport.examine(seats: seats, state: state)
            }
            Terminal.print(json ? try Terminal.json(report) : DoctorPage.text(report, columns: Terminal.size?.columns))
            if !report.ok { throw Failure.refused }
        }
    }
}

/// Says on a terminal that something takes time, and takes the line away again.
enum Progress {
    static func shown<Result: Sendable>(
        _ line: String, unless isQuiet: Bool, _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        let isShown = !isQuiet && Terminal.isInteractive
        func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
        if isShown { write(line) }
        defer { if isShown { write("\r\u{1B}[K") } }
        return try await work()
    }
}
