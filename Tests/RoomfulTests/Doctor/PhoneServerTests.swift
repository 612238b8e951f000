import Foundation
import NIOHTTP1
import Testing
import WireProtocol

@testable import ControlPort
@testable import Identity
@testable import RoomDoctor
@testable import Roomful
@testable import WebFront

@Suite("The doctor's page, over real sockets", .serialized, .timeLimit(.minutes(3)))
struct PhoneServerTests {
    private func with(_ body: (PhoneTrialServer) async throws -> Void) async throws {
        let server = try await PhoneTrialServer.open(port: 0, until: .now + patience)
        do {
            try await body(server)
        } catch {
            await server.shutDown()
            throw error
        }
        await server.shutDown()
    }

    /// Status, head and body of an answer.
    private func get(_ path: String, _ server: PhoneTrialServer) throws -> (status: Int, head: String, body: String) {
        let socket = try connected(server.port)
        defer { close(socket) }
        say("GET \(path) HTTP/1.1\r\nhost: 127.0.0.1:\(server.port)\r\n\r\n", socket)
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while case let count = read(socket, &piece, piece.count), count > 0 { answer += piece.prefix(count) }
        let text = String(decoding: answer, as: UTF8.self)
        let end = try #require(text.range(of: "\r\n\r\n"))
        let head = text[..<end.lowerBound].lowercased()
        return (Int(head.dropFirst(9).prefix(3)) ?? 0, head, String(text[end.upperBound...]))
    }

    private func say(_ text: String, _ socket: Int32) {
        let bytes = Array(text.utf8)
        send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    @Test("It serves its own page under a strict policy and the common styles, and nothing else of the program")
    func pages() async throws {
        try await with { server in
            let page = try get("/", server)
            #expect(page.status == 200 && page.body.contains("Can this phone play here?"))
            #expect(page.head.contains("default-src 'none'") && !page.head.contains("unsafe"))
            for path in ["/doctor/main.js", "/doctor/datagrams.js", "/doctor/doctor.css", "/common/base.css"] {
                #expect(try get(path, server).status == 200, "\(path)")
            }
            for path in ["/phone/main.js", "/operator/", "/roomful.js", "/games/", "/../etc/passwd", "/nothing"] {
                #expect(try get(path, server).status == 404, "\(path)")
            }
            let state = try get("/state", server)
            #expect(state.status == 200 && state.body.contains("\"udp\":false") && state.body.contains("secondsLeft"))
        }
    }

    @Test("A room does not serve the doctor's page")
    func notInRooms() {
        let head = WebPages(folder: nil, game: nil).answer(
            WebRequest(.init(version: .http1_1, method: .GET, uri: "/doctor/"), arrival: .tls))
        guard case .whole(let document) = head else {
            Issue.record("a stream")
            return
        }
        #expect(document.status == .notFound)
    }

    @Test("Datagrams are never answered, whatever they hold, STUN's questions among them")
    func silence() async throws {
        try await with { server in
            let stranger = try Stranger(to: server.port)
            var garbage = Garbage(seed: 6)
            // A binding request (RFC 8489, 5).
            let stun: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12)
            stranger.send([stun, []] + (0..<5_000).map { _ in garbage.next() })
            for _ in 0..<5 { server.collect() }
            #expect(try stranger.answers == 0)
            // All that came from this machine itself.
            #expect(server.trial.byUDP.isEmpty)
        }
    }

    @Test("Too many connections, endless requests and garbage leave the page as it was")
    func hostile() async throws {
        try await with { server in
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            var open: [Int32] = []
            for number in 0..<(PhoneTrialServer.mostConnections + 40) {
                let socket = try connected(server.port)
                open.append(socket)
                let words =
                    number.isMultiple(of: 2) ? "GET /" + String(repeating: "a", count: 60_000) : "\u{1}\u{2}\r\n\r\n"
                say(words, socket)
            }
            for socket in open { close(socket) }
            #expect(try get("/", server).status == 200)
            let deadline = ContinuousClock.now + patience
            func now() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            while try now() > descriptors + 4, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try now() <= descriptors + 4)
        }
    }

    private func connected(_ port: UInt16) throws -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(number >= 0 && result == 0)
        return number
    }
}
