public import ArgumentParser
public import InputMerge
import Roomful
import WireProtocol

/// How several controllers make one player, several players one team, and who of them was first.
struct PlayOptions: ParsableArguments {
    @Option(
        help: """
            In collaborative mode: own, any, all:500ms, quorum:2/3:400ms, split:tilt/jump; then sum, mean or \
            strongest:rotation; then wait, ignore or hand-over when one is lost. For example all:500ms,mean,hand-over.
            """)
    var fusion = PlayOptions.usualFusion
    @Option(help: "Players who act together, such as red=1,2:all:500ms or blue=3,4:any. Again for each team.")
    var team: [String] = []
    @Option(help: "Judge who is first at these gestures, separated by commas: jump,shake; taught:NAME.")
    var contest: String?
    @Option(help: "When several may have been first, as the clocks cannot tell: share, replay or draw.")
    var tie = ContestRules.Ties.share
    @Option(help: "Who moves so soon after the first is ranked: 0 to 2s.")
    var contestWindow = PlayOptions.usualWindow
    @Option(help: "The verdict falls so long after the first move at the latest (of a jump, 250ms more): 10ms to 5s.")
    var contestCap = PlayOptions.usualCap
    @Option(help: "No new contest begins for so long after a first move: 0 to 60s.")
    var contestPause = PlayOptions.usualPause
    @Option(help: "What draws are drawn from: the same seed, the same lots. Else one is chosen.") var seed: UInt64?

    private static let usualFusion = "any"
    private static let usualWindow = "100ms"
    private static let usualCap = "250ms"
    private static let usualPause = "1s"

    /// What was said of contests where none is judged: it would mean nothing.
    private var withoutContest: String? {
        guard contest == nil else { return nil }
        if tie != .share { return "--tie" }
        if contestWindow != Self.usualWindow { return "--contest-window" }
        if contestCap != Self.usualCap { return "--contest-cap" }
        if contestPause != Self.usualPause { return "--contest-pause" }
        return seed == nil ? nil : "--seed"
    }

    /// Sets what was asked for.
    func apply(to merge: inout MergeConfiguration, in mode: RoomOptions.Mode) throws {
        if let option = withoutContest {
            throw RoomError(.badOption, "\(option) goes with a contest: say, too, which gestures are judged")
        }
        merge.fusion = try Self.fusionRule(fusion, isCollaborative: mode == .collaborative)
        merge.teams = try team.map(Self.team)
        merge.contests.ties = tie
        merge.contests.window = try Figures.time(contestWindow, "--contest-window")
        merge.contests.cap = try Figures.time(contestCap, "--contest-cap")
        merge.contests.pause = try Figures.time(contestPause, "--contest-pause")
        // As far as JSON numbers are exact.
        merge.contests.seed = seed ?? UInt64.random(in: 0..<1 << 53)
        if let contest { try Self.judge(contest, in: &merge) }
    }

    /// What `--fusion` says.
    ///
    /// - Throws: `RoomError` with code `badOption`, also where it would make no difference.
    static func fusionRule(_ fusion: String, isCollaborative: Bool) throws -> FusionRule {
        guard isCollaborative || fusion == usualFusion else {
            throw RoomError(.badOption, "--fusion goes with --mode collaborative: else each controller is a player")
        }
        do {
            return try FusionRule(fusion)
        } catch {
            throw RoomError(.badOption, "--fusion: \(error)")
        }
    }

    /// Judges who is first at the gestures that `--contest` names.
    ///
    /// - Throws: `RoomError` with code `badOption`, which says what there is.
    static func judge(_ contest: String, in merge: inout MergeConfiguration) throws {
        let watched = merge.gestures.map(\.kind)
        let known = (watched.contains(.keepCalmJump) ? watched : watched + [.keepCalmJump]).map(\.rawValue)
        merge.contests.gestures = try contest.listed.map { word in
            if word.hasPrefix("taught:") { return GestureKind(rawValue: String(word.dropFirst(7))) }
            guard known.contains(String(word)) else {
                throw RoomError(
                    .badOption,
                    "--contest: no gesture is called \(word); there are \(known.joined(separator: ", ")), and taught:NAME"
                )
            }
            return GestureKind(rawValue: String(word))
        }
        watchPapersJump(in: &merge)
    }

    /// The paper's jump is watched for where it is judged.
    static func watchPapersJump(in merge: inout MergeConfiguration) {
        let isMissing = !merge.gestures.contains { $0.kind == .keepCalmJump }
        if isMissing, merge.contests.gestures.contains(.keepCalmJump) { merge.gestures.append(.keepCalmJump) }
    }

    /// `NAME=PLAYERS:RULE`
    private static func team(_ text: String) throws -> Team {
        let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
        let rest = (sides.last ?? "").split(separator: ":", maxSplits: 1).map(String.init)
        guard sides.count == 2, rest.count == 2 else {
            throw RoomError(.badOption, "--team is written NAME=PLAYERS:RULE, such as red=1,2:all:500ms, not \(text)")
        }
        let players = try rest[0].listed.map { word in
            let digits = word.first.map { "Pp".contains($0) } == true ? word.dropFirst() : word
            guard let player = Int(digits), player > 0 else {
                throw RoomError(.badOption, "--team \(sides[0]): \(word) is no player; write 1 or P1")
            }
            return player
        }
        do {
            let rule = try FusionRule(rest[1])
            return Team(sides[0], players, rule: rule.gestures, whenLost: rule.whenLost)
        } catch {
            throw RoomError(.badOption, "--team \(sides[0]): \(error)")
        }
    }
}

extension ContestRules.Ties: ExpressibleByArgument {}
