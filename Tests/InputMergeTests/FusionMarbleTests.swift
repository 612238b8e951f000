import InputMerge
import Testing
import WireProtocol

@Suite("Fusion as marbles: what comes in, and what the player does")
struct FusionMarbleTests {
    /// Rule, controllers, and what their player does; see ``Ensemble``.
    private func check(_ marbles: String) {
        let lines = marbles.split(separator: "\n").map(String.init)
        let controllers = lines[1..<lines.count - 1].map { String($0.dropFirst(2)) }
        #expect(Ensemble(.of(lines[0]), controllers).line == lines.last?.dropFirst(2) ?? "", "\(marbles)")
    }

    @Test(
        "Own: the first controller is the player, the others are spares",
        arguments: [
            """
            own
            A p-----p
            B ---p---
            > A-----A
            """,
            """
            own,hand-over
            A p--_____________p-p
            B ---------p----p----
            > A--------B----B-A-A
            """,
            """
            own,ignore
            A p--_____________p--
            B ---------p----p----
            > A---------------A
            """,
            """
            own
            A p--x
            B -p------p--
            > A-------B
            """,
        ])
    func own(_ marbles: String) { check(marbles) }

    @Test(
        "Any: whatever anyone does, the player does",
        arguments: [
            """
            any
            A p--------p
            B ---p------
            C ------p---
            > A--B--C--A
            """,
            """
            any,wait
            A p--_____________
            B ------------p---
            > A-----------B
            """,
        ])
    func any(_ marbles: String) { check(marbles) }

    @Test(
        "All within a window: once, when the last has done it",
        arguments: [
            """
            all:200ms
            A -p----------p---p--
            B ---p------------p--
            C ----p-------p---p--
            > ----3-----------3
            """,
            """
            all:200ms
            A p----------p
            B -----p---p--
            > -----------2
            """,
            """
            all:100ms
            A p----p----
            B --p-----p-
            > --2
            """,
            // Who acts once more within the window has not acted twice.
            """
            all:300ms
            A p-p-------
            B ----p-p---
            > ----2
            """,
        ])
    func all(_ marbles: String) { check(marbles) }

    @Test(
        "All, when one is lost: ignored, waited for, its share handed over; who comes back counts again",
        arguments: [
            """
            all:200ms,ignore
            A p--------p------p---
            B p--___________--p---
            > 2--------A------2
            """,
            """
            all:200ms,wait
            A p--------p------p---
            B p--___________--p---
            > 2---------------2
            """,
            """
            all:200ms,hand-over
            A p--------p------p---
            B p--___________--p---
            > 2--------A------2
            """,
            // Who has given up its seat is gone, whatever the rule.
            """
            all:200ms,wait
            A p--------p--
            B p--x
            > 2--------A
            """,
        ])
    func allWithLoss(_ marbles: String) { check(marbles) }

    @Test(
        "Quorum: as soon as enough have done it; who follows within the window belongs to it",
        arguments: [
            """
            quorum:2:200ms
            A p----------p--
            B --p-------p---
            C ---p----p-----
            > --2-------2
            """,
            """
            quorum:2/3:200ms
            A p----------
            B ------p----
            C -------p---
            > -------2
            """,
            """
            quorum:3:200ms
            A p---
            B -p--
            > -2
            """,
        ])
    func quorum(_ marbles: String) { check(marbles) }

    @Test(
        "Quorum, when one is lost: a share is of those who count, and votes that were handed over count",
        arguments: [
            """
            quorum:2/3:200ms,ignore
            A p--------p---p----
            B p------------p----
            C ---_______________
            > 2------------2
            """,
            """
            quorum:2/3:200ms,wait
            A p--------p---p----
            B p------------p----
            C ---_______________
            > 2------------2
            """,
            // C is heard no more: after it comes A, which votes for both.
            """
            quorum:2/3:200ms,hand-over
            A p--------p--------
            B p------------p----
            C ---_______________
            > 2--------A
            """,
        ])
    func quorumWithLoss(_ marbles: String) { check(marbles) }

    @Test(
        "Split: each makes the gestures of its role; what no role names anybody makes",
        arguments: [
            """
            split:push/side
            A p--q--p--
            B -p--q----
            > A---B-A
            """,
            """
            split:push
            A p--q-----
            B -p---q---
            > A--A-B
            """,
            // Alone it plays both roles; a third is a spare.
            """
            split:push/side
            A p--q--p--
            > A--A--A
            """,
            """
            split:push/side
            A p-----p--
            B -q-------
            C --p-q----
            > AB----A
            """,
        ])
    func split(_ marbles: String) { check(marbles) }

    @Test(
        "Split, when one is lost: its role rests, is anybody's, or falls to a spare",
        arguments: [
            """
            split:push/side,wait
            A ---------q---p--
            B -q--____________
            C -----------q----
            > -B-----------A
            """,
            """
            split:push/side,ignore
            A ---------q---p--
            B -q--____________
            C -----------q----
            > -B-------A-C-A
            """,
            """
            split:push/side,hand-over
            A ---------q---p--
            B -q--____________
            C -----------q----
            > -B---------C-A
            """,
            """
            split:push/side,hand-over
            A ---------q---p--
            B -q--____________
            > -B-------A---A
            """,
        ])
    func splitWithLoss(_ marbles: String) { check(marbles) }

