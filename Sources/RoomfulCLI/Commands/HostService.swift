import ArgumentParser
import Connections
import Foundation
import Roomful
import ServiceLifecycle
import WireProtocol

/// Hosts a room until somebody stops it, and shows what happens: a live picture on a terminal, lines in a pipe.
struct HostService: NamedService {
    var description: String { "room \(options.name)" }
    let options: RoomOptions
    let codeFile: String?
    let json: Bool
    /// Whether to show the QR code; `nil` where it fits.
    let qr: Bool?
    /// Whether haptics and where their time went are told, too.
    let isVerbose: Bool
    /// Whether other rooms of the same program print beside this one.
    let isOneOfSeveral: Bool
    /// Who wants to know that the room is open.
    let supervision: Supervision?
    /// Who reads the configuration anew, where the room was opened from one.
    let reloader: ConfigurationReloader?
    private let output = PatientOutput()

    init(
        options: RoomOptions, codeFile: String?, json: Bool, qr: Bool?, isVerbose: Bool, isOneOfSeveral: Bool = false,
        supervision: Supervision? = nil, reloader: ConfigurationReloader? = nil
    ) {
        self.options = options
        self.codeFile = codeFile
        self.json = json
        self.qr = qr
        self.isOneOfSeveral = isOneOfSeveral
        self.supervision = supervision
        self.reloader = reloader
        self.isVerbose = isVerbose
    }

    func run() async throws {
        do {
            try await serve()
        } catch let problem where isOneOfSeveral && !(problem is ExitCode || problem is CancellationError) {
            throw Failure.OfRoom(room: options.name, problem: problem)
        }
    }

    private func serve() async throws {
        guard options.site?.key != nil else {
            if let refusal = try await host(options) { throw refusal }
            return
        }
        let shared = SharedRoom(options)
        await reloader?.takesPart(shared, options.name)
        try await withGracefulShutdownHandler {
            try await shared.run(begun: { supervision?.standsBy() }) { try await host($0) }
        } onGracefulShutdown: {
            shared.stop(leaving: EndSignals.isTermination)
        }
        await reloader?.closed(options.name)
        supervision?.parts()
    }

    /// - Returns: what is wrong with it now that it has closed.
    private func host(_ options: RoomOptions) async throws -> ExitCode? {
        try await withRoom(options) { room -> ExitCode? in
            let ticket = room.ticket
            if let file = await ticketFile() { try ticket.write(to: file) }
            await reloader?.opened(room)
            supervision?.opened(room)
            defer { supervision?.closed(room) }
            try await withGracefulShutdownHandler {
                try await show(room, ticket)
            } onGracefulShutdown: {
                output.hurry()
                if EndSignals.isTermination { room.leave() } else { room.stop() }
            }
            if options.tenure == nil { await reloader?.closed(room.name) } else { await reloader?.left(room.name) }
            let (departed, status) = (await room.departed(), await room.status())
            if !json {
                if isLive { await output.write(Terminal.drawing("")) }
                let columns = Terminal.size.map { max(20, $0.columns - TerminalText.width(heading)) }
                await output.print(named(PeerTables.closing(departed, of: status, within: columns)))
            }
            // Who was deposed in the midst of play could not count to the end.
            if options.tenure?.isOver == true { return nil }
            let accounts = Accounts(peers: departed, room: status)
            if json {
                for line in accounts.namelessContradictions { PatientOutput.errors.post("roomful: \(named(line))") }
            }
            return accounts.ownContradictions.isEmpty ? nil : Failure.refused
        }
    }

    /// Where the room's ticket goes, as the configuration has it now.
    private func ticketFile() async -> String? {
        guard let reloader else { return codeFile }
        return await reloader.codeFile(of: options.name)
    }

