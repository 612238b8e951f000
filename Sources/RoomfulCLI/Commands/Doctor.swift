import ArgumentParser
import Foundation
import PeerDiscovery
import RoomDoctor
import Roomful

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Why rooms or phones are not found, and what helps.",
        discussion: """
            Examples:  roomful doctor
                       roomful doctor --seats 200 --json
                       roomful doctor --phone       # can a phone reach this machine? scan the code
            Exit code 1 when something keeps rooms from being found, joined or hosted.
            """)
    @Flag(help: "Print JSON.") var json = false
    @Option(help: "Seats of the room that is to be hosted: 1 to 10000.") var seats = 21
    @Option(help: "Who is to announce and find rooms: auto, daemon, embedded or none.")
    var discovery = RoomOptions.Discovery.auto
    @Option(
        help: "The state folder to look at; else $ROOMFUL_STATE, or ~/.local/state/roomful.",
        transform: String.ofPath)
    var state: String?
    @Flag(help: "Wait for a phone, or any other device, and say whether TCP and UDP reach this machine.")
    var phone = false
    @Option(name: .customLong("for"), help: "With --phone: how long to wait, 1s to 10m; else 30s.")
    var duration: String?
    @Option(help: "With --phone: the TCP and UDP port to try; else any that is free.") var port: UInt16?

    func validate() throws {
        guard !phone else { return }
        guard let stray = [("--for", duration != nil), ("--port", port != nil)].first(where: \.1) else { return }
        throw ValidationError("\(stray.0) goes with --phone")
    }

    func run() async throws {
        try await Failure.explained {
            guard (1...10_000).contains(seats) else {
                Failure.say("a room has 1 to 10000 seats, not \(seats)")
                throw Failure.usage
            }
            if phone { return try await waitForPhone() }
            let report = try await Progress.shown("looking at this machine and its network, 2 to 6 s …", unless: json) {
                await DoctorReport.examine(seats: seats, discovery: discovery, state: state)
            }
            Terminal.print(json ? try Terminal.json(report) : DoctorPage.text(report, columns: Terminal.size?.columns))
            if !report.ok { throw Failure.refused }
        }
    }

    private func waitForPhone() async throws {
        let duration = duration ?? "30s"
        guard let time = Figures.duration(duration), (.seconds(1)...Duration.seconds(600)).contains(time) else {
            Failure.say("--for takes a time from 1s to 10m, such as 30s, not \"\(duration)\"")
            throw Failure.usage
        }
        let report = try await PhoneReport.wait(for: time, port: port ?? 0) { progress in
            switch progress {
            case .open(let url, let others):
                json ? Failure.say("open \(url) on another device") : PhonePage.showInvitation(url, others)
            case .waiting(let left, let tcp, let udp): if !json { PhonePage.showCountdown(left, tcp: tcp, udp: udp) }
            }
        }
        if !json { PhonePage.endCountdown() }
        Terminal.print(json ? try Terminal.json(report) : PhonePage.text(report, columns: Terminal.size?.columns))
        if !report.ok { throw Failure.refused }
    }
}

/// Says on a terminal that something takes time, and takes the line away again.
enum Progress {
    static func shown<Result: Sendable>(
        _ line: String, unless isQuiet: Bool, _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        let isShown = !isQuiet && Terminal.isInteractive
        if isShown { Failure.write(line) }
        defer { if isShown { Failure.write("\r\u{1B}[K") } }
        return try await work()
    }
}
