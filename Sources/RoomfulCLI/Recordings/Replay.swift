import ArgumentParser
import EveningFiles
import FlightRecorder
import Foundation
import InputMerge
import RecordingExports
import RoomEngine
import RoomRecords
import Roomful
import WireProtocol

/// Plays a recorded evening again.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play a recorded evening again, to the same events.",
        discussion: """
            Examples:  roomful replay evening.mcap --verify
                       roomful replay evening.mcap --speed 10 --from "second trial" --player P3
                       roomful replay evening.mcap --with gestures.toml
                       roomful replay evening.mcap --serve balloons --speed 2
            """)
    @Argument(help: "The recording, or its first file.", completion: .file()) var file: String
    @Flag(help: "Play at once and compare with what was recorded; exit 1 with the first difference.") var verify = false
    @Option(help: "So many times as fast as it was, which is 1; 0 is at once.") var speed: Double?
    @Option(help: "Begin at the first mark of this name; where there is none, at this time since the room opened: 90s.")
    var from: String?
    @Option(help: "Only what is about this player: P3.") var player: String?
    @Option(
        name: .customLong("with"),
        help: "What would these gestures have been? A TOML file as of roomful host --gestures.")
    var gestures: String?
    @Option(help: "What would this fusion have made of it? As of roomful host --fusion.") var fusion: String?
    @Option(help: "What would have been judged? Gestures, separated by commas.") var contest: String?
    @Option(help: "With --contest: share, replay or draw.") var tie: ContestRules.Ties?
    @Option(
        help: "Let a game of your own in this folder hear the evening, as roomful host --serve does.",
        transform: String.ofPath)
    var serve: String?
    @Option(help: "Let a built-in game hear the evening, as roomful host --play does.") var play: String?
    @Option(help: "Let games on this machine hear the evening: plain HTTP on 127.0.0.1, a port or any.")
    var http: String?
    @Flag(help: "Print JSON: events as roomful events does, and marks among them, of type mark.") var json = false

    func validate() throws {
        if let speed, !speed.isFinite || speed < 0 { throw ValidationError("--speed is 0 or more, not \(speed)") }
        if let player, wanted == nil {
            throw ValidationError("--player is written P1, P2 …, not \(player)")
        }
        if verify { try leaveOut(otherRules + parts + games, "--verify compares all of it with what was") }
        if let rule = otherRules.first { try leaveOut(parts + games, "\(rule) compares all of it") }
        if json, let game = games.first { try leaveOut(["--json"], "with \(game) games hear it alone") }
    }

    private func leaveOut(_ options: [String], _ reason: String) throws {
        if !options.isEmpty { throw ValidationError("\(reason): leave out \(options.joined(separator: ", "))") }
    }

    private var wanted: PlayerNumber? { player.flatMap { Designation($0).player } }
    private var otherRules: [String] {
        given(
            ("--with", gestures != nil), ("--fusion", fusion != nil), ("--contest", contest != nil),
            ("--tie", tie != nil))
    }
    private var parts: [String] {
        given(("--from", from != nil), ("--player", player != nil), ("--speed", speed != nil))
    }
    private var games: [String] {
        given(("--serve", serve != nil), ("--play", play != nil), ("--http", http != nil))
    }

    private func given(_ options: (name: String, isThere: Bool)...) -> [String] {
        options.filter(\.isThere).map(\.name)
    }

    func run() async throws {
        try await Failure.explained {
            if verify { return try check() }
            if !otherRules.isEmpty { return try compare() }
            if !games.isEmpty { return try await serveGames() }
            try await show()
        }
    }

    // MARK: The same again

    private func check() throws {
        var player = try EveningPlayer(file)
        while try player.step({ _, _ in }) {}
        let report = VerifyReport(player)
        Terminal.print(json ? try Terminal.json(report) : report.text)
        if !report.same { throw Failure.refused }
    }

    // MARK: As it was

    /// A mark among events, for programs.
    private struct Mark: Encodable {
        var type = "mark"
        /// ms since the room opened.
        var at: Double
        var text: String
    }

    private func show() async throws {
        var player = try EveningPlayer(file)
        let start = try from.map { try moment(of: $0) }
        let pace = ReplayPace(speed: speed ?? 1)
        var lines: [(line: String, at: Double)] = []
        var players: Set<Int> = []
        var isOver = false
        while !isOver {
            lines.removeAll(keepingCapacity: true)
            let openedAt = player.evening.opening.openedAt
            isOver = try !player.step { step, now in
                // A mark has its own time: the tape may not have come to it when it is read.
                let at = if case .mark(_, let marked) = step { marked } else { (now - openedAt).milliseconds }
                if case .event(let event) = step, let player = event.player { players.insert(player) }
                guard at >= start ?? -.infinity, let line = try line(of: step, wanted: wanted) else { return }
                lines.append((line, at))
            }
            for (line, at) in lines {
                try await pace.wait(until: at)
                Terminal.print(line)
            }
        }
        for problem in player.evening.damage + player.holes { Failure.say(problem) }
        if let wanted, !players.contains(wanted) {
            let known = players.sorted().map { "P\($0)" }.joined(separator: ", ")
            throw RoomError(.notFound, "\(file) has no player P\(wanted); it has \(known.isEmpty ? "none" : known)")
        }
    }

    private func line(of step: EveningPlayer.Step, wanted: Int?) throws -> String? {
        switch step {
        case .event(let event):
            guard wanted.map(event.concerns) ?? true else { return nil }
            return json ? try Terminal.json(event) : EventLines.line(event, isVerbose: false)
        case .mark(let text, let at):
            if json { return try Terminal.json(Mark(at: at, text: text)) }
            return String(format: "%9.3f s", at / 1_000) + "  mark: \(text)"
        case .passenger, .passengerVerdict, .motion: return nil
        }
    }

    /// In ms since the room opened.
    private func moment(of word: String) throws -> Double {
        let marks = try RecordedEvening.marks(file)
        // Trials are called 1, 2, 3, too.
        if let mark = marks.first(where: { $0.text == word }) { return mark.at }
        if let time = Figures.duration(word) { return time.milliseconds }
        let known = marks.isEmpty ? "it has none" : "it has: " + marks.map { "\"\($0.text)\"" }.joined(separator: ", ")
        throw RoomError(.notFound, "\(file) has no mark \"\(word)\"; \(known)")
    }

    private func serveGames() async throws {
        try await ServedReplay(
            file: file, start: try from.map { try moment(of: $0) } ?? 0, speed: speed ?? 1, player: wanted,
            game: play, serve: serve, http: try .named(http ?? "any")
        ).run()
    }

    // MARK: Under other rules

    private func compare() throws {
        let evening = try RecordedEvening(file)
        var rules = evening.opening.configuration.merge
        if let gestures { rules.gestures = try GestureFile.read(gestures) }
        if let fusion {
            rules.fusion = try PlayOptions.fusionRule(fusion, isCollaborative: evening.isCollaborative)
        }
        if let contest { try PlayOptions.judge(contest, in: &rules) }
        // The evening's own contests stay where no other is asked for.
        PlayOptions.watchPapersJump(in: &rules)
        if let tie { rules.contests.ties = tie }
        if let problem = rules.problem { throw RoomError(.badOption, problem) }
        var comparison = RuleComparison(openedAt: evening.opening.openedAt)
        var player = try EveningPlayer(file, passenger: rules)
        while try player.step({ step, _ in comparison.take(step) }) {}
        for problem in player.evening.damage + player.holes { Failure.say(problem) }
        Terminal.print(json ? try Terminal.json(comparison.result) : comparison.result.text)
    }
}

/// Waits as long as it took, divided by a speed.
final class ReplayPace {
    private let speed: Double
    private let clock = ContinuousClock()
    private var began: (at: Double, instant: ContinuousClock.Instant)?

    init(speed: Double) { self.speed = speed }

    func wait(until at: Double) async throws {
        guard speed > 0 else { return }
        guard let began else {
            self.began = (at, clock.now)
            return
        }
        // A file may claim any time at all for a mark, and a speed be as small as one likes: thirty years will do.
        let due = began.instant + .seconds(min(1e9, max(0, (at - began.at) / 1e3 / speed)))
        if due > clock.now { try await clock.sleep(until: due) }
    }
}
