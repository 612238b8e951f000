import ArgumentParser
import Foundation
import OperatorFront
import Roomful
import WebFront

struct QR: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qr",
        abstract: "The QR code by which a phone joins; whoever scans it is let in.",
        discussion: """
            Examples:  roomful qr
                       roomful qr --svg poster.svg     # a sheet for the wall, in this system's language
                       roomful qr --svg plakat.svg --language de
                       roomful qr --text               # the link, to send it
                       roomful qr --lobby              # one for all rooms of the site that take guests: host … --lobby
            """)
    @OptionGroup var choice: RoomChoice
    @Flag(help: "That of the site's lobby, which sends each phone to a room with a free seat.") var lobby = false
    @Flag(help: "Print the link alone.") var text = false
    @Option(help: "Write a poster (A4): name, code, address, and what a phone's warning means.") var svg: String?

    @Option(help: "The poster's language, of: \(PageSentences.languages.joined(separator: ", ")).") var language:
        String?

    func validate() throws {
        guard let language else { return }
        guard PageSentences.languages.contains(language) else {
            throw ValidationError(
                "--language is one of \(PageSentences.languages.joined(separator: ", ")), not \(language)")
        }
        guard svg != nil else { throw ValidationError("--language is the poster's: it goes with --svg FILE") }
    }

    func run() async throws {
        try await Failure.explained {
            let reply = try await choice.client().ask(OperatorRequest(.ticket))
            guard !lobby || reply.lobby != nil else {
                throw RoomError(.notFound, "this room serves no lobby: open it with --site and --lobby spread")
            }
            guard let link = lobby ? reply.lobby : reply.url, let ticket = try reply.ticket.map({ try Ticket($0) })
            else {
                throw RoomError(.notFound, "this room's host is of a version that has no QR code; start it anew")
            }
            var poster = RoomPoster(
                room: ticket.room, link: link, code: lobby ? nil : reply.code, warns: reply.warns ?? true)
            if !choice.json, !lobby, let problem = PhoneWay.problem(link, reply.network) {
                Failure.say("\(poster.address): \(problem)")
            }
            if let svg {
                poster.words = language.flatMap { PageSentences($0) } ?? .ofThisSystem
                // Holds the code, so it is for its owner only, like a ticket's file.
                try PrivateFile.write(poster.svg(), to: svg)
                if !choice.json {
                    Terminal.print("wrote \(svg); print it without margins, or at any size")
                    if let caution = poster.caution { Failure.say(caution) }
                }
            }
            if choice.json {
                Terminal.print(
                    try Terminal.json(
                        Answer(
                            url: link, ticket: reply.ticket ?? "", pin: ticket.pin.description, code: poster.code,
                            warns: poster.warns)))
            } else if text {
                Terminal.print(link)
            } else if svg == nil {
                show(poster)
            }
        }
    }

    private func show(_ poster: RoomPoster) {
        guard let picture = LinkPicture(poster.link) else { return }
        if picture.columns <= Terminal.size?.columns ?? .max {
            Terminal.print(picture)
        } else {
            Failure.say(
                "the QR code needs \(picture.columns) columns; widen the terminal, or write a file with --svg FILE")
        }
        let code = poster.code.map { "  code \($0)" } ?? ""
        Terminal.print("\"\(TerminalText.isolated(poster.room))\" at \(poster.address)\(code)")
        if let warning = poster.warning { Terminal.print(warning) }
    }

    private struct Answer: Encodable {
        var url: String
        var ticket: String
        /// Of the room, for `join --fingerprint`.
        var pin: String
        var code: String?
        var warns: Bool
    }
}
