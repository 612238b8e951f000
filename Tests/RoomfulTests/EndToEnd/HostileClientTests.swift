import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

@Suite("A host among strangers, over real sockets", .serialized, .timeLimit(.minutes(4)))
struct HostileClientTests {
    @Test("What is no invitation is answered with a reason, and the connection closed; others are not disturbed")
    func nonsense() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            for text in [
                "not json", "{}", #"{"type":7}"#, #"{"type":"invite"}"#, "[" + String(repeating: "[", count: 3_000),
            ] {
                let answers = try await RawClient.converse(port: room.port, saying: [text])
                #expect(answers.contains { $0.contains("badInvitation") }, "\(text.prefix(20)): \(answers)")
            }
            let unknown = try await RawClient.converse(port: room.port, saying: [#"{"type":"teleport"}"#], answers: 2)
            #expect(unknown.contains { $0.contains("unknown") && $0.contains("teleport") })
            try await withController(house.controller("Blue"), joining: room.local) { #expect($0.seat.seat == 1) }
        }
    }

    @Test("A wrong version is refused naming both, and no seat is taken")
    func versions() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            for text in [
                Self.invitation(version: 99), #"{"type":"invite","v":99,"haptics":{"amplitude":true}}"#,
            ] {
                let answers = try await RawClient.converse(port: room.port, saying: [text])
                #expect(answers.contains { $0.contains("wrongVersion") && $0.contains("99") && $0.contains("1") })
            }
            #expect(await room.status().freeSeats == 4)
        }
    }

    @Test("A message of 10 MB closes its connection, and costs the host nothing that stays")
    func tenMegabytes() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let huge = #"{"type":"invite","name":""# + String(repeating: "x", count: 10_000_000) + "\"}"
            let answers = try await RawClient.converse(port: room.port, saying: [huge])
            #expect(!answers.contains { $0.contains("seated") })
            try await withController(house.controller("Blue"), joining: room.local) { #expect($0.seat.seat == 1) }
        }
    }

    @Test("A name of 64 bytes is refused; terminal escapes in a name never reach anyone")
    func names() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let long = Self.invitation(name: String(repeating: "n", count: 64))
            let answers = try await RawClient.converse(port: room.port, saying: [long])
            #expect(answers.contains { $0.contains("63 bytes") })
            let escape = Self.invitation(name: "\\u001b[31mRed\\u0007")
            let seated = try await RawClient.converse(port: room.port, saying: [escape], answers: 2)
            #expect(seated.contains { $0.contains("seated") && $0.contains("[31mRed") && !$0.contains("u001b") })
        }
    }

    @Test("A connection that has a seat cannot take another")
    func oneInvitation() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let other = Self.invitation(name: "Red").replacingOccurrences(of: "abab", with: "cdcd")
            let answers = try await RawClient.converse(port: room.port, saying: [Self.invitation(), other], answers: 3)
            #expect(answers.filter { $0.contains("\"seated\"") }.count == 1)
            #expect(answers.contains { $0.contains("One invitation a connection") })
        }
    }

    @Test("A browser's page cannot join as a native controller: an Origin is refused")
    func origin() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let answers = try await RawClient.converse(port: room.port, origin: "https://evil.example", saying: ["{}"])
            #expect(answers == ["HTTP 403"])
        }
    }

    @Test("Datagrams of strangers, garbage and truncated ones are counted and answered by nothing")
    func datagrams() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let socket = try DatagramSocket(at: PeerAddress(ipv4: 0x7F00_0001, port: 0))
            let out = OutgoingBatch()
            var generator = SystemRandomNumberGenerator()
            for length in 0..<1_500 {
                if out.isFull { socket.send(out) }
                let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                out.room.copyBytes(from: bytes)
                out.append(length, to: PeerAddress(ipv4: 0x7F00_0001, port: room.port))
            }
            socket.send(out)
            let strangers = try await room.strangers { $0.total + ($0.kernelDrops ?? 0) == 1_500 }
            #expect(strangers.malformed + strangers.unknown + (strangers.kernelDrops ?? 0) == 1_500)
            #expect(strangers.badAuth == 0)
            #expect(try socket.receive(into: IncomingBatch()) == 0)
        }
    }

    @Test("A second host of the same room, and a port in use, each end with a reason that says what to do")
    func twoHosts() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            await #expect { try await withRoom(house.options()) { _ in } } throws: {
                ($0 as? StorageError)?.code == .roomInUse
            }
            var other = try house.options("Other Room")
            other.port = room.port
            await #expect { try await withRoom(other) { _ in } } throws: { ($0 as? RoomError)?.code == .portInUse }
        }
    }

    private static func invitation(version: Int = 1, name: String = "Blue") -> String {
        """
        {"type":"invite","v":\(version),"controller":"\(String(repeating: "ab", count: 16))","process":"0011223344556677",\
        "name":"\(name)","streams":[{"stream":0,"measures":["acceleration"],"accelerationRange":157,\
        "rotationRange":35,"rate":100}],"haptics":false}
        """
    }
}

