import Foundation
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomRecords
@testable import Roomful
@testable import RoomfulCLI

@Suite("What is shown on a terminal fits it")
struct TerminalTests {
    @Test(
        "Widths are counted as terminals show them",
        arguments: [
            ("Blue Otter", 10), ("青いカワウソ", 12), ("e\u{301}te\u{301}", 3), ("👨‍👩‍👧", 2), ("⚽", 2), ("❤️", 2), ("한글", 4),
            ("\u{2068}שלום\u{2069}", 4), ("", 0), ("½ Größe", 7), ("ＡＢ", 4),
        ])
    func widths(_ text: String, _ columns: Int) {
        #expect(TerminalText.width(text) == columns)
    }

    @Test("A number with decimals is written as C writes it, whatever it is")
    func decimals() {
        var draws = SplitMix64(seed: 7)
        let special = [0, -0.0, 0.5, 2.5, -1.25, 999.96, 9.995, 1e14, -1e15, 1e300, .infinity, -.infinity, .nan]
        let values = special + (0..<5_000).map { _ in Double.random(in: -2e6...2e6, using: &draws) }
        for value in values {
            for decimals in 0...3 {
                #expect(Figures.fixed(value, decimals: decimals) == String(format: "%.\(decimals)f", value), "\(value)")
            }
        }
    }

    @Test("A line is cut to any width, never through a character, and never leaves an isolate open")
    func cutting() {
        let lines = ["Blue Otter jumped", "青いカワウソが跳んだ", "P1 \u{2068}שלום שלום\u{2069} joined", "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"]
        for line in lines {
            for columns in 1...30 {
                let cut = TerminalText.cut(line, to: columns)
                #expect(TerminalText.width(cut) <= columns, "\(cut) in \(columns)")
                let scalars = cut.unicodeScalars
                #expect(scalars.count { $0 == "\u{2068}" } == scalars.count { $0 == "\u{2069}" })
                if TerminalText.width(line) <= columns { #expect(cut == line) }
            }
        }
    }

    @Test("A name that is written from right to left turns nothing around it, and others are left alone")
    func isolation() {
        #expect(TerminalText.isolated("محمد") == "\u{2068}محمد\u{2069}")
        #expect(TerminalText.isolated("Blue 青") == "Blue 青")
        var table = Table(["NAME", ">N"])
        for (name, number) in [("محمد", "1"), ("青い", "22"), ("Ann", "333")] { table.add([name, number]) }
        let lines = table.text.split(separator: "\n").map(String.init)
        #expect(Set(lines.map { TerminalText.width($0) }).count == 1, "figures stand in one column: \(lines)")
    }

    @Test("The host's screen fits every size from 40 x 10 up, with 0, 3 and 60 players, and grows with it")
    func screen() throws {
        for players in [0, 3, 60] {
            let status = try Self.status(players: players, waiting: 5)
            for (columns, lines) in [(40, 10), (80, 24), (120, 30), (160, 50), (300, 100)] {
                let screen = HostScreen(columns: columns, lines: lines, isColored: false)
                let events = (0..<200).map {
                    (player: Optional($0 % 8), line: "  0.\($0) s  P\($0 % 8) jump, strength 0.72")
                }
                let text = screen.text(
                    status, Self.facts, nearby: 2, events: events,
                    symbol: (String(repeating: String(repeating: "█", count: 45) + "\n", count: 23), 45, 23, false))
                let shown = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                #expect(shown.count < lines, "\(shown.count) lines of \(lines) with \(players)")
                #expect(
                    shown.allSatisfy { TerminalText.width($0) <= columns }, "\(columns) columns, \(players) players")
                #expect(players == 0 || shown.contains { $0.hasPrefix("P1 ") }, "a player, \(columns) x \(lines)")
                if lines >= 24 {
                    #expect(text.contains("roomful open") && text.contains("roomful qr"))
                    #expect(text.contains("roomful accept") && text.contains("P1"))
                    #expect(text.contains("0.199 s"), "the newest event is there: \(columns) x \(lines), \(players)")
                }
                #expect(!text.contains("\u{1B}"))
                #expect(lines < 100 || text.contains("█"))
            }
        }
    }

