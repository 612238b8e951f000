import Foundation
import Testing

@testable import ControllerClient
@testable import Identity
import QRCode
import WireProtocol
@testable import Roomful
@testable import RoomfulCLI
@testable import WebFront

@Suite("Inviting phones: roomful qr and roomful open", .serialized, .timeLimit(.minutes(4)))
struct InvitingTests {
    /// A room in a process of its own, whose program is asked like an operator asks it.
    private struct Hosted {
        let host: HostProgram
        let house: TestHouse

        init(_ name: String, _ options: [String] = []) async throws {
            house = try TestHouse()
            host = try await HostProgram(in: house, name: name, options: ["--policy", "code"] + options)
        }

        /// What the program prints, to its end.
        func ask(_ arguments: String...) async throws -> String {
            let program = Process()
            program.executableURL = URL(filePath: try BuiltProgram.path)
            program.arguments = arguments
            var environment = ProcessInfo.processInfo.environment
            environment["ROOMFUL_STATE"] = host.state.folder.path
            for name in ["XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
            program.environment = environment
            let output = Pipe()
            program.standardOutput = output
            try program.run()
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            program.waitUntilExit()
            #expect(program.terminationStatus == 0)
            return String(decoding: said, as: UTF8.self)
        }

        func end() async throws {
            _ = try await host.close()
            house.remove()
        }
    }

    @Test("The link, the ticket and the poster all lead to the room, and the poster is read back by zbarimg")
    func link() async throws {
        let hosted = try await Hosted("Tom & <Jerry>")
        let link = try await hosted.ask("qr", "--text").trimmingCharacters(in: .newlines)
        let status = try await hosted.host.status
        let ticket = try Ticket(link)
        #expect(ticket.pin.description == status.pin)
        #expect(ticket.room == "Tom & <Jerry>")
        #expect(ticket.addresses.first.map { Int($0.port) } == status.port)
        #expect(ticket.code != nil)

        let json =
            try JSONSerialization.jsonObject(with: Data(try await hosted.ask("qr", "--json").utf8)) as? [String: Any]
        #expect(json?["url"] as? String == link)
        #expect(json?["warns"] as? Bool == true)
        #expect(try Ticket(json?["ticket"] as? String ?? "").pin == ticket.pin)
        // What people type is shorter than what they scan.
        let code = try #require(json?["code"] as? String)
        #expect(AdmissionCode(code) != nil && AdmissionCode(code) != ticket.code)

        let file = hosted.house.folder + "/poster.svg"
        #expect(try await hosted.ask("qr", "--svg", file, "--language", "en").contains("wrote \(file)"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let svg = try String(contentsOfFile: file, encoding: .utf8)
        #expect(
            svg.contains("Tom &amp; &lt;Jerry&gt;") && svg.contains("Scan to join")
                && svg.contains("becomes a motion controller"))
        #expect(svg.contains(code))
        #expect(svg.contains("because this room made its") || svg.contains("certificate itself"))
        if Tools.has("rsvg-convert"), Tools.has("zbarimg") {
            let read = try shell(
                "rsvg-convert -w 1000 '\(file)' | zbarimg --quiet --raw -Sdisable -Sqrcode.enable - 2>/dev/null")
            #expect(read?.trimmingCharacters(in: .newlines) == link)
        }
        // What `roomful qr` draws is what `--text` says; zbarimg reads it in RenderingTests.
        let drawn = try await hosted.ask("qr")
        #expect(drawn.contains("▀") && drawn.contains("code \(code)"))
        #expect(drawn.contains("choose “Advanced”"))
        #expect(!drawn.contains("\u{1B}"))
        try await hosted.end()
    }

