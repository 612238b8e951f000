import EveningFiles
import FlightRecorder
import Foundation
import InputMerge
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
        /// Where a name of theirs may stand all the same, in words that were typed.
        package var named: [String]
        /// Whose files still hold them.
        package var old: [String]
    }

    /// What was typed by hand, and what becomes of it.
    package struct Words {
        /// Whether marks are kept, but for those of their own program.
        package var keepsMarks = true
        /// What takes the place of the recording's words; `nil` keeps them, and an empty text takes them away.
        package var consent: String?
        package var description: String?

        package init(keepsMarks: Bool = true, consent: String? = nil, description: String? = nil) {
            (self.keepsMarks, self.consent, self.description) = (keepsMarks, consent, description)
        }
    }

    /// Writes the evening without somebody into a new file; the old one is not touched.
    ///
    /// - Parameter who: a player (`P3`), a name, or the beginning of a controller's id (at least 4 digits).
    package static func run(
        _ path: String, who: String, to output: String, words typed: Words = Words()
    ) throws -> Summary {
        let (controllers, names, sources, change) = try find(who, in: path)
        var kept = KeptNames(names)
        var evening = try RecordedEvening(path)
        var generator = SystemRandomNumberGenerator()
        // Nobody has this key, from the next line on.
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        var tape = RewrittenTape(
            evening.opening, identities: TapedIdentities(key: key, only: controllers), still: controllers,
            stillSources: sources)
        var options = RecordingOptions(path: output)
        func told(_ new: String?, _ name: String) -> String? {
            let told = new ?? evening.about.first { $0.0 == name }?.1
            return told?.isEmpty == true ? nil : told
        }
        options.description = told(typed.description, "description")
        options.consent = told(typed.consent, "consent")
        kept.look(at: evening.opening.room, of: "the room's name")
        kept.look(at: options.description, of: "the description")
        kept.look(at: options.consent, of: "the consent")
        for talent in tape.opening.talents { kept.look(at: talent.talents) }
        let remark =
            "\(controllers.count) controller(s) were taken out of this recording: no samples, no words, another id and name. "
            + "Contests, teams and events were made anew without their motion"
        let remarks = evening.about.filter { $0.0 == "people" || $0.0 == "forgotten" }
        let reel = try RecordingReel(options, opening: tape.opening, remarks: remarks + [("forgotten", remark)])
        // Half of it would stand in the way of the next try.
        var isWhole = false
        defer {
            if !isWhole {
                _ = reel.finish(because: "it was not made to its end")
                unlink(reel.path)
            }
        }
        var now = evening.opening.now
        // A recording that has no end, as its recorder was killed, gets none by this.
        var end: RecordingNote?
        while let message = evening.next() {
            switch message.channel {
            case RecordingChannel.inputs.id:
                kept.look(at: message.data, without: controllers)
                do throws(TapeError) {
                    try tape.take(message.data) { event, told in
                        reel.add(event, at: told)
                        now = told
                    }
                } catch {
                    reel.addHole("a block of the old recording cannot be read: \(error)", at: now)
                }
                for block in tape.takeBlocks(isLast: false) { reel.add(block: block) }
            case RecordingChannel.marks.id where typed.keepsMarks:
                if let mark = try? JSONDecoder().decode(RecordingMark.self, from: Data(message.data)),
                    !isOf(controllers, mark)
                {
                    reel.add(mark, at: now)
                    kept.look(at: mark.text, of: "a mark")
                }
            case RecordingChannel.notes.id:
                guard let note = try? JSONDecoder().decode(RecordingNote.self, from: Data(message.data)),
                    note.note != .about
                else { break }
                kept.look(at: note.text, of: "what its recorder said")
                if note.note == .hole { reel.add(note) } else { end = note }
            default: break
            }
            try turn(reel, isLast: false)
        }
        for block in tape.takeBlocks(isLast: true) { reel.add(block: block) }
        // That its last second is not there is said by its having no end.
        for damage in evening.isCut ? [] : evening.damage {
            reel.addHole("in the old recording: \(damage)", at: now)
        }
        if let end { reel.add(end) }
        try turn(reel, isLast: true)
        var problems = evening.damage
        if tape.unowned > 0 {
            problems.append(
                "of \(plural(tape.unowned, "datagram")) the recording does not tell whose they were: their motion and words are left out, too"
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
            problems: problems, named: kept.places, old: evening.paths)
    }

    private static func words(_ difference: TapeRewriter.Difference, openedAt: HostTime) -> String {
        func told(_ words: [String]) -> String { words.isEmpty ? "nothing" : words.joined(separator: ", ") }
        let seconds = String(format: "%.3f s", RecordClock(openedAt: openedAt).milliseconds(difference.at) / 1e3)
        return "others' gestures come out otherwise, first at \(seconds): where there was \(told(difference.was)), "
            + "there is \(told(difference.told))"
    }

    private static func turn(_ reel: RecordingReel, isLast: Bool) throws {
        do throws(RecordingFileError) {
            if isLast { try reel.close() } else { try reel.turn(isLast: false) }
        } catch {
            throw RecordingFileError("cannot write \(reel.path): \(error); make room there or name another file")
        }
    }

    private static func isOf(_ controllers: Set<ControllerID>, _ mark: RecordingMark) -> Bool {
        mark.controller.flatMap { ControllerID($0) }.map(controllers.contains) ?? false
    }

    /// Who is meant, of everyone who ever sat in the room, or wanted to.
    ///
    /// - Returns: who is meant, what they were called, from where their unsealed frames came, and what this program makes
    ///   of the evening that is not what was recorded.
    private static func find(
        _ who: String, in path: String
    ) throws -> (
        controllers: Set<ControllerID>, names: Set<String>, sources: Set<PeerAddress>, change: String?
    ) {
        var player = try EveningPlayer(path)
        var known: [String: Set<Appearance>] = [:]
        while try player.step({ step, _ in
            switch step {
            case .event(.player(let event)):
                for controller in event.controllers {
                    known[controller, default: []].insert(Appearance(name: event.name, player: event.player))
                }
            // Who asked for a seat and got none is in the recording as well.
            case .event(.asking(let event)): known[event.controller, default: []].insert(Appearance(name: event.name))
            case .event(.queue(let event)): known[event.controller, default: []].insert(Appearance(name: event.name))
            default: break
            }
        }) {}
        // Who sat there when it was begun was not told of.
        for report in player.peers.map(\.report) {
            let appearance = Appearance(name: report.name, player: report.player)
            known[report.controller.description, default: []].insert(appearance)
        }
        let meant = Designation(who).choose { isMeant in
            known.filter { id, appearances in appearances.contains { isMeant(id, $0.name, $0.player) } }
        }
        guard let one = meant.first else {
            let names = known.map { id, appearances in
                "\(Set(appearances.flatMap(\.words)).sorted().joined(separator: ", ")) (\(id.prefix(8)))"
            }
            throw RecordingFileError(
                "nobody in \(path) is called \(who); there are: " + names.sorted().joined(separator: "; "))
        }
        guard meant.count == 1 else {
            // Whole, as a name may be what an id begins with.
            let ids = meant.map(\.key).sorted().joined(separator: ", ")
            throw RecordingFileError("\(who) was \(meant.count) controllers in \(path): name one by its id: \(ids)")
        }
        let controllers = Set([ControllerID(one.key)].compactMap(\.self))
        // A source of unsealed frames sends before it has a seat, too.
        let sources = player.peers.map(\.report).filter {
            $0.transport == .legacy && controllers.contains($0.controller)
        }
        return (controllers, Set(one.value.map(\.name)), Set(sources.compactMap(\.address)), player.difference)
    }
}

