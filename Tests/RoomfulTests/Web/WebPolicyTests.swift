import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import ControlPort
@testable import Datagrams
@testable import Identity
@testable import RoomRecords
@testable import Roomful
@testable import WebFront

@Suite("Who may ask what of a room's site")
struct WebPolicyTests {
    private let game = AccessToken.random()
    private let operates = AccessToken.random()

    private func policy(
        url: String? = nil, allowing origins: Set<String> = [], isLoopbackOpen: Bool = false
    ) throws -> WebPolicy {
        WebPolicy(
            gameToken: game, operatorToken: operates, isKnown: { $0 == "games.local" },
            publicURL: try url.map(PublicURL.init),
            allowedOrigins: origins, isLoopbackOpen: isLoopbackOpen)
    }

    private func request(host: String?, origin: String? = nil, at arrival: WebArrival = .tls) -> WebRequest {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        if let host { head.headers.add(name: "host", value: host) }
        if let origin { head.headers.add(name: "origin", value: origin) }
        return WebRequest(head, arrival: arrival)
    }

    private func status(_ answer: WebAnswer?) -> UInt? {
        guard case .whole(let document)? = answer else { return nil }
        return document.status.code
    }

    @Test(
        "The room answers to addresses, to its own names and to that of --url",
        arguments: [
            "192.168.1.5:7777", "127.0.0.1:8720", "[::1]:7777", "localhost:8720", "games.local:7777", "GAMES.local",
            "games.local.:7777", "play.example.org",
        ])
    func ownNames(_ host: String) throws {
        #expect(try policy(url: "https://play.example.org").refusal(request(host: host)) == nil)
    }

    @Test(
        "A name that somebody else points at this machine is turned away: 421",
        arguments: [
            "evil.example", "evil.example:7777", "", "games.local.evil.example", "127.0.0.1:7777@evil.example",
            "[::1]evil.example", "localhost:port", nil,
        ])
    func foreignNames(_ host: String?) throws {
        #expect(status(try policy().refusal(request(host: host))) == 421)
    }

    @Test("Two Hosts in one request are none")
    func twoHosts() throws {
        var twice = request(host: "127.0.0.1")
        twice.headers.add(name: "host", value: "127.0.0.1")
        #expect(status(try policy().refusal(twice)) == 421)
    }

    @Test("Two Origins in one request are none of ours, whichever comes first")
    func twoOrigins() throws {
        let (own, evil) = ("https://192.168.1.5:7777", "https://evil.example")
        for (first, second) in [(own, evil), (evil, own), (own, own)] {
            var twice = request(host: "192.168.1.5:7777", origin: first)
            twice.headers.add(name: "origin", value: second)
            #expect(status(try policy().refusal(twice)) == 403)
        }
    }

    @Test("A page of another origin is turned away, 403: another host, port or scheme, a sandbox")
    func foreignOrigins() throws {
        for origin in ["https://evil.example", "https://192.168.1.5", "http://192.168.1.5:7777", "null", ""] {
            #expect(status(try policy().refusal(request(host: "192.168.1.5:7777", origin: origin))) == 403)
        }
        #expect(try policy().refusal(request(host: "192.168.1.5:7777", origin: "https://192.168.1.5:7777")) == nil)
    }

    @Test("On loopback a page is plain http; a proxy's has the origin of --url; a development server's was admitted")
    func loopbackOrigins() throws {
        let host = "127.0.0.1:8720"
        func isWelcome(_ origin: String, _ policy: WebPolicy) -> Bool {
            policy.refusal(request(host: host, origin: origin, at: .loopback)) == nil
        }
        #expect(isWelcome("http://127.0.0.1:8720", try policy()))
        #expect(!isWelcome("https://127.0.0.1:8720", try policy()))
        #expect(!isWelcome("http://localhost:5173", try policy()))
        #expect(isWelcome("http://localhost:5173", try policy(allowing: ["http://localhost:5173"])))
        #expect(isWelcome("https://play.example.org", try policy(url: "https://play.example.org/")))
    }

    @Test("A controller's page must name its origin; a program without one may not pass for it")
    func mustNameOrigin() throws {
        let bare = request(host: "127.0.0.1")
        #expect(try policy().refusal(bare) == nil)
        #expect(status(try policy().refusal(bare, mustNameOrigin: true)) == 403)
    }

    @Test(
        "Whoever is on this machine needs the token like anybody else, unless the operator opened that door",
        arguments: [nil, ""])
    func openLoopback(_ none: String?) throws {
        let (closed, open) = (try policy(), try policy(isLoopbackOpen: true))
        for arrival in [WebArrival.loopback, .passedOn, .tls] {
            #expect(closed.role(of: none, at: arrival) == .stranger)
            #expect(open.role(of: none, at: arrival) == (arrival == .loopback ? .game : .stranger))
        }
    }

    @Test(
        "A request that somebody passed on is a stranger's, at whichever port a proxy sends it in",
        arguments: ["Via", "Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Real-IP"])
    func passedOn(_ name: String) throws {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        head.headers.add(name: "host", value: "127.0.0.1")
        #expect(WebRequest(head, arrival: .loopback).arrival == .loopback)
        head.headers.add(name: name, value: "for=192.0.2.1")
        #expect(WebRequest(head, arrival: .loopback).arrival == .passedOn)
        #expect(WebRequest(head, arrival: .tls).arrival == .tls)
    }

