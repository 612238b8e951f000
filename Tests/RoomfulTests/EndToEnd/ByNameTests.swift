import Foundation
import PeerDiscovery
import Testing

@Suite("Joining by name through a real Avahi daemon", .serialized, .timeLimit(.minutes(4)))
struct ByNameTests {
    @Test(
        "A controller finds a room by its name on another machine, keeps its seat when the host is killed, and a closed room leaves nothing behind",
        .needs("avahi-daemon"))
    func byName() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let script = Process()
        script.executableURL = URL(filePath: root + "/Scripts/join-by-name.sh")
        script.arguments = [try BuiltProgram.path]
        let output = Pipe()
        script.standardOutput = output
        script.standardError = output
        try script.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        script.waitUntilExit()
        #expect(script.terminationStatus == 0, "\(said)")
        #expect(said.contains("came back to seat 1 after the host was killed"))
    }
}

/// The program `roomful` as it was built beside the tests.
enum BuiltProgram {
    struct NotBuilt: Error, CustomStringConvertible {
        let description = "the program roomful was not found beside the tests; build with: swift build --build-tests"
    }

    static var path: String {
        get throws {
            let candidates = [
                Bundle.main.bundlePath, Bundle.main.executableURL?.deletingLastPathComponent().path ?? "",
                URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path,
            ].map { $0 + "/roomful" }
            guard let path = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
                throw NotBuilt()
            }
            return path
        }
    }

    /// Why no room can be published by the program itself; nil if it can. Names it to what looks for it in this process.
    static var embeddedProblem: String? {
        if let path = try? path { setenv("ROOMFUL_RESPONDER", path, 1) }
        return DiscoverySupport.embeddedProblem
    }
}
