import ArgumentParser
import InputMerge
import RoomRecords
import Roomful
import SiteBroker
import SiteContests
import SiteFront
import SiteRecords
import WireProtocol

extension SiteCommand {
    struct Contest: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "contest",
            abstract: "Judge who is first at a gesture, over the players of several rooms.",
            discussion: """
                Example:  roomful site contest jump --room Hall --room "Hall 2" --tie replay
                Prints a line for each verdict, until Ctrl-C, and puts it into the site's stream for games. The rooms must \
                watch for the gesture; their hosts' clocks are measured, none has to be right.
                """)
        @OptionGroup var choice: SiteChoice
        @Argument(help: "The gesture, as rooms' events call it: jump, shake, tap …; taught:NAME.") var gesture: String
        @Option(help: "Only this room: its name, id or the beginning of it. Again for each; else all that are heard.")
        var room: [String] = []
        @Option(help: "When several may have been first, as the clocks cannot tell: share, replay or draw.")
        var tie = ContestRules.Ties.share
        @Option(help: "Who moves so soon after the first is ranked: 0 to 2s.") var window = "100ms"
        @Option(help: "The verdict falls so long after the first move at the latest: 10ms to 5s.") var cap = "1s"
        @Option(help: "No new contest begins for so long after a first move: 0 to 60s.") var pause = "1s"
        @Option(help: "What draws are drawn from: the same seed, the same lots. Else one is chosen.") var seed: UInt64?
        @Option(help: "End after so many verdicts.") var rounds: Int?
        @Flag(help: "Print JSON: a line for each verdict, as the site's stream has it.") var json = false

        func validate() throws {
            if let rounds, rounds < 1 { throw ValidationError("--rounds takes a number from 1, not \(rounds)") }
        }

        func run() async throws {
            try await Failure.explained {
                let options = try choice.options()
                let referee = try referee(options.site)
                var pause = GrowingPause()
                var (last, given, wasConnected) = (UInt64(0), 0, false)
                while true {
                    do {
                        let connection = try await BrokerConnection.open(options)
                        defer { connection.close() }
                        pause.reset()
                        wasConnected = true
                        try await referee.run(connection, after: last) { news in
                            try show(news)
                            guard case .verdict(let record) = news else { return true }
                            last = UInt64(clamping: record.n)
                            given += 1
                            return rounds.map { given < $0 } ?? true
                        }
                        return
                    } catch let error as BrokerError where error.code == .closed {
                        try await pause.wait(after: "\(error); a contest that was open gets no verdict")
                    } catch let error as BrokerError where wasConnected && error.code != .noLibrary {
                        try await pause.wait(after: error)
                    }
                }
            }
        }

        private func referee(_ site: SiteName) throws -> SiteReferee {
            let taught = gesture.hasPrefix("taught:")
            let kind = taught ? String(gesture.dropFirst(7)) : gesture
            guard !kind.isEmpty, kind.utf8.count <= 128 else {
                throw RoomError(.badOption, "name a gesture as rooms' events call it: jump, shake, tap, taught:NAME")
            }
            let rules = ContestRules(
                gestures: [GestureKind(rawValue: kind)], ties: tie, window: try Figures.time(window, "--window"),
                cap: try Figures.time(cap, "--cap"), pause: try Figures.time(pause, "--pause"),
                seed: seed ?? UInt64.random(in: 0..<1 << 53))
            if let problem = rules.problem { throw RoomError(.badOption, problem) }
            return SiteReferee(
                site: site, gesture: GestureKind(rawValue: kind), isTaught: taught, rules: rules, rooms: room)
        }

        private func show(_ news: SiteReferee.News) throws {
            switch news {
            case .verdict(let record):
                Terminal.print(json ? try Terminal.json(record) : SiteContestLines.line(record))
            case .rooms(let rooms): Failure.say(SiteContestLines.line(rooms, gesture: gesture))
            case .trouble(let words): Failure.say(words)
            }
        }
    }
}

/// Verdicts over several rooms as lines for people.
enum SiteContestLines {
    /// Of a line, in characters: whoever may write into the stream may write any verdict.
    private static let longest = 16_384

    static func line(_ record: SiteContestRecord) -> String {
        let verdict = record.event
        let text = VerdictWords.text(
            order: verdict.order, isReplayed: verdict.replay, ties: verdict.ties, winners: verdict.winners,
            unranked: verdict.unranked, missed: verdict.missed, placed: placed(by: verdict), name: name)
        return String("\(record.n)  \(spoken(record.name, atMost: 128)), \(text)".prefix(longest))
    }

    /// Who has a rank with its figures: `Ann in "Hall"`, `Ben in "Hall 2" (+35 ms ± 3 ms)`.
    private static func placed(by verdict: SiteContestRecord.Verdict) -> (SiteContestRecord.Contender) -> String {
        let first = verdict.evidence.filter { $0.rank == 1 }.compactMap(\.at).min() ?? 0
        var evidence: [SiteContender: SiteContestRecord.Evidence] = [:]
        for known in verdict.evidence { evidence[SiteContender(room: known.room, player: known.player)] = known }
        return { [evidence] who in
            let known = evidence[SiteContender(room: who.room, player: who.player)]
            let at = known?.at.map { "+\(Figures.milliseconds($0 - first))" }
            let reach = known?.uncertainty.map { "± \(Figures.milliseconds($0))" }
            let figures = [at, reach].compactMap(\.self).joined(separator: " ")
            return name(who) + (figures.isEmpty ? "" : " (\(figures))")
        }
    }

    private static func name(_ who: SiteContestRecord.Contender) -> String {
        let player = who.called.map { "P\(who.player) \(shown($0))" } ?? "P\(who.player)"
        return "\(player) in \"\(shown(who.name))\""
    }

    private static func shown(_ name: String) -> String { TerminalText.isolated(spoken(name, atMost: 128)) }

    static func line(_ rooms: [(room: SiteRoom, uncertainty: Double?)], gesture: String) -> String {
        guard !rooms.isEmpty else { return "no room is heard yet" }
        let names = rooms.map { room, uncertainty in
            let clock = uncertainty.map { "clock ± \(Figures.milliseconds($0))" } ?? "clock not measured yet"
            let players = plural(room.playing, "player")
            return "\"\(shown(room.name))\" on \(room.host) (\(players), \(clock))"
        }
        return "\(gesture) in \(names.joined(separator: ", "))"
    }
}