    /// Writes the ticket anew when the machine has other addresses.
    private func keepTicket(of room: Room, _ first: Ticket) async {
        var written = first
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let ticket = room.ticket
            guard ticket != written else { continue }
            // Told once where it cannot be written.
            written = ticket
            guard let file = await ticketFile() else { continue }
            do {
                try ticket.write(to: file)
            } catch {
                PatientOutput.errors.post("roomful: \(named("the ticket is not written: \(error)"))")
            }
        }
    }

    /// What each line begins with, where other rooms print beside this one.
    private var heading: String { isOneOfSeveral ? "\"\(TerminalText.isolated(options.name))\"  " : "" }

    /// Lines of this room, so that nobody takes them for another's.
    private func named(_ lines: String) -> String {
        if heading.isEmpty { return lines }
        return lines.split(separator: "\n", omittingEmptySubsequences: false).map { heading + $0 }.joined(
            separator: "\n")
    }

    private var isLive: Bool { Terminal.isInteractive && !json && !isOneOfSeveral }

    private func show(_ room: Room, _ ticket: Ticket) async throws {
        let picture = LivePicture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let events = await room.events().records
            group.addTask { await keepTicket(of: room, ticket) }
            if !isLive, !json {
                await output.print(named(introduction(await room.status(), room)) + (plainCode(of: room) ?? ""))
            }
            if !isLive, !json {
                group.addTask {
                    for await line in room.discoveryChanges {
                        await output.print(named("             discovery: \(line)"))
                    }
                }
            }
            if isLive {
                group.addTask {
                    var (shown, link) = (room.link, LinkPicture(room.link))
                    for await _ in Terminal.resizes(orEvery: .milliseconds(500)) {
                        if room.link != shown { (shown, link) = (room.link, LinkPicture(room.link)) }
                        let status = await room.status()
                        let size = Terminal.size ?? (columns: 80, lines: 24)
                        let screen = HostScreen(
                            columns: size.columns, lines: size.lines, isColored: TerminalColor.isWanted)
                        let text = screen.text(
                            status, facts(room), nearby: room.waitingControllers.count, events: await picture.lines,
                            symbol: symbol(
                                link,
                                isOfUse: status.freeSeats > 0 && PhoneWay.problem(room.link, room.network) == nil))
                        await output.write(Terminal.drawing(text))
                    }
                }
            }
            for await event in events {
                if json {
                    await output.print(
                        isOneOfSeveral ? try Terminal.json(EventOfRoom(event, room.name)) : try Terminal.json(event))
                } else if let line = EventLines.line(event, isVerbose: isVerbose) {
                    if isLive {
                        await picture.note(Terminal.still(line), of: event.player)
                    } else {
                        await output.print(named(line))
                    }
                }
            }
            // They end with the room, and before it where nobody reads what is printed: the room goes on without.
            await room.untilClosed()
            group.cancelAll()
        }
    }

    /// The QR code in a pipe, where it was asked for.
    private func plainCode(of room: Room) -> String? {
        qr == true ? LinkPicture(room.link).map { "\n" + $0.plain } : nil
    }

    /// The QR code for as long as somebody may still come; where it was asked for, though it does not fit.
    private func symbol(
        _ link: LinkPicture?, isOfUse: Bool
    ) -> (text: String, columns: Int, lines: Int, isWanted: Bool)? {
        guard let link, qr != false, qr == true || isOfUse else { return nil }
        return (link.onTerminal, link.columns, link.lines, qr == true)
    }

    private func facts(_ room: Room) -> HostScreen.Facts {
        let problem = PhoneWay.problem(room.link, room.network)
        let place = String(room.link.prefix { $0 != "#" })
        return HostScreen.Facts(
            code: room.code?.text, phones: problem.map { "\(place), but \($0)" } ?? place,
            warning: problem == nil && room.warnsPhones ? warning : nil, game: room.gamePage ?? room.gameLink,
            addresses: room.ticket.addresses.map(\.description).joined(separator: ", "), pin: room.ticket.pin.short)
    }

    private func introduction(_ status: RoomStatus, _ room: Room) -> String {
        let code = room.code.map { "  code \($0.text)" } ?? ""
        let addresses = room.ticket.addresses.map(\.description).joined(separator: ", ")
        let recorded =
            room.recordingStatus.path.map { "\n  recorded: all that happens here, to \(printable($0))" } ?? ""
        let legacy =
            status.legacyPort.map { "\n  KeepCalm's frames at UDP port \($0), unsealed; let each source in" } ?? ""
        return """
            "\(TerminalText.isolated(status.name))": \(plural(status.seats, "seat")), policy \(status.policy), \(status.mode)\(code)
              at \(addresses); pin \(room.ticket.pin.short)\(phones(room))
              discovery: \(status.discovery); sealing: \(status.sealing)\(recorded)\(legacy)
              next:  roomful open (your page), roomful qr (the code, a poster), roomful peers, roomful doctor
            """
    }
}

extension HostService {
    /// How a phone comes in.
    private func phones(_ room: Room) -> String {
        let place = room.link.prefix { $0 != "#" }
        let warning = room.warnsPhones ? "\n          \(warning)" : ""
        let game = "\n  " + (room.gamePage.map { "game: \($0)" } ?? "games: \(room.gameLink)")
        if let problem = PhoneWay.problem(room.link, room.network) {
            return "\n  phones: \(place), but \(problem)" + game
        }
        return "\n  phones: \(place), by the QR code (roomful qr)\(warning)" + game
    }

    private var warning: String {
        options.certificate == nil
            ? "they will warn of its certificate: README, \"The phone's warning\""
            : "your certificate is not for this address: give the name that it is for with --url"
    }
}

/// An event of one of several rooms, with the room's name.
private struct EventOfRoom: Encodable {
    private enum Key: CodingKey { case room }

    private let event: EventRecord
    private let room: String

    init(_ event: EventRecord, _ room: String) { (self.event, self.room) = (event, room) }

    func encode(to encoder: any Encoder) throws {
        try event.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(room, forKey: .room)
    }
}

/// The last events, as the terminal shows them.
private actor LivePicture {
    /// As many as the tallest screen has use for.
    private static let most = 200
    private(set) var lines: [(player: Int?, line: String)] = []

    func note(_ line: String, of player: Int?) {
        lines.append((player, line))
        if lines.count > Self.most { lines.removeFirst() }
    }
}
