import Foundation
import Testing
import WireProtocol

@testable import Identity
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

@Suite("Ticket")
struct TicketTests {
    static let pin = Pin(subjectPublicKeyInfo: [1, 2, 3])
    static let roomID = RoomID(bytes: UInt8(0)..<16) ?? .random()

    static func ticket(
        _ addresses: [String] = ["192.168.1.5:7777"], code: String? = "7KQM-2X9D", room: String = "Living Room"
    ) throws -> Ticket {
        try Ticket(
            addresses: addresses.compactMap { Ticket.Address($0) }, pin: pin, code: code.flatMap { AdmissionCode($0) },
            room: room, roomID: roomID)
    }

    @Test(
        "Text and URL bring back the same ticket",
        arguments: [
            "Living Room", "Bob's \"Wohnzimmer\"", "🎉👩‍👩‍👧 party", "a.b.c", "#&=%?/+", "%41",
            "code AAAA-AAAA", "Ünïcödé 日本",
            String(repeating: "é", count: 31), "id: 5 ",
        ])
    func roundTrip(room: String) throws {
        let addresses = ["[fe80::1%3]:7777", "192.168.1.5:7777", "[2001:db8::5]:7777", "games.local:80"]
        for code in ["7KQM-2X9D", nil] {
            let ticket = try TicketTests.ticket(addresses, code: code, room: room)
            let fromURL = try Ticket(ticket.url)
            #expect(Set(fromURL.addresses) == Set(ticket.addresses))
            #expect(fromURL.room == room && fromURL.code == ticket.code && fromURL.pin == ticket.pin)
            #expect(fromURL.roomID == ticket.roomID)
            if room.last != " " { #expect(try Ticket(ticket.text) == ticket) }
        }
    }

    @Test("Nothing but the place stands before the fragment of the URL")
    func fragment() throws {
        let url = try TicketTests.ticket(["[fe80::1%3]:1", "192.168.1.5:7777"]).url
        #expect(url.hasPrefix("https://192.168.1.5:7777/#"))
        #expect(url.contains("c=7KQM2X9D"))
        #expect(url.utf8.count < 200)
    }

    @Test("A ticket is read whatever an editor or a mail program did to it")
    func tolerance() throws {
        let ticket = try TicketTests.ticket()
        let spread = ticket.text.replacing("\n", with: "\r\n  \r\n")
        let text = "\u{FEFF}\r\n# for the exhibit\r\n" + spread + "colour blue\r\n"
        #expect(try Ticket(text) == ticket)
        #expect(try Ticket("  " + ticket.url + "&future=1\n") == ticket)
        let retyped = ticket.text.replacing("pin", with: "PIN").replacing("7KQM-2X9D", with: "7kqm 2x9d")
        #expect(try Ticket(retyped) == ticket)
    }

    @Test("A ticket is read with the brackets or quotes that were copied with it, and out of a page's source")
    func surroundings() throws {
        let ticket = try TicketTests.ticket()
        for (opening, closing) in [
            ("<", ">"), ("‹", ">"), ("‹", "›"), ("«", "»"), ("(", ")"), ("“", "”"), ("„", "“"), ("'", "'"),
            ("\"", "\"\n"),
            (" ( \"", "\") "), ("\"", ""),
        ] {
            #expect(try Ticket(opening + ticket.url + closing) == ticket, "\(opening)…\(closing)")
            #expect(try Ticket(opening + ticket.text + closing) == ticket, "\(opening)…\(closing)")
        }
        #expect(try Ticket(ticket.url.replacing("&", with: "&amp;")) == ticket)
        // A room's own quotes stay.
        let den = try TicketTests.ticket(room: "\"Den\"")
        let room = "room \"Den\"\n"
        #expect(try Ticket(den.text.replacing(room, with: "") + room) == den)
    }

    @Test("A link-local address may name its interface, as browse prints it; one that is not there is no address")
    func namedInterface() {
        let index = if_nametoindex("lo")
        #expect(Ticket.Address.onThisMachine("[fe80::1%lo]:7777")?.description == "[fe80::1%\(index)]:7777")
        #expect(Ticket.Address.onThisMachine("[fe80::1%3]:7777")?.description == "[fe80::1%3]:7777")
        for text in ["[fe80::1%no-such-if0]:1", "[fe80::1%]:1", "[fe80::1%lo:1", "[%lo]:1", "%lo", "]%lo:1", "x%lo]:1"]
        {
            #expect(Ticket.Address.onThisMachine(text) == nil, "\(text)")
        }
        #expect(Ticket.Address("[fe80::1%lo]:7777") == nil)
    }

    @Test("A URL without a port means 443")
    func usualPort() throws {
        let url = try TicketTests.ticket().url.replacing("192.168.1.5:7777", with: "example.org")
        #expect(try Ticket(url).addresses.map(\.description) == ["example.org:443"])
    }

    @Test(
        "What is no ticket is refused with its reason, and without repeating secrets",
        arguments: [
            ("", "empty"), ("\n\n#\n", "empty"), ("hello", "does not begin"), ("roomful-ticket 2\n", "version 2"),
            ("roomful-ticket 1\n", "no pin"), ("roomful-ticket 1\npin 00\n", "pin is broken"),
            ("roomful-ticket 1\ncode SECRET99U\n", "code is broken"),
            ("roomful-ticket 1\naddress nowhere\n", "address is broken"),
            ("https://192.168.1.5:7777/", "nothing after"), ("https://#", "address is broken"),
            ("https://h:1/#", "its version"), ("https://h:1/#v=2", "version 2"), ("https://h:1/#v=1", "no pin"),
            ("https://h:1/#v=1&p=AAAA", "pin is broken"), ("https://h:1/#v=1&r=%F", "fragment is broken"),
            ("https://h:1/#v=1&r=%FF", "fragment is broken"), ("https://user:secret@h:1/#v=1", "address is broken"),
            ("roomful-ticket \u{1B}[31m", "version [31m"),
        ])
    func refused(text: String, reason: String) {
        let error = failure(IdentityError.self) { try Ticket(text) }
        #expect(error?.code == .malformedTicket)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "it was accepted")")
        #expect(error?.description.lowercased().contains("secret") == false)
    }

    @Test("More than 2 KiB is not looked at, and more than 8 addresses are not kept")
    func bounds() throws {
        let long = try TicketTests.ticket().text + String(repeating: "#", count: 2_048)
        #expect(failure(IdentityError.self) { try Ticket(long) }?.description.contains("2048 bytes") == true)
        let many = (1...20).map { "10.0.0.\($0):1" }
        #expect(try TicketTests.ticket(many).addresses.count == 8)
    }

    @Test(
        "A name that is empty, of 64 bytes or with a terminal escape makes no ticket",
        arguments: ["", String(repeating: "x", count: 64), "a\u{1B}[2J", "a\nb", "a\u{202E}b"])
    func names(room: String) {
        #expect(failure(IdentityError.self) { try TicketTests.ticket(room: room) }?.code == .malformedTicket)
    }

    @Test(
        "Only what can be reached is an address",
        arguments: [
            "", ":1", "h:", "h:0", "h:65536", "h:+1", "h:-1", "::1:7", "[::1]", "[h]:1", "a b:1", "-a:1", "a..b:1",
            "h:1 ", "\(String(repeating: "a", count: 64)):1",
        ])
    func addresses(text: String) {
        #expect(Ticket.Address(text) == nil)
    }

    @Test("Random mutations of a ticket never trap, and what is accepted survives another round trip")
    func mutations() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("ticket mutations: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let ticket = try TicketTests.ticket(["192.168.1.5:7777", "[2001:db8::5]:7777"])
        for original in [ticket.text, ticket.url] {
            for _ in 0..<3_000 {
                var bytes = Array(original.utf8)
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let index = Int.random(in: 0..<bytes.count, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                    case 1: bytes.remove(at: index)
                    default: bytes.insert(UInt8.random(in: 0...127, using: &generator), at: index)
                    }
                }
                guard let read = try? Ticket(String(decoding: bytes, as: UTF8.self)) else { continue }
                #expect(try Ticket(read.url).pin == read.pin)
            }
        }
    }

