import Foundation
import Roomful
import ServiceLifecycle

/// Hosts a room until somebody stops it, and shows what happens: a live picture on a terminal, lines in a pipe.
struct HostService: Service {
    let options: RoomOptions
    let codeFile: String?
    let json: Bool
    /// Whether to show the QR code; `nil` where it fits.
    let qr: Bool?

    func run() async throws {
        try await withRoom(options) { room in
            if let codeFile { try room.ticket.write(to: codeFile) }
            try await withGracefulShutdownHandler {
                try await show(room)
            } onGracefulShutdown: {
                room.stop()
            }
            if !json {
                if isLive { Terminal.redraw("") }
                Terminal.print(PeerTables.closing(await room.departed()))
            }
        }
    }

    private var isLive: Bool { Terminal.isInteractive && !json }

    private func show(_ room: Room) async throws {
        let picture = LivePicture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let events = await room.events()
            if !isLive, !json { Terminal.print(introduction(await room.status(), room) + (plainCode(of: room) ?? "")) }
            if !isLive, !json {
                group.addTask {
                    for await line in room.discoveryChanges { Terminal.print("             discovery: \(line)") }
                }
            }
            if isLive {
                group.addTask {
                    while !Task.isCancelled {
                        let status = await room.status()
                        let below = introduction(status, room) + "\n\n" + (await picture.text(status, room.waitingControllers))
                        Terminal.redraw((code(of: room, with: below, isFull: status.freeSeats == 0) ?? "") + below)
                        try await Task.sleep(for: .milliseconds(500))
                    }
                }
            }
            // The events end when the room has closed.
            for await event in events {
                if json {
                    Terminal.print(try Terminal.json(event))
                } else if let line = EventLines.line(event) {
                    if isLive { await picture.note(line) } else { Terminal.print(line) }
                }
            }
            group.cancelAll()
        }
    }

    /// The QR code in a pipe, where it was asked for.
    private func plainCode(of room: Room) -> String? {
        qr == true ? LinkPicture(room.link).map { "\n" + $0.plain } : nil
    }

    /// The QR code above everything else, for as long as somebody may still come, where it fits.
    private func code(of room: Room, with below: String, isFull: Bool) -> String? {
        guard qr != false, qr == true || !isFull, let picture = LinkPicture(room.link) else { return nil }
        let lines = below.split(separator: "\n", omittingEmptySubsequences: false).count
        guard qr == true || picture.fits(Terminal.size, besides: lines) else { return nil }
        return picture.onTerminal
    }

    private func introduction(_ status: RoomStatus, _ room: Room) -> String {
        let code = room.ticket.code.map { "  code \($0.text)" } ?? ""
        let addresses = room.ticket.addresses.map(\.description).joined(separator: ", ")
        let legacy = status.legacyPort.map { "\n  KeepCalm's frames at UDP port \($0), unsealed; let each source in" } ?? ""
        return """
            "\(status.name)": \(status.seats) seats, policy \(status.policy), \(status.mode)\(code)
              at \(addresses); pin \(room.ticket.pin.short)\(phones(room))
              discovery: \(status.discovery); sealing: \(status.sealing)\(legacy)
              join with:  roomful join "\(status.name)" --as Blue --replay FILE.csv
            """
    }
}

extension HostService {
    /// How a phone comes in.
    private func phones(_ room: Room) -> String {
        let place = room.link.prefix { $0 != "#" }
        let hint =
            options.certificate == nil
            ? "they will warn of its certificate: README, \"The phone's warning\""
            : "your certificate is not for this address: give the name that it is for with --url"
        let warning = room.warnsPhones ? "\n          \(hint)" : ""
        let game = room.gamePage.map { "\n  game: \($0)" } ?? ""
        return "\n  phones: \(place), by the QR code (roomful qr)\(warning)" + game
    }
}

/// What the terminal shows of a room: its peers, and the last events.
private actor LivePicture {
    private var lines: [String] = []

    func note(_ line: String) {
        lines.append(line)
        if lines.count > 12 { lines.removeFirst() }
    }

    func text(_ status: RoomStatus, _ nearby: [NearbyController]) -> String {
        let waiting = status.waiting.isEmpty ? "" : "\nwaiting for you: " + status.waiting.joined(separator: ", ")
        return PeerTables.overview(status.peers) + waiting + WaitingTable.note(nearby) + "\n\n" + lines.joined(separator: "\n") + "\n"
    }
}