    @Test("A poster speaks each of the pages' languages, reads back in all, and its name turns nothing around it")
    func posterLanguages() throws {
        let link = "https://192.168.1.5:7777/#v=1&c=ABCDEFGH"
        #expect(PageSentences.languages == ["ar", "de", "en", "es", "fr", "ja", "pt"])
        var scans: Set<String> = []
        for language in PageSentences.languages {
            let words = try #require(PageSentences(language))
            let room = "غرفة \u{202E}x"
            let svg = try RoomPoster(room: room, link: link, code: "ABCD-EFGH", warns: true, words: words).svg()
            #expect(svg.contains(escapedForXML(words.text("lobby.scan"))) && svg.contains("xml:lang=\"\(language)\""))
            #expect(!svg.contains("poster.") && !svg.contains("lobby.") && !svg.contains("{"), "\(language): gaps")
            #expect(svg.contains(" direction=\"rtl\"") == (language == "ar"))
            #expect(svg.contains("ABCD-EFGH") && svg.contains("192.168.1.5:7777") && !svg.contains("\u{202E}"))
            scans.insert(words.text("lobby.scan"))
            guard Tools.has("rsvg-convert"), Tools.has("zbarimg") else { continue }
            let file = FileManager.default.temporaryDirectory.appending(path: "poster-\(UUID()).svg").path
            try svg.write(toFile: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: file) }
            let read = try shell(
                "rsvg-convert -w 1000 '\(file)' | zbarimg --quiet --raw -Sdisable -Sqrcode.enable - 2>/dev/null")
            #expect(read?.trimmingCharacters(in: .newlines) == link, "\(language)")
        }
        #expect(scans.count == PageSentences.languages.count)
        #expect(PageSentences("xx") == nil)
    }

    @Test("With --url the link, the poster and the status name that address, and nobody is told of a warning")
    func publicURL() async throws {
        let hosted = try await Hosted("Proxied", ["--url", "https://Play.example.org"])
        let link = try await hosted.ask("qr", "--text")
        #expect(link.hasPrefix("https://play.example.org/#v=1&"))
        #expect(try await hosted.host.status.url == "https://play.example.org/")
        let drawn = try await hosted.ask("qr")
        #expect(drawn.contains("at https://play.example.org/") && !drawn.contains("Advanced"))
        let pages = try await hosted.ask("open", "--print")
        #expect(pages.contains("https://play.example.org/operator/#t="))
        try await hosted.end()
    }

    @Test("The operator's page is printed with a token that is the same after a restart, and is not the game's")
    func operatorPage() async throws {
        let hosted = try await Hosted("Kept")
        let first = try await hosted.ask("open", "--print")
        let token = try #require(first.firstMatch(of: #/operator/\#t=([A-Za-z0-9_-]{43})/#)?.1)
        #expect(!first.contains("http://0"))
        let json = try await hosted.ask("open", "--json")
        #expect(json.contains("\"pages\"") && json.contains(token))
        let folder = try hosted.host.state.room(named: "Kept")
        #expect(try String(contentsOfFile: folder.path(of: "game-token"), encoding: .utf8).contains(token) == false)
        _ = try await hosted.host.close()
        let again = try await HostProgram(in: hosted.house, name: "Kept", options: ["--policy", "code"])
        #expect(try await hosted.ask("open", "--print").contains(token))
        _ = try await again.close()
        hosted.house.remove()
    }

    @Test("An address that no room makes for a page is neither opened nor printed")
    func foreignPages() throws {
        let token = AccessToken.random().text
        let made = [
            "http://127.0.0.1:8720/operator/#t=\(token)", "https://localhost:7777/game/#t=\(token)",
            "https://[fe80::1%252]:7777/operator/#t=\(token)", "https://play.example.org/operator/#t=\(token)",
            "http://127.0.0.1:8720/", "https://192.168.1.5:7777/screen/",
        ]
        for link in made { #expect(try PageLink(link).text == link) }
        #expect(try made.map { try PageLink($0).isOfItsMachine } == [true, true, false, false, true, false])
        for link in [
            "https://[::1]:1/", "https://127.1.2.3/", "https://LOCALHOST/", "http://0.0.0.0:8720/", "http://[::]:8720/",
        ] {
            #expect(try PageLink(link).isOfItsMachine, "\(link)")
        }
        // In forms that only resolvers know: of this machine, or no page's address at all.
        for link in ["https://localhost./", "http://127.1:8720/", "http://0x7f000001:8720/", "http://2130706433:8720/"]
        {
            #expect((try? PageLink(link))?.isOfItsMachine != false, "\(link)")
        }
        let others = [
            "", "x", "javascript:alert(1)//", "file:///etc/passwd", "HTTPS://localhost:1/", "https://localhost:1",
            "https:///operator/", "https://a@b:1/", "https://localhost:0/", "https://localhost:1/?q", "https://b:1/\\x",
            "https://localhost:1/operator/#t=short", "https://localhost:1/operator/#x=\(token)",
            "https://localhost:1/operator/#t=\(token)\"", "https://localhost:1/operator/#t=\(token)\u{301}",
            "https://localhost:1/\"><script>document.title=1</script><a href=\"", "https://localhost:1/\u{1B}[2J",
            "https://localhost:1/;url=https://evil.example/", "https://localhost:1/\"\u{200D}>",
            "https://localhost:1/ ", "x\nroomful: spoofed",
        ]
        for link in others {
            let refusal = failure(RoomError.self) { try PageLink(link) }
            #expect(refusal?.description.contains("no room makes") == true, "\(link)")
        }
        let file = Desktop.leading(to: "https://x/\"><script>'&")
        #expect(!file.contains("<script") && file.contains("https://x/&quot;&gt;&lt;script&gt;&#39;&amp;"))
    }

    @Test("Of a link that leads to this machine alone it is said; of where the operator says that phones go, nothing")
    func noNetwork() throws {
        func problem(
            _ address: String, at place: String? = nil, network: RoomStatus.Network? = nil
        ) throws -> String? {
            let link = try TicketTests.ticket([address]).link(at: try place.map { try PublicURL($0) })
            return PhoneWay.problem(link, network)
        }
        for address in ["127.0.0.1:7777", "[::1]:7777"] {
            let said = try problem(address)
            // It may have the link-local address of IPv6, by which machines find each other and no browser goes.
            #expect(said?.hasSuffix("is in no network, or has no address there that a phone can open") == true)
        }
        #expect(try problem("169.254.3.4:7777")?.contains("in no network") == true)
        #expect(try problem("192.168.1.5:7777") == nil)
        #expect(try problem("[2001:db8::5]:7777") == nil)
        #expect(try problem("127.0.0.1:7777", at: "https://play.example.org") == nil)
        #expect(try problem("192.168.1.5:7777", at: "https://127.0.0.1:8443") == nil)
        // Nor by an address that the machine has lost meanwhile.
        let lost = RoomStatus.Network(isLost: true, agoMs: 9_000)
        let words = "no phone can reach it: the room's machine itself has been in no network for 9 s"
        #expect(try problem("192.168.1.5:7777", network: lost) == words)
        #expect(try problem("192.168.1.5:7777", network: .init(isLost: false, agoMs: 9_000)) == nil)
    }

    @Test("Who prints a poster is told to keep the address that it holds, unless phones go by another place")
    func caution() throws {
        func caution(_ address: String, at place: String? = nil) throws -> String? {
            let link = try TicketTests.ticket([address]).link(at: try place.map { try PublicURL($0) })
            return RoomPoster(room: "Hall", link: link, code: nil, warns: true).caution
        }
        #expect(try caution("192.168.1.5:7777")?.contains("holds 192.168.1.5, and is void once") == true)
        #expect(try caution("192.168.1.5:443")?.contains("(DHCP), or open the room with --url") == true)
        #expect(try caution("[2001:db8::5]:7777")?.contains("holds 2001:db8::5,") == true)
        #expect(try caution("127.0.0.1:7777") == nil)
        #expect(try caution("192.168.1.5:7777", at: "https://play.example.org") == nil)
    }

    @Test("host draws the code in a pipe where it is asked to, and only then")
    func hostDraws() async throws {
        let silent = try await Hosted("Silent")
        #expect(!silent.host.program.output.contains("▀"))
        #expect(silent.host.program.output.contains("phones: https://"))
        try await silent.end()
        let drawn = try await Hosted("Drawn", ["--qr"])
        #expect(drawn.host.program.output.contains("▀"))
        try await drawn.end()
    }

    @Test(
        "A certificate, a key or an address that cannot be used ends the program with one line",
        arguments: [
            (["--cert", "/nowhere/cert.pem", "--key", "/nowhere/key.pem"], 1, "--cert: cannot read /nowhere/cert.pem"),
            (["--cert", "/etc/hostname"], 2, "--cert needs --key"),
            (["--key", "/etc/hostname"], 2, "--key needs --cert"),
            (["--cert", "/etc/hostname", "--key", "/etc/hostname"], 1, "holds no certificate in PEM"),
            (["--url", "http://play.example.org"], 2, "must begin with https://"),
            (["--url", "https://play.example.org/room"], 2, "at the root"),
        ])
    func refused(_ options: [String], _ code: Int32, _ words: String) async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let program = try RunningProgram(
            BuiltProgram.path, ["host", "X", "--discovery", "none"] + options,
            environment: ["ROOMFUL_STATE": house.folder + "/state"])
        let said = try await program.ended()
        #expect(program.status == code, "\(said)")
        #expect(said.contains(words) && said.split(separator: "\n").count == 1, "\(said)")
    }

    @Test("A native controller joins a room with an operator's certificate by the same pin as before")
    func native() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let operators = OperatorFiles()
        try operators.issue(key: "-algorithm RSA -pkeyopt rsa_keygen_bits:2048")
        let before = try await withRoom(house.options()) { room in room.ticket.pin }
        var options = try house.options()
        options.certificate = operators.files
        try await withRoom(options) { room in
            #expect(room.ticket.pin == before)
            let shown = try shell("openssl s_client -connect 127.0.0.1:\(room.port) </dev/null 2>&1")
            #expect(shown?.contains("subject=CN = play.example.org") == true, "\(shown ?? "")")
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                #expect(controller.seat.name == "Blue")
            }
        }
    }
}
