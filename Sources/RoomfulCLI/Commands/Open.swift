import ArgumentParser
import Foundation
import OperatorFront
import Roomful
import WireProtocol

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
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
            guard let pages = try reply.pages?.map({ try PageLink($0) }), let own = pages.first else {
                throw RoomError(
                    .notFound, "this room's host is of a version that has no operator's page; start it anew")
            }
            let game = try reply.game.map { try PageLink($0).text }
            let gamePage = try reply.gamePage.map { try PageLink($0).text }
            let screen = try reply.screen.map { try PageLink($0).text }
            if choice.json {
                let addresses = Addresses(pages: pages.map(\.text), game: game, gamePage: gamePage, screen: screen)
                return Terminal.print(try Terminal.json(addresses))
            }
            Terminal.print("\(choice.isAcrossSite ? "on its machine: " : "on this machine:")  \(own.text)")
            for page in pages.dropFirst() { Terminal.print("elsewhere:        \(page.text)") }
            if pages.count > 1, let network = reply.network, network.isLost {
                Failure.say("no other device can open it: \(network.words)")
            }
            if let game = gamePage ?? game {
                Terminal.print("for games \(choice.isAcrossSite ? "there:  " : "here:   ")\(game)")
            }
            if let screen { Terminal.print("for a big screen: \(screen)") }
            guard !print, let browser = Desktop.browser else { return }
            // At the same place of this machine somebody else listens, and would be told the token.
            guard let page = pages.first(where: { !choice.isAcrossSite || !$0.isOfItsMachine }) else {
                throw RoomError(.notFound, "the room's page is for its own machine alone: roomful open there")
            }
            try browser.open(page.fresh)
        }
    }
}

/// What is printed for programs.
private struct Addresses: Encodable {
    var pages: [String]
    var game: String?
    var gamePage: String?
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
        try PrivateFile.write(Self.leading(to: page), to: path)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }
    /// A file that leads there, and nowhere else whatever the address holds.
    static func leading(to page: String) -> String {
        let page = escapedForXML(page)
        return "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
            + "<meta http-equiv=\"refresh\" content=\"0;url=\(page)\"><title>Roomful</title>"
            + "<a href=\"\(page)\">The operator's page</a>\n"
    }
}
