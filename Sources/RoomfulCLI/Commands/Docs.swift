import ArgumentParser
import Foundation
import Roomful

/// Shows the documentation's pages, which lie beside the program and load nothing from elsewhere.
struct Docs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "The documentation as pages: how to run rooms and make games, and the API.",
        discussion: """
            Example:  roomful docs
            Serves them to browsers on this machine until Ctrl-C. They come with the package; from sources: make site
            """)

    @Option(help: "The port, on 127.0.0.1; 0 for any that is free.") var port: UInt16 = 0
    @Flag(help: "Print the address only.") var print = false

    func run() async throws {
        try await Failure.explained {
            guard let folder = ResourceFolder.holding("site/documentation/index.html") else {
                throw RoomError(
                    .notFound,
                    "the pages are not beside this program: they come with the package, and from its sources by: make site"
                )
            }
            let server = try await SiteServer.open(folder + "/site", port: port)
            Terminal.print(server.address)
            if !print, let browser = Desktop.browser { try browser.open(server.address) }
            try await server.untilClosed()
        }
    }
}