    @Test("A room that is silent is said to be that, and not to be locked or full")
    func silence() throws {
        var status = try Self.status(players: 0, waiting: 0)
        (status.isSilent, status.isLocked, status.freeSeats) = (true, true, 0)
        #expect(PeerTables.door(status).contains("is silent until its site's broker answers"))
        let screen = HostScreen(columns: 120, lines: 30, isColored: false)
        let text = screen.text(status, Self.facts, nearby: 0, events: [], symbol: nil)
        #expect(text.contains("silent until its site's broker answers"))
        #expect(!text.contains("locked") && !text.contains("seats free"))
    }

    @Test("A room that is recorded says so on the host's own screen")
    func recorded() throws {
        var status = try Self.status(players: 1, waiting: 0)
        let screen = HostScreen(columns: 120, lines: 30, isColored: false)
        for isRecorded in [true, false] {
            status.isRecorded = isRecorded
            let text = screen.text(status, Self.facts, nearby: 0, events: [], symbol: nil)
            #expect(text.contains("recorded: all that happens here") == isRecorded)
        }
    }

    @Test("A machine without a network is told of beside its players, on the host's own screen too")
    func network() throws {
        var status = try Self.status(players: 1, waiting: 0)
        #expect(PeerTables.network(status) == "")
        status.network = .init(isLost: true, agoMs: 9_000)
        #expect(PeerTables.network(status).contains("has been in no network for 9 s"))
        let screen = HostScreen(columns: 120, lines: 30, isColored: false)
        let text = screen.text(status, Self.facts, nearby: 0, events: [], symbol: nil)
        #expect(text.contains("has been in no network for 9 s"))
    }

