import Foundation
import Roomful

/// What the host's terminal shows, laid out for its size: how to come in, who is here, who waits, and the last events.
///
/// ```
/// "Living Room": 2 of 4 seats free, code 7KQM-2X9D          what people must know
///   phones: https://192.168.1.5:7777/
///   next:  roomful open (your page)   roomful qr …
///                                                            (the QR code, where it fits)
/// PLAYER  NAME        STATE   LINK   …                       who is here
/// 0:12.3  P1 jump, strength 0.72                             what happened, as many lines as are left
/// ```
struct HostScreen {
    /// How a room is come into; does not change while it is open.
    struct Facts {
        var code: String?
        var phones: String
        var warning: String?
        var game: String?
        var addresses: String
        var pin: String
    }

    var columns: Int
    var lines: Int
    /// Whether players are told apart by colour, too.
    var isColored: Bool

    /// - Parameter symbol: the QR code, as lines; left out where it does not fit.
    func text(
        _ status: RoomStatus, _ facts: Facts, nearby: Int, events: [(player: Int?, line: String)],
        symbol: (text: String, columns: Int, lines: Int, isWanted: Bool)?
    ) -> String {
        // Whoever plays is seen on the smallest screen, too: what was said first is left out last.
        var heading = heading(status, facts)
        let least = status.peers.isEmpty ? 1 : 2
        while heading.count > 1, heading.joined().count + 1 + least > lines - 1 { heading.removeLast() }
        var screen = heading.joined() + [""]
        var below = newcomers(status.newcomers)
        if let network = status.network { below += wrap(network.words, "") }
        if let standstill = status.standstill { below += wrap(standstill.words, "") }
        if nearby > 0 { below += wrap("\(nearby) more wait nearby to be called: roomful peers --waiting", "") }
        // Its heading, the line that says how many more, an empty one and three events have their place, too.
        let most = max(3, min(lines / 2, lines - screen.count - below.count - 7))
        screen += table(status.peers, atMost: most) + below
        let colors = Dictionary(status.peers.map { ($0.player, $0.color) }, uniquingKeysWith: { first, _ in first })
        // Events have at least five lines; the code has what is left above them.
        let spare = lines - screen.count - 1
        var top = ""
        var taken = 0
        if let symbol, symbol.isWanted || symbol.columns <= columns && symbol.lines + 5 <= spare {
            top = symbol.text.hasSuffix("\n") ? symbol.text : symbol.text + "\n"
            taken = symbol.lines
        }
        let room = max(symbol?.isWanted == true ? 1 : 3, spare - taken - 1)
        let shown = events.suffix(room).map { event in
            paint(TerminalText.cut(event.line, to: columns), event.player.flatMap { colors[$0] })
        }
        // What does not fit is cut at the end: the screen never scrolls.
        let body = screen + [""] + shown
        let fits = symbol?.isWanted == true ? body : Array(body.prefix(max(1, lines - taken - 1)))
        return top + fits.joined(separator: "\n")
    }

    /// The most important first, each of one or more lines.
    private func heading(_ status: RoomStatus, _ facts: Facts) -> [[String]] {
        let free =
            status.isSilent == true
            ? PeerTables.silence
            : status.isLocked ? "locked" : "\(status.freeSeats) of \(plural(status.seats, "seat")) free"
        let code = facts.code.map { ", code \($0)" } ?? (status.policy == "ask" ? ", you let them in" : ", open to all")
        var list = [wrap("\"\(TerminalText.isolated(status.name))\": \(free)\(code), \(status.mode)", "  ")]
        list.append(wrap("  phones: \(facts.phones)", "          "))
        if let warning = facts.warning, lines >= 30 { list.append(wrap("          \(warning)", "          ")) }
        if status.isRecorded == true {
            list.append(wrap("  recorded: all that happens here; roomful record status says where", "    "))
        }
        if let game = facts.game { list.append(wrap("  game: \(game)", "")) }
        if let port = status.legacyPort { list.append(wrap("  KeepCalm's frames: UDP port \(port), unsealed", "    ")) }
        if lines >= 30 {
            list.append(wrap("  at \(facts.addresses); pin \(facts.pin)", "     "))
            list.append(wrap("  found by others: \(status.discovery)", "    "))
        }
        let deeds = ["roomful open (your page)", "roomful qr (the code, a poster)", "roomful doctor"]
        list.append(
            wrap("  next: " + deeds.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: ", "), "        "))
        return list
    }

    private func table(_ peers: [PeerStatus], atMost most: Int) -> [String] {
        guard !peers.isEmpty else { return ["nobody is here yet"] }
        let table = PeerTables.overview(Array(peers.prefix(most)), within: columns)
        let rows = table.enumerated().map { place, line in
            place == 0 ? line : paint(line, peers[place - 1].color)
        }
        return rows + (peers.count > most ? ["and \(peers.count - most) more: roomful peers"] : [])
    }

    /// Of those who wait, so many have a line.
    private static let mostWaiting = 3

    private func newcomers(_ list: [RoomStatus.Newcomer]) -> [String] {
        guard !list.isEmpty else { return [] }
        let asking = list.count { $0.place == nil }
        var text: [String] = [""]
        if asking > 0 {
            text += wrap("\(asking) waiting for you: roomful accept (shows them), roomful accept --all", "    ")
        }
        if asking < list.count {
            text += wrap("\(list.count - asking) in the queue for a seat: roomful accept", "    ")
        }
        for one in list.prefix(Self.mostWaiting) {
            let place = one.place.map { "place \($0)" } ?? "asks"
            let from = one.address.map { ", from \($0)" } ?? ""
            let id = NewcomerTable.shortID(one, among: list)
            text.append(
                TerminalText.cut("  \(id)  \(TerminalText.isolated(one.name))  \(place)\(from)", to: columns))
        }
        if list.count > Self.mostWaiting { text.append("  and \(list.count - Self.mostWaiting) more") }
        return text
    }

    private func wrap(_ line: String, _ indent: String) -> [String] {
        TerminalText.wrapped(line, to: columns, indent: indent).map { TerminalText.cut($0, to: columns) }
    }

    /// The player's number in its colour.
    private func paint(_ line: String, _ color: String?) -> String {
        guard isColored, let color, let start = line.range(of: "P[0-9]+", options: .regularExpression) else {
            return line
        }
        return line.replacingCharacters(in: start, with: TerminalColor.paint(String(line[start]), color))
    }
}

/// Colours on a terminal, where it has them and nobody asked for none (no-color.org).
enum TerminalColor {
    static var isWanted: Bool {
        let environment = ProcessInfo.processInfo.environment
        return Terminal.isInteractive && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// In bold, in the nearest of the 216 colours that almost every terminal has.
    static func paint(_ text: String, _ color: String) -> String {
        guard let value = UInt32(color.dropFirst(), radix: 16) else { return text }
        func level(_ shift: UInt32) -> Int { Int((Double(value >> shift & 0xFF) / 255 * 5).rounded()) }
        let nearest = 16 + 36 * level(16) + 6 * level(8) + level(0)
        return "\u{1B}[1;38;5;\(nearest)m\(text)\u{1B}[0m"
    }
}
