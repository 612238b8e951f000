import Foundation
import NIOCore
import NIOPosix
import Testing
import WireProtocol

@testable import Datagrams
@testable import Identity
@testable import Roomful

@Suite("Phones by the dozen, over wss, and through nginx", .serialized, .timeLimit(.minutes(4)))
struct PhoneTests {
    /// `PhoneBenchmark`, which lies beside the program.
    private static var program: String {
        get throws {
            URL(filePath: try BuiltProgram.path).deletingLastPathComponent().appending(path: "PhoneBenchmark").path
        }
    }

    @Test("Twenty phones at 60 Hz: every sample is in the books, and what the host used is printed")
    func benchmark() async throws {
        let program = try RunningProgram(Self.program, ["--phones", "20", "--rate", "60", "--for", "2"])
        let said = try await program.ended()
        #expect(program.status == 0, "\(said)")
        #expect(said.contains("20 of 20 phones exact"), "\(said)")
        #expect(said.contains("of a core") && said.contains("MiB"), "\(said)")
    }

    @Test(
        "Thirty phones come from one address, through a proxy that ends their TLS, and every sample is in the books",
        .needs("nginx"), arguments: ["https", "http"])
    func proxy(scheme: String) async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let operators = OperatorFiles()
        try operators.issue("play.example.org")
        var options = try house.options(seats: 30)
        options.policy = .code
        options.url = try PublicURL("https://play.example.org")
        let (counted, departed) = try await withRoom(options) { room in
            let door = scheme == "https" ? room.port : try #require(room.httpPort)
            let nginx = try await ReverseProxy(to: "\(scheme)://127.0.0.1:\(door)", operators)
            let phones = try RunningProgram(
                Self.program,
                [
                    "--phones", "30", "--rate", "60", "--for", "3", "--link", room.link, "--via",
                    "127.0.0.1:\(nginx.port)",
                ])
            let said = try await phones.ended()
            #expect(phones.status == 0, "\(said)")
            let left = try await room.peers { $0.isEmpty }
            #expect(left.isEmpty)
            try await nginx.end()
            return (said.split(separator: "\n").map(String.init), await room.departed())
        }
        let books = try counted.map { try JSONDecoder().decode(Counted.self, from: Data($0.utf8)) }
        #expect(books.count == 30 && departed.count == 30)
        for book in books {
            let peer = try #require(departed.first { $0.controller == book.controller })
            #expect(book.samples == 180)
            #expect(peer.samples.expected == book.samples && peer.samples.missing == 0 && peer.samples.abandoned == 0)
            #expect(peer.samples.delivered + peer.samples.late == book.samples)
            #expect(peer.transport == "wss")
        }
    }

    /// What a phone itself has counted.
    private struct Counted: Decodable {
        var controller: String
        var samples: Int
    }
}

/// nginx as an operator would set it up: it has the certificate, and passes everything on to the room.
final class ReverseProxy: Sendable {
    static let path = "/usr/sbin/nginx"

    let port: UInt16
    private let program: RunningProgram
    private let folder = TemporaryFolder()

    init(to upstream: String, _ operators: OperatorFiles) async throws {
        port = try Self.freePort()
        let place = folder.path
        try folder.plant(
            "nginx.conf",
            """
            worker_processes 1;
            daemon off;
            error_log stderr;
            pid \(place)/pid;
            events { worker_connections 512; }
            http {
                access_log off;
                client_body_temp_path \(place)/body;
                proxy_temp_path \(place)/proxy;
                fastcgi_temp_path \(place)/fastcgi;
                uwsgi_temp_path \(place)/uwsgi;
                scgi_temp_path \(place)/scgi;
                map $http_upgrade $connection_upgrade { default upgrade; '' close; }
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(operators.files.certificate);
                    ssl_certificate_key \(operators.files.key);
                    location / {
                        proxy_pass \(upstream);
                        proxy_http_version 1.1;
                        proxy_set_header Host $host;
                        proxy_set_header Upgrade $http_upgrade;
                        proxy_set_header Connection $connection_upgrade;
                        proxy_buffering off;
                        proxy_read_timeout 1h;
                    }
                }
            }

            """)
        program = try RunningProgram(Self.path, ["-p", place, "-c", place + "/nginx.conf", "-e", "stderr"])
        for _ in 0..<3_000 {
            if await Self.answers(port) { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(program.isRunning, "\(program.output)")
    }

    /// Waits for it: a master that is killed leaves its workers behind.
    func end() async throws {
        program.kill(SIGTERM)
        try await program.ended()
    }

    /// One below those that connections are given: a port that is free for datagrams alone may be a connection's.
    private static func freePort() throws -> UInt16 {
        for _ in 0..<50 {
            let port = UInt16.random(in: 20_000..<30_000)
            if (try? DatagramSocket(at: .any(port: port), options: DatagramSocket.Options())) != nil { return port }
        }
        throw CocoaError(.fileWriteUnknown)
    }

    private static func answers(_ port: UInt16) async -> Bool {
        let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? await client.connect(host: "127.0.0.1", port: Int(port)).get() else { return false }
        try? await channel.close()
        return true
    }
}