    @Test("A machine that stood still is told of beside its players, on the host's own screen too")
    func standstill() throws {
        var status = try Self.status(players: 1, waiting: 0)
        #expect(PeerTables.standstill(status) == "")
        var standstills = Standstills()
        let now = HostTime(nanoseconds: 9_000_000_000)
        standstills.note(from: now - .seconds(3), until: now)
        status.standstill = RoomStatus.Standstill(try #require(standstills.report(at: now)))
        #expect(PeerTables.standstill(status).contains("stood still for 3.0 s, just now"))
        let screen = HostScreen(columns: 120, lines: 30, isColored: false)
        let text = screen.text(status, Self.facts, nearby: 0, events: [], symbol: nil)
        #expect(text.contains("stood still for 3.0 s"))
    }

    @Test(
        "The closing table fits, too, and tells all figures where no terminal limits it", arguments: [60, 80, 120, 200])
    func closing(columns: Int) throws {
        let status = try Self.status(players: 3, waiting: 0)
        let all = PeerTables.closing(status.peers, of: status, within: nil)
        let shown = PeerTables.closing(status.peers, of: status, within: columns)
        let lines = shown.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { TerminalText.width($0) <= columns }, "\(shown)")
        #expect(
            ["SENT", "MISSING", "DELIVERED", "LOST"].allSatisfy(shown.contains), "what the books are made of: \(shown)")
        #expect(all.contains("REORDERED") && all.contains("P95"))
        #expect(columns > 100 || !shown.contains("REORDERED"))
        #expect(columns < 200 || shown.contains("REORDERED"))
        let words = { (text: String) in text.split { $0.isWhitespace }.suffix(12) }
        #expect(words(shown) == words(all), "the verdict is wrapped, not cut")
    }

    @Test("What a guest says of itself contradicts the books, and decides nothing; what the kernel counted does")
    func contradictions() throws {
        var status = try Self.status(players: 1, waiting: 0)
        status.arrivals = RoomStatus.Arrivals(handedOver: 12, classified: 12)
        status.peers[0].witness = PeerStatus.Witness(
            agreement: "contradicted", reasons: ["99 samples were confirmed to it"], datagrams: 5, samples: 5,
            confirmed: 99, isFinal: true)
        let said = Accounts(peers: status.peers, room: status)
        #expect(said.contradictions.count == 1 && said.ownContradictions.isEmpty)
        #expect(said.verdict.contains("CONTRADICT") && said.verdict.contains("99 samples"))
        #expect(said.contradictions[0].hasPrefix(status.peers[0].name.isolated))
        #expect(!said.namelessContradictions[0].contains(status.peers[0].name))
        status.arrivals = RoomStatus.Arrivals(handedOver: 13, classified: 12)
        let counted = Accounts(peers: status.peers, room: status)
        #expect(counted.contradictions.count == 2 && counted.ownContradictions.count == 1)
    }

    @Test("Of one it is told as of one, and a name from right to left turns nothing around it")
    func closingWords() throws {
        var status = try Self.status(players: 2, waiting: 0)
        status.arrivals = RoomStatus.Arrivals(handedOver: 1, classified: 1)
        status.peers[0].witness = PeerStatus.Witness(
            agreement: "confirmed", reasons: [], datagrams: 1, samples: 1, confirmed: 1, isFinal: true)
        status.peers[1].name = "سارة"
        status.peers[1].witness = PeerStatus.Witness(
            agreement: "unconfirmed", reasons: ["it never said goodbye"], datagrams: 2, samples: 2, confirmed: 0,
            isFinal: false)
        let verdict = Accounts(peers: status.peers, room: status).verdict
        #expect(verdict.contains("1 controller says to have sent 1 datagram and made 1 sample, and"))
        #expect(verdict.contains("Unconfirmed: \u{2068}سارة\u{2069} (it never said goodbye)."))
        #expect(verdict.contains("The kernel handed over 1 datagram, 0 of them"))
        #expect(plural(1, "entry", "entries") == "1 entry" && plural(0, "entry", "entries") == "0 entries")
        #expect(plural(2, "seat") == "2 seats" && plural(UInt64(1), "seat") == "1 seat")
    }

    @Test("Guests who say that they sent more than there are numbers are told of, and end nothing")
    func numbersWithoutEnd() throws {
        var status = try Self.status(players: 2, waiting: 0)
        for place in status.peers.indices {
            status.peers[place].witness = PeerStatus.Witness(
                agreement: "confirmed", reasons: [], datagrams: Int.max, samples: Int.max, confirmed: 0, isFinal: true)
        }
        #expect(PeerTables.closing(status.peers, of: status, within: nil).contains("2 controllers say"))
    }

    @Test("A picture of numbers stands whatever numbers another host tells")
    func sparkline() {
        #expect(Sparkline.text([nil, 0, 5, 10], least: 10) == "·▁▅█")
        #expect(Sparkline.text([-1e300, 10, -1], least: 10) == "▁█▁")
    }

    @Test(
        "A stream that fell silent is not told as its link",
        arguments: [
            (EventRecord.Link.State.silent, nil, "P1 link silent"), (.poor, nil, "P1 link poor"),
            (.silent, 0, "P1 sends no samples"), (.good, 0, "P1 sends samples again"),
            (.silent, 2, "P1 sends no samples of stream 2"),
        ] as [(EventRecord.Link.State, Int?, String)])
    func silence(state: EventRecord.Link.State, stream: Int?, words: String) throws {
        let link = EventRecord.Link(
            n: 1, at: 0, player: 1, controller: "c", state: state, stream: stream, transport: "udp")
        let line = try #require(EventLines.line(.link(link), isVerbose: false))
        #expect(line.hasSuffix("  \(words)"))
    }

    @Test("Nothing that a guest is called is ever printed as a command to paste")
    func pasting() throws {
        var status = try Self.status(players: 1, waiting: 3)
        for place in status.newcomers.indices { status.newcomers[place].name = "$(touch x)" }
        let waiting = NearbyController(
            id: "04d5e194000000000000000000000000", name: "$(touch x)", addresses: [], pin: nil, haptics: false,
            waitedFor: 1)
        let lines = [
            NewcomerTable.text(status.newcomers),
            EventLines.line(
                .asking(.init(at: 0, controller: status.newcomers[0].controller, name: "$(touch x)")), isVerbose: false)
                ?? "",
            WaitingTable.note([waiting, waiting]), WaitingTable.text([waiting]),
        ]
        #expect(lines[2].hasSuffix("\ncall the first in:  roomful invite 04d5e194"))
        #expect(WaitingTable.note([]).isEmpty)
        for line in lines.joined(separator: "\n").split(separator: "\n") {
            guard let command = line.range(of: "roomful ") else { continue }
            #expect(!line[command.lowerBound...].contains("touch"))
        }
        // Ids that begin alike are printed as far as they differ.
        status.newcomers[0].controller = "6c656761637900000000000000000001"
        status.newcomers[1].controller = "6c656761637900000000000000000002"
        let ids = status.newcomers.map { NewcomerTable.shortID($0, among: status.newcomers) }
        #expect(ids[0].count == 32 && ids[2].count == 8 && Set(ids).count == 3)
    }

    @Test("What a host prints and logs moves no terminal, whoever wrote it")
    func hostsWords() async throws {
        var ends: [Int32] = [0, 0]
        let made = pipe(&ends)
        try #require(made == 0)
        let output = PatientOutput(ends[1])
        await output.print("P1 \u{1B}]0;x\u{07}smash\u{202E}, \u{2068}שלום\u{2069}")
        output.post("\u{1B}[2Ja line\nof the log")
        await output.finish()
        close(ends[1])
        let file = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let printed = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        #expect(printed == "P1 ]0;xsmash, \u{2068}שלום\u{2069}\n[2Ja line\nof the log\n")
    }

    @Test("Who reads on after it was let go finds the end behind what was written, and waits for nothing more")
    func unreadOutput() async throws {
        var ends: [Int32] = [0, 0]
        let made = pipe(&ends)
        try #require(made == 0)
        defer { for end in ends { close(end) } }
        // Programs that other tests start meanwhile would keep it open.
        #expect(fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
        #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        let output = PatientOutput(ends[1], patience: .milliseconds(200))
        await output.write(String(repeating: "x", count: 1 << 20))
        await output.print("Nobody hears this.")
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var (count, all) = (1, 0)
        while count > 0 {
            count = read(ends[0], &piece, piece.count)
            all += max(0, count)
        }
        #expect(count == 0 && (1..<1 << 20).contains(all), "\(count) after \(all)")
    }

    @Test("Who reads output and errors through one pipe finds that end, too, with no word of ours in it")
    func unreadOutputAndErrors() async throws {
        var ends: [Int32] = [0, 0]
        let made = pipe(&ends)
        try #require(made == 0)
        let twin = fcntl(ends[1], F_DUPFD_CLOEXEC, 0)
        defer { for end in ends + [twin] { close(end) } }
        #expect(fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
        let output = PatientOutput(ends[1], twin: twin, patience: .milliseconds(200))
        await output.write(String(repeating: "x", count: 1 << 20))
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var (count, all) = (1, [UInt8]())
        while count > 0 {
            count = read(ends[0], &piece, piece.count)
            all += piece.prefix(max(0, count))
        }
        #expect(count == 0 && !all.isEmpty && all.allSatisfy { $0 == UInt8(ascii: "x") })
    }

    private static let facts = HostScreen.Facts(
        code: "7KQM-2X9D", phones: "https://192.168.1.5:7777/", warning: "they will warn of its certificate",
        game: "http://127.0.0.1:8000/game/#t=x", addresses: "192.168.1.5:7777, 127.0.0.1:7777", pin: "3f2a 91bc")

    private static func status(players: Int, waiting: Int) throws -> RoomStatus {
        let peers = (0..<players).map { number in
            PeerStatus(
                name: number % 3 == 0 ? "محمد \(number)" : "Blue Otter \(number)", controller: "c0ffee\(number)",
                seat: number + 1,
                player: number + 1, color: "#0072b2", state: "active", link: "good", transport: "udp",
                address: "192.168.100.\(number):50000", lastHeardMs: 12,
                datagrams: .init(
                    sent: 1, authenticated: 12_345, expected: 1, unique: 1, missing: 0, tailMissing: 0, duplicate: 0,
                    tooOld: 0, reordered: 0, unreadable: 0, rateLimited: 0, bytes: 1, epochs: 1),
                samples: .init(
                    expected: 1, delivered: 123_456, late: 0, abandoned: 0, missing: 0, redundant: 0, epochs: 1),
                jitterMs: 1, clock: .init(state: "locked", uncertaintyMs: 0.4))
        }
        let newcomers = (0..<waiting).map { number in
            RoomStatus.Newcomer(
                name: "Wolf \(number)", controller: "\(number)" + String(repeating: "7", count: 31), waitingMs: 3_000,
                address: "192.168.1.\(number)", transport: "wss", place: number > 1 ? number - 1 : nil, isPresent: true)
        }
        return RoomStatus(
            name: "Living Room", room: "", policy: "code", mode: "competitive", seats: 64, freeSeats: 64 - players,
            isLocked: false, port: 7_777, pin: "", discovery: "published as \"Living Room\"", sealing: "libsodium",
            uptimeMs: 1, peers: peers, waiting: [], newcomers: newcomers,
            strangers: .init(badAuth: 0, unknown: 0, malformed: 0))
    }
}