/// Speaks to a host as no controller of ours would.
enum RawClient {
    /// Says each text in a frame of its own, and returns what came back until the host closed, or so many messages came.
    static func converse(
        port: UInt16, origin: String? = nil, saying texts: [String], answers: Int = .max
    ) async throws -> [String] {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = .tlsv13
        let context = try NIOSSLContext(configuration: configuration)
        let heard = Heard<String>()
        let closed = AsyncStream.makeStream(of: Void.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    let upgrader = NIOWebSocketClientUpgrader { channel, _ in
                        channel.pipeline.removeHandler(name: "asker").flatMapThrowing {
                            try channel.pipeline.syncOperations.addHandler(
                                Listener(texts: texts, answers: answers, heard: heard))
                        }
                    }
                    try pipeline.addHTTPClientHandlers(
                        leftOverBytesStrategy: .forwardBytes,
                        withClientUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
                    try pipeline.addHandler(Asker(origin: origin, heard: heard), name: "asker")
                }
            }
            .connect(host: "127.0.0.1", port: Int(port)).get()
        channel.closeFuture.whenComplete { _ in closed.continuation.finish() }
        let limit = channel.eventLoop.scheduleTask(in: .seconds(60)) {
            Issue.record("the host was to hang up for \(patience), having said \(heard.all)")
            channel.close(promise: nil)
        }
        for await _ in closed.stream {}
        limit.cancel()
        return heard.all
    }

    private final class Asker: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundOut = HTTPClientRequestPart
        private let origin: String?
        private let heard: Heard<String>

        init(origin: String?, heard: Heard<String>) {
            self.origin = origin
            self.heard = heard
        }

        func channelActive(context: ChannelHandlerContext) {
            var headers: HTTPHeaders = ["host": "127.0.0.1"]
            if let origin { headers.add(name: "origin", value: origin) }
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/control", headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.fireChannelActive()
        }

        /// No WebSocket: the answer is all there is.
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): heard.note("HTTP \(head.status.code)")
            case .body: break
            case .end: context.close(promise: nil)
            }
        }
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame
        private let texts: [String]
        private let answers: Int
        private let heard: Heard<String>

        init(texts: [String], answers: Int, heard: Heard<String>) {
            self.texts = texts
            self.answers = answers
            self.heard = heard
        }

        func handlerAdded(context: ChannelHandlerContext) {
            for text in texts {
                let frame = WebSocketFrame(
                    fin: true, opcode: .text, maskKey: .random(), data: context.channel.allocator.buffer(string: text))
                context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = unwrapInboundIn(data)
            if frame.opcode == .connectionClose { return context.close(promise: nil) }
            guard frame.opcode == .text else { return }
            let text = String(buffer: frame.unmaskedData)
            heard.note(text)
            if heard.all.count >= answers { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
    }
}
