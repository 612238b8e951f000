import ArgumentParser
import Foundation
import Identity
import RecordingExports
import RoomRecords
import Roomful
import WireProtocol

/// Takes somebody out of a recording.
struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Take somebody out of a recording, into a new file that plays again; or out of collected motion.",
        discussion: """
            Example:  roomful forget evening.mcap P3        writes evening-without-one.mcap
            Their samples, words, name and id are not in the new file, nor what their phone said of its sensor and battery;
            when they came and went is, so that everybody else keeps seat and number. Marks, the description, the consent
            and names of taught gestures are kept as they were typed, and it is said where a name of theirs still stands.
            The old file stays: delete it yourself.
                      roomful forget ~/motion --subject p1
            Out of a folder of teach --collect somebody is taken where it stands: rows, labels and what is said of them.
            Copies that were passed on stay what they are.
            """)
    @Argument(
        help: "The recording, or its first file; with --subject the folder.", completion: .file(),
        transform: String.ofPath)
    var file: String
    @Argument(help: "A player (P3), a name, or the beginning of a controller's id.") var who: String?
    @Option(help: "Who goes out of a folder of collected motion, by the label there.") var subject: String?
    @Option(name: .shortAndLong, help: "The new recording.") var output: String?
    @Flag(help: "Keep no marks.") var withoutMarks = false
    @Option(help: "What takes the place of the recording's words about consent; \"\" for none.") var consent: String?
    @Option(help: "What takes the place of its description; \"\" for none.") var description: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (who == nil) != (subject == nil) else {
            throw ValidationError("say who: a player, a name or an id, or --subject with a folder of collected motion")
        }
        if subject != nil, output != nil || withoutMarks || consent != nil || description != nil {
            throw ValidationError("--subject goes with the folder alone")
        }
    }

    func run() async throws {
        try await Failure.explained {
            if let subject { return try leaveOut(subject) }
            let who = who ?? ""
            let stem = file.hasSuffix(".mcap") ? String(file.dropLast(5)) : file
            // Not with a name in it: that is what is to be forgotten.
            let summary = try EveningForgetting.run(
                file, who: who, to: output ?? "\(stem)-without-one.mcap",
                words: .init(keepsMarks: !withoutMarks, consent: consent, description: description))
            for problem in summary.problems { Failure.say(problem) }
            for place in summary.named { Failure.say("their name may stand in the new file still: in \(place)") }
            let old = summary.old.map(printable).joined(separator: ", ")
            // Where the new file is not all that the old one was, whoever has both decides.
            let advice = summary.problems.isEmpty ? ": delete \(summary.old.count == 1 ? "it" : "all of these")" : ""
            let text =
                "wrote \(summary.file): \(plural(summary.events, "event")), judged anew without \(summary.forgotten.joined(separator: ", ")). "
                + "\(old) still hold\(summary.old.count == 1 ? "s" : "") them\(advice)"
            Terminal.print(json ? try Terminal.json(summary) : text)
        }
    }

    private func leaveOut(_ subject: String) throws {
        let folder = URL(fileURLWithPath: RecordingPaths.absolute(file), isDirectory: true)
        let forgotten = try CollectedMotion.forget(subject, in: folder)
        for path in forgotten.left {
            Failure.say("\(path) is a recording of the whole room, which an older program left: delete it")
        }
        let files = forgotten.files.map(printable).joined(separator: ", ")
        let text = "took \(plural(forgotten.rows, "line")) of \(printable(subject)) out of \(files)"
        Terminal.print(json ? try Terminal.json(forgotten) : text)
    }
}
