import ArgumentParser
import RoomRecords
import Roomful
import SiteBroker
import SiteFront
import SiteRecords

struct SiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "The rooms of a house, on many machines and one NATS broker.",
        discussion: """
            Examples:  roomful site init arcade --name arcade      # a broker's configuration, and a file for each role
                       roomful host "Hall" --site nats://broker:4222 --site-name arcade
                       roomful site --broker nats://broker:4222 --site-name arcade --watch
                       roomful events --site --since 2h            # everything that any room tells; see $ROOMFUL_SITE
                       roomful kick P3 --site --room Hall
                       roomful move P3 --to "Hall 2" --site --room Hall
                       roomful site contest jump --room Hall --room "Hall 2"     # who is first, over both rooms
            """,
        subcommands: [List.self, Init.self, Contest.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Who is where, how well, and what is wrong.", discussion: "Example:  roomful site --watch")
        @OptionGroup var choice: SiteChoice
        @Flag(help: "Again every second, until Ctrl-C.") var watch = false
        @Flag(help: "Once; this is so where nothing is said.") var once = false
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            if watch, once { throw ValidationError("--watch or --once, not both") }
        }

        func run() async throws {
            try await Failure.explained {
                let options = try choice.options()
                var pause = GrowingPause()
                repeat {
                    do {
                        try await show(options, &pause)
                    } catch let error as BrokerError where watch && error.code != .noLibrary {
                        try await pause.wait(after: error)
                    }
                } while watch
            }
        }

        private func show(_ options: SiteOptions, _ pause: inout GrowingPause) async throws {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let connection = try await BrokerConnection.open(options) { end.finish() }
            defer { connection.close() }
            let site = try SiteWatch(connection, options.site)
            try await SiteWatch.listen()
            pause.reset()
            guard watch else {
                let heard = Set(site.entries.map(\.entry.room.room))
                return try print(
                    site, options, try await AbsentRoom.all(of: connection, site.subjects, but: heard))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in ends {}
                    throw BrokerError(.closed, "the broker has ended the connection")
                }
                group.addTask {
                    while true {
                        try print(site, options)
                        try await Task.sleep(for: .seconds(1))
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        private func print(_ site: SiteWatch, _ options: SiteOptions, _ absent: [AbsentRoom] = []) throws {
            let entries = site.entries
            guard !json else {
                let heard = entries.map { SiteListing(room: $0.entry.room, silentForMs: $0.silentForMs) }
                return Terminal.print(try Terminal.json(heard + absent.map { SiteListing(absent: $0) }))
            }
            let table = SiteTable.text(entries, site: options.site, broker: options.place)
            let text = ([table] + absent.map(\.line)).joined(separator: "\n")
            watch && Terminal.isInteractive ? Terminal.redraw(text + "\n") : Terminal.print(text)
        }
    }
}
