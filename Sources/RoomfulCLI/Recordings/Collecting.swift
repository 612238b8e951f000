import ArgumentParser
import Foundation
import MotionScore
import OperatorFront
import RecordingExports
import RoomRecords
import Roomful
import Synchronization
import WireProtocol

/// How motion is collected for `roomful lab score`: `roomful teach … --collect DIR`.
struct CollectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Teach nothing: record the gesture --times times, and add it to this folder in the form that lab score reads.",
            valueName: "dir"),
        completion: .directory, transform: String.ofPath)
    var collect: String?
    @Flag(help: "With --collect: everyday motion, in which no gesture is; the name says what is done.")
    var everyday = false
    @Option(help: "With --collect: how long each lasts, 1s to 1h; else 3s, and 60s of everyday motion.")
    var lasting: String?
    @Option(help: "With --collect: a label for who moves, such as p1. 1 to 40 letters, digits, - and _.")
    var subject: String?
    @Option(help: "With --collect: what the person who moves has agreed to, in a sentence.") var consent: String?
    @Option(help: "With --collect: the licence under which it may be used, such as CC0-1.0.") var licence: String?

    /// An option that means nothing without ``collect``.
    var stray: String? {
        if everyday { return "--everyday" }
        let given = [("--lasting", lasting), ("--subject", subject), ("--consent", consent), ("--licence", licence)]
        return given.first { $0.1 != nil }?.0
    }
}

/// Prompts a player, records what it does, and takes the motion out of the recording.
struct Collecting {
    let choice: RoomChoice
    let player: String
    let folder: URL
    let session: CollectedMotion.Session
    let times: Int
    let length: Duration

    /// Of a shake, what lies before and after is kept, too: nothing may shake the device then.
    private var around: Duration { session.kind == .shake ? CollectedMotion.around : .zero }
    private var pause: Duration { .seconds(1) + around / 2 }

    /// - Throws: where something is missing that nobody can be asked for.
    init(_ options: CollectOptions, gesture: String, player: String, times: Int, choice: RoomChoice) throws {
        guard let collect = options.collect else { throw RoomError(.badOption, "--collect names a folder") }
        let isPlain = { (text: String, most: Int) in
            (1...most).contains(text.utf8.count)
                && text.unicodeScalars.allSatisfy {
                    $0.properties.isAlphabetic || "0123456789-_ ".unicodeScalars.contains($0)
                }
        }
        guard isPlain(gesture, 40) else {
            throw RoomError(
                .badOption, "what is collected has a name of 1 to 40 bytes of letters, digits, -, _ and spaces")
        }
        let subject = try options.subject ?? Self.ask("Who moves? A label that names nobody, such as p1", "--subject")
        guard isPlain(subject, 40), !subject.contains(" ") else {
            throw RoomError(.badOption, "--subject has 1 to 40 letters, digits, - and _")
        }
        let consent = try options.consent ?? Self.ask("What has \(subject) agreed to? In a sentence", "--consent")
        let licence =
            try options.licence ?? Self.ask("Under which licence may it be used, such as CC0-1.0", "--licence")
        for (text, name) in [(consent, "--consent"), (licence, "--licence")]
        where !(1...1_000).contains(text.utf8.count) {
            throw RoomError(.badOption, "\(name) has 1 to 1000 bytes: without it nobody may use what is collected")
        }
        let usual = options.everyday ? "60s" : "3s"
        guard let length = Figures.duration(options.lasting ?? usual),
            (Duration.seconds(1)...Duration.seconds(3_600)).contains(length)
        else { throw RoomError(.badOption, "--lasting takes a time from 1s to 1h, not \"\(options.lasting ?? "")\"") }
        self.choice = choice
        self.player = player
        self.times = times
        self.length = length
        folder = URL(fileURLWithPath: RecordingPaths.absolute(collect), isDirectory: true)
        session = CollectedMotion.Session(
            kind: options.everyday ? .everyday : gesture == "shake" ? .shake : .gesture, label: gesture,
            subject: subject, consent: consent, licence: licence, program: "roomful \(ProgramVersion.text)")
    }

    private static func ask(_ question: String, _ option: String) throws -> String {
        guard Terminal.canAsk else {
            throw RoomError(.badOption, "--collect needs \(option): nobody can be asked here")
        }
        Failure.write("\(question): ")
        return readLine()?.trimmingCharacters(in: .whitespaces) ?? ""
    }