    @Test("At the loopback door nothing answers to a name or an address of the network: a proxy may have rewritten it")
    func loopbackNames() throws {
        func isOurs(_ host: String, _ arrival: WebArrival) throws -> Bool {
            try policy().refusal(request(host: host, at: arrival)) == nil
        }
        for host in ["games.local:8720", "192.168.1.5:8720", "[fd00::1]:8720"] {
            #expect(try !isOurs(host, .loopback) && isOurs(host, .tls))
        }
        for host in ["127.0.0.1:8720", "127.9.9.9", "[::1]:8720", "localhost:8720"] {
            #expect(try isOurs(host, .loopback))
        }
        let behindProxy = try policy(url: "https://play.example.org")
        #expect(behindProxy.refusal(request(host: "play.example.org", at: .loopback)) == nil)
    }

    @Test("Each token is for its holder's tasks at every door; a wrong token is worse than none")
    func tokens() throws {
        let policy = try policy(isLoopbackOpen: true)
        for arrival in [WebArrival.loopback, .passedOn, .tls] {
            #expect(policy.role(of: game.text, at: arrival) == .trustedGame)
            #expect(policy.role(of: operates.text, at: arrival) == .operates)
            #expect(policy.role(of: AccessToken.random().text, at: arrival) == .stranger)
            #expect(policy.role(of: " ", at: arrival) == .stranger)
        }
    }

    @Test("Where --url says that a proxy may stand at the loopback door, a game there needs its token like any other")
    func tokensBehindProxy() throws {
        let policy = try policy(url: "https://play.example.org", isLoopbackOpen: true)
        #expect(policy.role(of: nil, at: .loopback) == .stranger)
        #expect(policy.role(of: "", at: .loopback) == .stranger)
        #expect(policy.role(of: game.text, at: .loopback) == .trustedGame)
    }

    @Test("A game may ask what games need; who sits where, and who may come in, is the operator's")
    func tasks() {
        let forGames = OperatorRequest.Task.allCases.filter { $0.isAllowed(to: .game) }
        #expect(
            Set(forGames) == [.status, .peers, .latency, .identify, .rezero, .play, .send, .taught, .mark, .detect])
    }

    @Test("WEB.md lists every task that the web takes and every field of one, and says truly who may")
    func documentedTasks() throws {
        let file = URL(fileURLWithPath: #filePath).appending(path: "../../../../Documentation/WEB.md")
        let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("4. Commands") })
        var listed: [OperatorRequest.Task: String] = [:]
        for row in section.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            for word in cells[0].split(separator: "`") {
                if let task = OperatorRequest.Task(rawValue: String(word)) { listed[task] = cells.last }
            }
        }
        // Events have a door of their own, and no recording begins by the web.
        for task in OperatorRequest.Task.allCases where ![.events, .recordStart].contains(task) {
            let who = try #require(listed[task], "\(task.rawValue) is not listed")
            #expect(task.isAllowed(to: .game) == (who == "game"), "\(task.rawValue)")
            #expect(task.isAllowed(to: .trustedGame) == who.contains("game"), "\(task.rawValue)")
        }
        let fields = Mirror(reflecting: OperatorRequest(.status)).children.compactMap(\.label)
        for field in fields
        where !["task", "path", "consent", "tied", "after", "openedAt", "motion"].contains(field) {
            #expect(section.contains("`\(field)`"), "\(field) is not named")
        }
    }

    @Test("An id for a stream is good once, and for 10 s; only so many wait")
    func oneTimeIDs() throws {
        let ids = OneTimeIDs<Int>(limit: 2)
        let start = NIODeadline.now()
        let (one, other) = (PeerAddress(ipv4: 1, port: 7), PeerAddress(ipv4: 2, port: 7))
        let first = ids.keep(1, for: one, now: start).id
        #expect(ids.take(first, now: start + .seconds(9)) == 1)
        #expect(ids.take(first, now: start + .seconds(9)) == nil)
        let second = ids.keep(2, for: one, now: start).id
        #expect(ids.take(second, now: start + .seconds(10)) == nil)
        // Whoever asks for too many loses its own.
        let kept = ids.keep(3, for: other, now: start)
        #expect(kept.displaced == nil && ids.keep(4, for: one, now: start).displaced == nil)
        for number in 5..<100 {
            #expect(ids.keep(number, for: one, now: start).displaced == (number == 5 ? 4 : number - 1))
        }
        #expect(ids.take(kept.id, now: start) == 3)
        #expect(ids.keep(200, for: one, now: start + .seconds(10)).displaced == nil)
    }

    @Test("Ids whose time is over take no place from those that are good, in whatever number these come later")
    func expiredIDs() {
        let ids = OneTimeIDs<Int>(limit: 2)
        let start = NIODeadline.now()
        let one = PeerAddress(ipv4: 1, port: 7)
        for number in 1...2 { #expect(ids.keep(number, for: one, now: start).displaced == nil) }
        let later = start + .seconds(11)
        for number in 3...4 { #expect(ids.keep(number, for: one, now: later).displaced == nil) }
        #expect(ids.keep(5, for: one, now: later).displaced == 3)
        #expect(ids.keep(6, for: one, now: later).displaced == 4)
    }

    @Test("The ticket is for the operator and for games that show their token, not for whoever reaches loopback")
    func ticket() {
        let roles: [WebPolicy.Role] = [.stranger, .game, .trustedGame, .operates]
        #expect(roles.filter { OperatorRequest.Task.ticket.isAllowed(to: $0) } == [.trustedGame, .operates])
        #expect(roles.filter { OperatorRequest.Task.play.isAllowed(to: $0) } == [.game, .trustedGame, .operates])
        let trusted = OperatorRequest.Task.allCases.filter { $0.isAllowed(to: .trustedGame) }
        #expect(
            Set(trusted).subtracting(OperatorRequest.Task.allCases.filter { $0.isAllowed(to: .game) }) == [
                .ticket, .site,
            ])
    }
}
