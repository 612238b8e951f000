import ArgumentParser
import Foundation
import Roomful

struct QR: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The QR code by which a phone joins; whoever scans it is let in.",
        discussion: """
            Examples:  roomful qr
                       roomful qr --svg poster.svg     # a sheet for the wall
                       roomful qr --text               # the link, to send it
            """)
    @OptionGroup var choice: RoomChoice
    @Flag(help: "Print the link alone.") var text = false
    @Option(help: "Write a poster (A4): name, code, address, and what a phone's warning means.") var svg: String?

    func run() async throws {
        try await Failure.explained {
            let reply = try await choice.client().ask(OperatorRequest(.ticket))
            guard let link = reply.url, let ticket = try reply.ticket.map({ try Ticket($0) }) else {
                throw RoomError(.notFound, "this room's host is of a version that has no QR code; start it anew")
            }
            let poster = RoomPoster(
                room: ticket.room, link: link, code: ticket.code?.text, warns: reply.warns ?? true)
            if let svg {
                // Holds the code, so it is for its owner only, like a ticket's file.
                try PrivateFile.write(poster.svg(), to: svg)
                if !choice.json { Terminal.print("wrote \(svg); print it without margins, or at any size") }
            }
            if choice.json {
                Terminal.print(try Terminal.json(Answer(url: link, ticket: reply.ticket ?? "", warns: poster.warns)))
            } else if text {
                Terminal.print(link)
            } else if svg == nil {
                show(poster)
            }
        }
    }

    private func show(_ poster: RoomPoster) {
        guard let picture = LinkPicture(poster.link) else { return }
        if !Terminal.isInteractive {
            Terminal.print(picture.plain)
        } else if picture.columns <= Terminal.size?.columns ?? .max {
            Terminal.print(picture.onTerminal)
        } else {
            Failure.say(
                "the QR code needs \(picture.columns) columns; widen the terminal, or write a file with --svg FILE")
        }
        let code = poster.code.map { "  code \($0)" } ?? ""
        Terminal.print("\"\(poster.room)\" at \(poster.address)\(code)")
        if let warning = poster.warning { Terminal.print(warning) }
    }

    private struct Answer: Encodable {
        var url: String
        var ticket: String
        var warns: Bool
    }
}
