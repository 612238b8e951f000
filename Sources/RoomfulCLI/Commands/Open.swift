import ArgumentParser
import Foundation
import OperatorFront
import Roomful

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The operator's page: open it here, or on a tablet by the printed address; and the link for games.",
        discussion: """
            Example:  roomful open
            The address holds the operator's token: whoever has it runs the room. It stays the same, so keep a bookmark.
            """)
    @OptionGroup var choice: RoomChoice
    @Flag(help: "Print the addresses only.") var print = false

    func run() async throws {
        try await Failure.explained {
            let reply = try await choice.client().ask(OperatorRequest(.pages))
            guard let pages = reply.pages, let here = pages.first else {
                throw RoomError(
                    .notFound, "this room's host is of a version that has no operator's page; start it anew")
            }
            if choice.json {
                return Terminal.print(
                    try Terminal.json(Addresses(pages: pages, game: reply.game, screen: reply.screen)))
            }
            Terminal.print("on this machine:  \(here)")
            for page in pages.dropFirst() { Terminal.print("elsewhere:        \(page)") }
            if let game = reply.game { Terminal.print("for games here:   \(game)") }
            if let screen = reply.screen { Terminal.print("for a big screen: \(screen)") }
            if !print, let browser = Desktop.browser { try browser.open(here) }
        }
    }
}

/// What is printed for programs.
private struct Addresses: Encodable {
    var pages: [String]
    var game: String?
    var screen: String?
}

/// The desktop's way to open a page in its browser.
struct Desktop {
    private let program: String

    /// `nil` where nobody sits before a screen.
    static var browser: Desktop? {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"]?.isEmpty == false || environment["WAYLAND_DISPLAY"]?.isEmpty == false else {
            return nil
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let program = folders.map { "\($0)/xdg-open" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        return program.map { Desktop(program: $0) }
    }

    /// Opens the page by way of a file that leads there: arguments of a program can be read by every user of the machine,
    /// and the page's address holds a secret.
    func open(_ page: String) throws {
        let folder = try StateFolder().runtimeFolder()
        let path = folder.path(of: "open.html")
        try PrivateFile.write(
            "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
                + "<meta http-equiv=\"refresh\" content=\"0;url=\(page)\"><title>Roomful</title>"
                + "<a href=\"\(page)\">The operator's page</a>\n", to: path)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }
}
