import Foundation
import Testing

@Suite("The program's exit codes", .serialized, .timeLimit(.minutes(3)))
struct ExitCodeTests {
    @Test(
        "Wrong use ends with 2, no room with 3, and each says in one line what to do",
        arguments: [
            (["kick"], 2, "Missing expected argument"),
            (["host", "X", "--policy", "maybe"], 2, "'code', 'open' or 'ask'"),
            (["host", "X", "--idle", "soon"], 2, "1s or 500ms"),
            // What was pasted is said again, without what moves a terminal.
            (["host", "X", "--idle", "\u{1B}]0;owned\u{07}soon"], 2, "]0;ownedsoon"),
            (["host", "X", "--\u{1B}[2J"], 2, "--[2J"),
            (["host", "X", "--record-consent", "all"], 2, "--record-consent goes with --record"),
            (["host", "X", "--record-description", "a study"], 2, "--record-description goes with --record"),
            (["host", "X", "--record-budget", "20GB"], 2, "--record-budget goes with --record"),
            (["host", "X", "--record-size", "1MB"], 2, "--record-size goes with --record"),
            (["host", "X", "--record-time", "5m"], 2, "--record-time goes with --record"),
            (
                ["host", "X", "--record", "/nowhere/evenings", "--record-budget", "20GB"], 2,
                "/nowhere/evenings is no folder that is there: end it with / to have it made, or leave out --record-budget"
            ),
            (["host", "X", "--record", "/nowhere/e.mcap", "--record-size", "1MB"], 2, "or leave out --record-size"),
            (["host", "X", "--record", "/nowhere/e.mcap", "--record-time", "5m"], 2, "or leave out --record-time"),
            // As of a variable that is not set: it would be the folder that one is in, or the usual one.
            (["host", "X", "--record", ""], 2, "'--record <record>': it names nothing"),
            (["host", "X", "--state", ""], 2, "'--state <state>': it names nothing"),
            (["record", "start", ""], 2, "'<path>': it names nothing"),
            (["events", "--type", "contest"], 2, "goes with --site"),
            (["events", "--type", "shapes"], 2, "teaching, shaping, sensor"),
            (["events", "--type", "shaping"], 3, "roomful host"),
            (["events", "--type", "gesture, verdict"], 3, "roomful host"),
            (["events", "--type", ""], 2, "--type names one or more of"),
            (["events", "--type", " ,"], 2, "--type names one or more of"),
            (["events", "--after", "soon"], 2, "N@OPENEDAT"),
            (["replay", "x.mcap", "--verify", "--with", "g.toml"], 2, "leave out --with"),
            (["host", String(repeating: "n", count: 64)], 2, "63 bytes"),
            (["join"], 2, "--replay FILE"),
            (["join", "X", "--stdin", "--fingerprint", "3b89-06d4-3343-80cd"], 2, "roomful qr --json"),
            (["lab", "fleet", "--fingerprint", "3b89-06d4-3343-80cd"], 2, "all 64 digits"),
            (["join", "X", "--at", "127.0.0.1:1", "--replay", "/nowhere.csv"], 2, "/nowhere.csv"),
            (["join", "--code-file", "/bin/ls", "--replay", "Recordings/demo/drop.csv"], 1, "not a ticket for a room"),
            (
                ["lab", "relay", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:9", "--report", "/nowhere/sums.json"], 1,
                "cannot write /nowhere/sums.json: No such file or directory"
            ),
            (
                [
                    "lab", "relay", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:9", "--report", "/dev/null",
                    "--fates",
                    "/tmp",
                ], 1, "“/tmp” is no file that can be replaced"
            ),
            (["peers"], 3, "roomful host"),
            (["peers", "--room", "Nope"], 3, "roomful host"),
        ])
    func codes(_ arguments: [String], _ code: Int32, _ words: String) throws {
        let house = try TestHouse()
        defer { house.remove() }
        let program = Process()
        program.executableURL = URL(filePath: try BuiltProgram.path)
        program.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["ROOMFUL_STATE"] = house.folder + "/state"
        environment["XDG_RUNTIME_DIR"] = nil
        program.environment = environment
        let errors = Pipe()
        program.standardError = errors
        program.standardOutput = FileHandle.nullDevice
        try program.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        #expect(program.terminationStatus == code, "\(said)")
        #expect(said.contains(words), "\(said)")
        #expect(!said.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
    }

    @Test(
        "An option that would do nothing where it stands is refused, and not passed over",
        arguments: [
            (["host", "X", "--when-cut", "play"], "--when-cut goes with --site"),
            (["host", "X", "--site", "nats://127.0.0.1:1", "--when-cut", "play"], "--when-cut goes with site-key"),
            (["join", "X", "--stdin", "--rate", "5000"], "--rate is 0.1 to 4000 samples a second"),
            (["join", "X", "--stdin", "--acceleration-range", "0"], "--acceleration-range is 1 to 1000 g"),
            (["join", "X", "--stdin", "--rotation-range", "nan"], "--rotation-range is 10 to 50000 °/s"),
            (["join", "X", "--stdin", "--loop"], "--loop goes with --replay"),
            (["join", "X", "--stdin", "--recording", "walk"], "--recording goes with --replay"),
            (["join", "X", "--replay", "walk.csv", "--buttons", "jump"], "--buttons goes with --stdin"),
            (["join", "X", "--stdin", "--buttons", "jump,jump"], "two of buttonGestures mean the same gesture"),
            (["peers", "--latency", "--watch"], "leave --watch out"),
            (["peers", "--status"], "--status goes with --json"),
            (["peers", "--status", "--json", "--site"], "so say --room"),
            (["doctor", "--for", "30s"], "--for goes with --phone"),
            (["doctor", "--port", "7777"], "--port goes with --phone"),
            (["qr", "--language", "de"], "goes with --svg"),
            (
                ["replay", "x.mcap", "--verify", "--from", "2", "--player", "P1", "--speed", "2"],
                "with what was: leave out --from, --player, --speed"
            ),
            (["replay", "x.mcap", "--verify", "--serve", "balloons"], "with what was: leave out --serve"),
            (["replay", "x.mcap", "--contest", "jump", "--from", "2"], "compares all of it: leave out --from"),
            (["replay", "x.mcap", "--tie", "draw", "--speed", "0"], "--tie compares all of it: leave out --speed"),
            (["replay", "x.mcap", "--http", "any", "--json"], "with --http games hear it alone: leave out --json"),
        ])
    func strays(_ arguments: [String], _ words: String) throws { try codes(arguments, 2, words) }

    @Test("What finds no room on the disk is a failure that is said; a reader that has seen enough is none")
    func output() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let (code, said) = try print(to: full)
        #expect(code == 1 && said.contains("standard output cannot be written: No space left on device"), "\(said)")
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        #expect(try print(to: pipe.fileHandleForWriting).1 == "")
    }

    @Test("Progress that cannot be written keeps nobody from the figures")
    func progress() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let program = Process()
        program.executableURL = URL(filePath: try BuiltProgram.path)
        program.arguments = ["lab", "score", house.folder]
        let (figures, full) = (Pipe(), try #require(FileHandle(forWritingAtPath: "/dev/full")))
        (program.standardOutput, program.standardError) = (figures, full)
        try program.run()
        let said = String(decoding: figures.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        #expect(program.terminationStatus == 0 && said.contains("gestures/*.csv: not there"), "\(said)")
    }

    /// A command that prints much and asks nobody: its exit code, and what it said on standard error.
    private func print(to output: FileHandle) throws -> (Int32, String) {
        let program = Process()
        program.executableURL = URL(filePath: try BuiltProgram.path)
        program.arguments = ["config", "print"]
        let errors = Pipe()
        (program.standardOutput, program.standardError) = (output, errors)
        try program.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        return (program.terminationStatus, said)
    }
}
