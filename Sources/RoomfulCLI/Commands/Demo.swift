import ArgumentParser
import Foundation

/// Plays what `make demo` plays, from wherever the program lies: a package, an unpacked folder, a build.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A room, three controllers that find it by name, real recordings, the closing table and a report.",
        discussion: """
            Examples:  roomful demo
                       roomful demo --report evening.html --events evening.jsonl
            Takes half a minute, changes nothing of yours, and ends with 1 if anything was not as it should be.
            """)

    @Option(help: "Also write the room's events to this file, as JSON lines.") var events: String?
    @Option(help: "Write the page about what was played to this file; else into a folder of its own in /tmp.")
    var report: String?

    func run() throws {
        guard let program = ResourceFolder.program,
            let folder = ResourceFolder.holding("Scripts/demo.sh", "Recordings/demo")
        else {
            Failure.say(
                "the demo's recordings are not beside this program: they come with the package, in share/roomful, and with the sources"
            )
            throw Failure.refused
        }
        var arguments = [folder + "/Scripts/demo.sh", "--program", program]
        if let events { arguments += ["--events", URL(fileURLWithPath: events).path] }
        if let report { arguments += ["--report", URL(fileURLWithPath: report).path] }
        var pointers: [UnsafeMutablePointer<CChar>?] = (["bash"] + arguments).map { strdup($0) }
        pointers.append(nil)
        execv("/bin/bash", pointers)
        Failure.say("cannot start /bin/bash: \(String(cString: strerror(errno)))")
        throw Failure.refused
    }
}