    @Test(
        "What is together depends on when it happened, not on when it arrived",
        arguments: [
            [0.0, 0], [0, 150], [150, 0], [40, 90],
        ])
    func links(delays: [Double]) {
        let lines = ["-p--------p----p--", "--p-------------p-"]
        #expect(Ensemble(.of("all:100ms"), lines, delays: delays).line == "--2-------------2")
    }

    @Test(
        "Teams act as their rule says, by what their players do",
        arguments: [
            (Team("red", [1, 2], rule: .all(within: .milliseconds(200))), "--2----------"),
            (Team("red", [1, 3], rule: .any), "A---C------C"),
            (Team("red", [1, 2, 3], rule: .quorum(.share(2, of: 3), within: .milliseconds(200))), "--2"),
        ])
    func teams(_ team: Team, _ line: String) {
        let lines = ["p------------", "--p----------", "----p------p-"]
        let ensemble = Ensemble(.any, lines, together: false, teams: [team])
        #expect(ensemble.teamLine == String(line.reversed().drop { $0 == "-" }.reversed()))
        #expect(ensemble.began.count == 4, "the players still act for themselves")
        #expect(ensemble.teamEvents.filter { $0.phase == .ended }.count == ensemble.teamLine.filter { $0 != "-" }.count)
    }

    @Test(
        "What a team did depends on when its players moved, not on whose link is slow",
        arguments: [
            [0.0, 0, 0], [0, 0, 120], [0, 0, 300], [120, 40, 0],
        ])
    func teamLinks(delays: [Double]) {
        func line(_ rule: FusionRule.Gathering, _ lines: [String]) -> String {
            let team = Team("red", Array(1...lines.count), rule: rule)
            return Ensemble(
                .any, lines, together: false, teams: [team], delays: Array(delays.suffix(lines.count))
            ).teamLine
        }
        let quorum = [
            "------------p-----------p-------",
            "-------------------p------------",
            "--------------p-----------------",
        ]
        #expect(line(.quorum(.count(2), within: .milliseconds(300)), quorum) == "--------------2")
        let all = ["------------p----p------", "-------------p----------"]
        #expect(line(.all(within: .milliseconds(100)), all) == "-------------2")
    }

    @Test(
        "Who gives up its seat is waited for by no team; where it waits for the lost, it waits for that one too",
        arguments: [
            (FusionRule.Loss.ignore, "-2"), (.handOver, "-2"), (.wait, ""),
        ])
    func leavingTeam(whenLost: FusionRule.Loss, line: String) {
        let team = Team("red", [1, 2, 3], rule: .all(within: .milliseconds(500)), whenLost: whenLost)
        let ensemble = Ensemble(.any, ["p-----", "-p----", "---x"], together: false, teams: [team])
        #expect(ensemble.teamLine == line)
        #expect(ensemble.teamEvents.map(\.phase) == (line.isEmpty ? [] : [.began, .ended]))
    }

    @Test("Who gives up its seat has no part any more in what its team goes on with")
    func leavingAmid() {
        let team = Team("red", [1, 2], rule: .all(within: .milliseconds(200)))
        let ensemble = Ensemble(.any, ["-pppx---", "-pppppp-"], together: false, teams: [team])
        #expect(ensemble.teamEvents.map(\.phase) == [.began, .ended])
        #expect(ensemble.teamEvents.map(\.players) == [[1, 2], [2]])
    }

    @Test(
        "How strong together: the last, the sum up to 1, the mean, or the strongest",
        arguments: [
            ("first", 1.0 / 3), ("sum", 1.0), ("mean", 2.0 / 3), ("strongest:acceleration", 1.0),
        ])
    func strength(blend: String, expected: Double) throws {
        let ensemble = Ensemble(.of("all:200ms,\(blend)"), ["P---", "-p--"])
        let gesture = try #require(ensemble.began.first)
        #expect(abs(gesture.strength - expected) < 1e-6)
        // 1 g is twice the threshold of 0.5 g: as sure as can be, and so is 2 g.
        #expect(gesture.confidence == 1)
    }

    @Test(
        "A rule is written as text and read again as it was; what is wrong says why",
        arguments: [
            "own,first,ignore", "any,mean,ignore", "all:500ms,mean,hand-over", "quorum:2:400ms,sum,wait",
            "quorum:2/3:400ms,strongest:tilt,wait", "split:tilt/jump+shake,first,ignore",
        ])
    func text(_ rule: String) throws {
        #expect(try FusionRule(rule).description == rule)
        #expect(try FusionRule(rule.replacing(",", with: " , ")).description == rule)
    }

    @Test(
        "What is no rule is refused, and says what is wrong",
        arguments: [
            ("some", "is no fusion"), ("all", "is no fusion"), ("all:5", "is no time"), ("all:1ms", "within is"),
            ("quorum:5/3:1s", "is none"), ("split:tilt/tilt", "two roles"), ("any,own", "twice"),
            ("strongest:colour", "only of"),
        ])
    func wrongText(_ text: String, _ words: String) {
        let error = #expect(throws: FusionRule.TextError.self) { try FusionRule(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
