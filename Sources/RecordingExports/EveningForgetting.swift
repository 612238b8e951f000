import EveningFiles
import FlightRecorder
import Foundation
import RoomEngine
import RoomRecords
import SessionCoordinator
import WireProtocol

/// Makes of a recording another one, in which somebody does not move and has no name.
package struct EveningForgetting {
    /// What was done, for whoever asked.
    package struct Summary: Codable, Sendable {
        package var file: String
        package var forgotten: [String]
        package var events: Int
        /// What was wrong with the recording before, and what is not in the new one as it was there.
        package var problems: [String]
        /// Whose files still hold them.
        package var old: [String]
    }

    /// Writes the evening without somebody into a new file; the old one is not touched.
    ///
    /// - Parameter who: a player (`P3`), a name, or the beginning of a controller's id (at least 4 digits).
    package static func run(_ path: String, who: String, to output: String) throws -> Summary {
        let (controllers, sources, change) = try find(who, in: path)
        var evening = try RecordedEvening(path)
        var generator = SystemRandomNumberGenerator()
        // Nobody has this key, from the next line on.
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        var tape = RewrittenTape(
            evening.opening, identities: TapedIdentities(key: key, only: controllers), still: controllers,
            stillSources: sources)
        var options = RecordingOptions(path: output)
        options.description = evening.about.first { $0.0 == "description" }?.1
        options.consent = evening.about.first { $0.0 == "consent" }?.1
        let remark =
            "\(controllers.count) controller(s) were taken out of this recording: no samples, no words, another id and name. "
            + "Contests, teams and events were made anew without their motion"
        let kept = evening.about.filter { $0.0 == "people" || $0.0 == "forgotten" }
        let reel = try RecordingReel(options, opening: tape.opening, remarks: kept + [("forgotten", remark)])
        // Half of it would stand in the way of the next try.
        var isWhole = false
        defer {
            if !isWhole {
                _ = reel.finish(because: "it was not made to its end")
                unlink(reel.path)
            }
        }
        var now = evening.opening.now
        while let message = evening.next() {
            switch message.channel {
            case RecordingChannel.inputs.id:
                do throws(TapeError) {
                    try tape.take(message.data) { event, told in
                        reel.add(event, at: told)
                        now = told
                    }
                } catch {
                    reel.addHole("a block of the old recording cannot be read: \(error)")
                }
                for block in tape.takeBlocks(isLast: false) { reel.add(block: block) }
            case RecordingChannel.marks.id:
                if let mark = try? JSONDecoder().decode(RecordingMark.self, from: Data(message.data)),
                    !isOf(controllers, mark)
                {
                    reel.add(mark, at: now)
                }
            default: break
            }
            try turn(reel, isLast: false)
        }
        for block in tape.takeBlocks(isLast: true) { reel.add(block: block) }
        for damage in evening.damage { reel.addHole("in the old recording: \(damage)") }
        try turn(reel, isLast: true)
        var problems = evening.damage
        if tape.unowned > 0 {
            problems.append(
                "of \(tape.unowned) datagrams the recording does not tell whose they were: their motion and words are left out, too"
            )
        }
        if let change {
            problems.append(
                "this program makes other events of it than \(evening.opening.program) did, and the new file has those "
                    + "that it makes: \(change)")
        }
        if let difference = tape.difference {
            problems.append(words(difference, openedAt: evening.opening.openedAt))
        }
        isWhole = true
        return Summary(
            file: reel.path, forgotten: controllers.sorted().map(\.description), events: reel.counts.events,
            problems: problems, old: evening.paths)
    }

    private static func words(_ difference: TapeRewriter.Difference, openedAt: HostTime) -> String {
        func told(_ words: [String]) -> String { words.isEmpty ? "nothing" : words.joined(separator: ", ") }
        let seconds = String(format: "%.3f s", RecordClock(openedAt: openedAt).milliseconds(difference.at) / 1e3)
        return "others' gestures come out otherwise, first at \(seconds): where there was \(told(difference.was)), "
            + "there is \(told(difference.told))"
    }

    private static func turn(_ reel: RecordingReel, isLast: Bool) throws {
        do throws(RecordingFileError) {
            try reel.turn(isLast: isLast)
        } catch {
            throw RecordingFileError("cannot write \(reel.path): \(error); make room there or name another file")
        }
    }

    private static func isOf(_ controllers: Set<ControllerID>, _ mark: RecordingMark) -> Bool {
        mark.controller.flatMap { ControllerID($0) }.map(controllers.contains) ?? false
    }

    /// Who is meant, of everyone who ever sat in the room, or wanted to.
    ///
    /// - Returns: who is meant, from where their unsealed frames came, and what this program makes of the evening that
    ///   is not what was recorded.
    private static func find(
        _ who: String, in path: String
    ) throws -> (controllers: Set<ControllerID>, sources: Set<PeerAddress>, change: String?) {
        var player = try EveningPlayer(path)
        var known: [String: Set<String>] = [:]
        while try player.step({ step, _ in
            switch step {
            case .event(.player(let event)):
                for controller in event.controllers {
                    known[controller, default: []].formUnion(["P\(event.player)", event.name])
                }
            // Who asked for a seat and got none is in the recording as well.
            case .event(.asking(let event)): known[event.controller, default: []].insert(event.name)
            case .event(.queue(let event)): known[event.controller, default: []].insert(event.name)
            default: break
            }
        }) {}
        // Who sat there when it was begun was not told of.
        for report in player.peers.map(\.report) {
            known[report.controller.description, default: []].formUnion(["P\(report.player)", report.name])
        }
        let word = who.lowercased()
        let meant = known.filter { id, words in
            words.contains { $0.lowercased() == word } || word.utf8.count >= 4 && id.hasPrefix(word)
        }
        guard let one = meant.first else {
            let names = known.map { id, words in "\(words.sorted().joined(separator: ", ")) (\(id.prefix(8)))" }
            throw RecordingFileError(
                "nobody in \(path) is called \(who); there are: " + names.sorted().joined(separator: "; "))
        }
        guard meant.count == 1 else {
            let ids = meant.keys.sorted().map { String($0.prefix(8)) }.joined(separator: ", ")
            throw RecordingFileError("\(who) was \(meant.count) controllers in \(path): name one by its id: \(ids)")
        }
        let controllers = Set([ControllerID(one.key)].compactMap(\.self))
        // A source of unsealed frames sends before it has a seat, too.
        let sources = player.peers.map(\.report).filter {
            $0.transport == .legacy && controllers.contains($0.controller)
        }
        return (controllers, Set(sources.compactMap(\.address)), player.difference)
    }
}
