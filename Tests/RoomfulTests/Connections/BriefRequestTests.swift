import Connections
import MetricsFront
import NIOCore
import NIOHTTP1
import NIOPosix
import RoomRecords
import Testing
import WireProtocol

@testable import RoomServer
@testable import Roomful

@Suite("Doors for brief requests: figures for Prometheus, pages of the documentation, the doctor's phone")
struct BriefRequestTests {
    /// Says "200" to each request, and leaves the connection open.
    private final class Yes: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    /// Sends all of it, part by part, for as long as it is taken; what was answered until the other side hung up.
    private func answer(to parts: some Sequence<String> & Sendable, at port: Int, hangsUp: Bool) async throws -> String
    {
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await client.executeThenClose { inbound, outbound in
            do {
                for part in parts { try await outbound.write(ByteBuffer(string: part)) }
            } catch {
                // It hung up amid what was said.
            }
            var heard = ""
            do {
                for try await bytes in inbound {
                    heard += String(buffer: bytes)
                    if !hangsUp, heard.hasSuffix("\r\n\r\n") { break }
                }
            } catch {
                // Bytes were under way when it hung up.
            }
            return heard
        }
    }

    @Test("Headers without end are hung up on, and never answered; a request beside them is", .timeLimit(.minutes(1)))
    func headersWithoutEnd() async throws {
        // Nobody is let go for his time here.
        let door = try await ServerBootstrap.briefRequests(atMost: 16, within: .minutes(10)) { Yes() }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(door.localAddress?.port)
        let begin = ["GET /metrics HTTP/1.1\r\nHost: localhost\r\n"]
        let fields = (0..<256).map { "X-\($0): \(String(repeating: "a", count: 8_000))\r\n" }
        #expect(try await answer(to: begin + fields + ["\r\n"], at: port, hangsUp: true) == "")
        #expect(try await answer(to: begin + ["\r\n"], at: port, hangsUp: false).hasPrefix("HTTP/1.1 200"))
        try await door.close()
    }

    @Test("Where figures are served at an IPv6 address is told as a URL says it, and so is where they cannot be")
    func metricsAddress() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            await #expect {
                try await MetricsServer.open(host: "2001:db8::1", port: 9_464, room: room) { _ in true }
            } throws: { ($0 as? RoomError)?.message.contains("served at [2001:db8::1]:9464 ") == true }
            guard hasIPv6 else { return }
            let metrics = try await MetricsServer.open(host: "::1", port: 0, room: room) { _ in true }
            #expect(metrics.address.hasPrefix("[::1]:") && !metrics.address.hasSuffix(":0"))
            await metrics.shutDown()
        }
    }
}