    func run() async throws {
        guard let client = try await choice.client() as? OperatorClient else {
            throw RoomError(.badOption, "--collect records on the host's own machine: leave the site out")
        }
        if try await client.ask(OperatorRequest(.recordStatus)).recording?.state == .recording {
            throw RoomError(
                .badOption,
                "the room is being recorded already: end that first (roomful record stop), or open a room for this")
        }
        guard let peer = try await client.ask(OperatorRequest(.peers, who: player)).peers?.first else {
            throw RoomError(.notFound, "nobody is called \"\(player)\"")
        }
        try CollectedMotion.check(session.kind, in: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        CollectedMotion.removeLeftovers(in: folder)
        var start = OperatorRequest(.recordStart)
        start.tied = true
        // The host ends it with this connection: nobody is recorded for a program that was killed.
        try await client.hold(start) { reply in
            guard let path = reply.recording?.path else {
                throw RoomError(.closed, "the host does not say where it records")
            }
            try await collect(of: peer, from: path, client)
        }
    }

    private func collect(of peer: PeerStatus, from recording: String, _ client: OperatorClient) async throws {
        // Where something is missing in it, it is kept for a day: nobody has to move again for what it has.
        var isKept = false
        defer { if !isKept { unlink(recording) } }
        var failure: (any Error)?
        do {
            try await show(client, recording)
        } catch { failure = error }
        // What waits for a sample that is missing is told by then.
        try? await Task.sleep(for: .milliseconds(700))
        let isOurs = (try? await client.ask(OperatorRequest(.recordStatus)))?.recording?.path == recording
        let stopped = isOurs ? (try? await client.ask(OperatorRequest(.recordStop)))?.recording : nil
        isKept = stopped?.problem != nil || failure is RoomError
        let summary = try CollectedMotion.take(from: recording, player: peer.player, session, to: folder)
        tell(summary)
        if isKept {
            let problem = stopped?.problem ?? failure.map { "\($0)" } ?? ""
            throw RoomError(
                .closed,
                "not everything was recorded; what there is of it is kept for a day in \(printable(recording)): \(problem)"
            )
        }
        if let failure { throw failure }
        if summary.trials == 0 { throw RoomError(.notFound, "nothing was collected") }
    }

    /// Asks for one after the other, until Ctrl-C.
    private func show(_ client: any RoomOperator, _ recording: String) async throws {
        let wish = Wish()
        let interruption = Interruption()
        interruption.onInterrupt { wish.note() }
        defer { withExtendedLifetime(interruption) {} }
        let known = CollectedMotion.names(of: session.kind, in: folder)
        var number = 0
        for time in 1...times where !wish.isThere {
            var name = ""
            repeat {
                number += 1
                name = session.trialPrefix + "\(number)"
            } while known.contains(name)
            let standing = try await client.ask(OperatorRequest(.recordStatus)).recording
            guard standing?.state == .recording, standing?.path == recording else {
                throw RoomError(.closed, standing?.problem ?? "the room's recording has ended before its time")
            }
            say("\(time) of \(times): hold still …")
            try await prompt(client, "\(time) / \(times)")
            try await Task.sleep(for: pause)
            say("\(time) of \(times): \(session.label), now")
            try await prompt(client, session.label)
            try await mark(client, CollectedMotion.marks(of: name).begin)
            let end = ContinuousClock.now + length
            while ContinuousClock.now < end, !wish.isThere {
                try await Task.sleep(for: min(.milliseconds(100), end - ContinuousClock.now))
            }
            // Half a gesture is none; what there is of everyday motion counts.
            if wish.isThere, session.kind != .everyday { break }
            try await mark(client, CollectedMotion.marks(of: name).end)
            try await Task.sleep(for: around)
            try await prompt(client, "✓")
        }
    }

    /// Words on the player's screen, and something in its hand: a controller without either is only told here.
    private func prompt(_ client: any RoomOperator, _ words: String) async throws {
        var text = OperatorRequest(.send, who: player)
        text.text = words
        _ = try? await client.ask(text)
        // While the motion is recorded nothing shakes the device: who shows everyday motion is not disturbed either.
        guard words == "✓" else { return }
        var haptic = OperatorRequest(.play, who: player)
        haptic.duration = 200
        _ = try? await client.ask(haptic)
    }

    private func mark(_ client: any RoomOperator, _ text: String) async throws {
        var request = OperatorRequest(.mark)
        request.text = text
        _ = try await client.ask(request)
    }

    private func say(_ line: String) { if !choice.json { Terminal.print(line) } }

    private func tell(_ summary: CollectedMotion.Summary) {
        if choice.json {
            if let line = try? Terminal.json(summary) { Terminal.print(line) }
            return
        }
        for each in summary.leftOut { Terminal.print("left out: \(each)") }
        guard summary.trials > 0 else { return }
        Terminal.print(
            "\(summary.trials) of \(session.label) by \(session.subject), \(plural(summary.samples, "sample")) at "
                + "\(summary.rate) Hz, are in \(printable(summary.file)); score them: roomful lab score \(shellWord(folder.path))"
        )
        let shown = CollectedMotion.count(of: session, in: folder)
        guard session.kind == .gesture, shown < GesturesScore.enough else { return }
        Terminal.print(
            "lab score needs \(GesturesScore.enough) of each gesture by one person to show all that is wanted of it "
                + "(4 for 3 examples, 6 for 5); of this one there are \(shown)")
    }
}

/// Somebody wants to end early.
private final class Wish: Sendable {
    private let wish = Mutex(false)
    var isThere: Bool { wish.withLock { $0 } }
    func note() { wish.withLock { $0 = true } }
}