    @Test("A ticket's file is for its owner only, and a link at its place is replaced")
    func file() throws {
        let temporary = TemporaryFolder()
        let ticket = try TicketTests.ticket()
        try temporary.plant("target", "untouched", mode: 0o644)
        symlink(temporary.path + "/target", temporary.path + "/ticket")
        try ticket.write(to: temporary.path + "/ticket")
        #expect(try temporary.mode("ticket") == 0o600)
        #expect(temporary.content("target") == "untouched")
        #expect(try Ticket(contentsOf: temporary.path + "/ticket") == ticket)
        #expect(temporary.files == ["target", "ticket"].sorted())
    }

    @Test("A ticket's file that is missing, endless, no text or a folder gives one line")
    func brokenFiles() throws {
        let temporary = TemporaryFolder()
        try temporary.plant("binary", bytes: [0xFF, 0xFE, 0x00])
        #expect(failure(StorageError.self) { try Ticket(contentsOf: temporary.path + "/missing") }?.code == .unreadable)
        #expect(failure(IdentityError.self) { try Ticket(contentsOf: "/dev/zero") }?.code == .malformedTicket)
        #expect(failure(StorageError.self) { try Ticket(contentsOf: temporary.path) } != nil)
        #expect(failure(IdentityError.self) { try Ticket(contentsOf: temporary.path + "/binary") } != nil)
        let ticket = try TicketTests.ticket()
        for path in ["", ".", "/", temporary.path + "/", temporary.path + "/no/such/folder"] {
            #expect(failure(StorageError.self) { try ticket.write(to: path) } != nil, "\(path)")
        }
    }

    @Test("A ticket that is printed by accident does not show its code")
    func hidden() throws {
        let ticket = try TicketTests.ticket()
        #expect(!"\(ticket)".contains("7KQM"))
        #expect(!String(reflecting: ticket).contains("7KQM"))
    }
}