/// By what somebody could be called at one time of the evening.
private struct Appearance: Hashable {
    var name: String
    /// `nil` before there was a seat.
    var player: PlayerNumber?

    var words: [String] { player.map { ["P\($0)", name] } ?? [name] }
}

/// Where, in words that were typed and are kept, somebody's name still stands.
private struct KeptNames {
    /// Each word of a name by which somebody may be known, or the whole of one that has none so long.
    private let words: [String]
    private(set) var places: [String] = []

    init(_ names: Set<String>) {
        let all = names.flatMap { name in
            let words = name.split { !$0.isLetter && !$0.isNumber }.filter { $0.count > 2 }.map(String.init)
            return words.isEmpty ? [name] : words
        }
        words = Set(all.filter { !$0.isEmpty }).sorted()
    }

    mutating func look(at text: String?, of what: String) {
        guard let text,
            words.contains(where: { text.range(of: $0, options: [.caseInsensitive, .diacriticInsensitive]) != nil })
        else { return }
        let place = "\(what), \"\(printable(text))\""
        if !places.contains(place) { places.append(place) }
    }

    mutating func look(at talents: PlayerTalents) {
        for gesture in talents.gestures { look(atGesture: gesture.kind.rawValue) }
    }

    private mutating func look(atGesture name: String) { look(at: name, of: "the name of a taught gesture") }

    /// Of a block of the tape: what people taught, and what they brought along.
    mutating func look(at block: ArraySlice<UInt8>, without still: Set<ControllerID>) {
        guard var block = try? TapeBlock(block) else { return }
        while let (entry, _) = try? block.next() {
            switch entry {
            case .brings(let talents, let controller) where !still.contains(controller): look(at: talents)
            case .input(.command(.teaching(.teach(_, let gesture, _)), _)),
                .input(.command(.teaching(.remove(_, let gesture)), _)):
                look(atGesture: gesture)
            case .input(.command(.teaching(.rename(_, let old, let new)), _)):
                look(atGesture: old)
                look(atGesture: new)
            default: break
            }
        }
    }
}
