import NIOCore
import NIOEmbedded
import Testing

@testable import ControlPort

@Suite("Who speaks plain HTTP to the port of TLS")
struct PlainRequestTests {
    /// What is answered, and handed on to TLS, of bytes that come in these pieces; and whether the connection stays.
    private static func send(_ pieces: [String]) throws -> (answer: String, toTLS: String, isOpen: Bool) {
        let channel = EmbeddedChannel(handler: PlainRequest())
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/plain")).wait()
        for piece in pieces { try channel.writeInbound(ByteBuffer(string: piece)) }
        var (answer, toTLS) = ("", "")
        while let sent = try channel.readOutbound(as: ByteBuffer.self) { answer += String(buffer: sent) }
        while let sent = try channel.readInbound(as: ByteBuffer.self) { toTLS += String(buffer: sent) }
        return (answer, toTLS, channel.isActive)
    }

    @Test("is told where the page is by https, however its request is cut up, and let go")
    func told() throws {
        let request = "GET /operator?a=b HTTP/1.1\r\nAccept: */*\r\nhost: \t10.0.0.5:7777 \r\n\r\n"
        for pieces in [[request], request.map(String.init)] {
            let told = try Self.send(pieces + ["GET / HTTP/1.1\r\n"])
            #expect(told.answer.hasPrefix("HTTP/1.1 308 "))
            #expect(told.answer.contains("\r\nLocation: https://10.0.0.5:7777/operator?a=b\r\n"))
            #expect(told.answer.split(separator: "HTTP/1.1").count == 1)
            #expect(told.toTLS == "" && !told.isOpen)
        }
    }

    @Test("and TLS itself comes through as it is, whatever it holds later")
    func tls() throws {
        let pieces = ["\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "more"]
        let told = try Self.send(pieces)
        #expect(told.toTLS == pieces.joined() && told.answer == "" && told.isOpen)
    }

    @Test(
        "and names no place that a header could bear is closed without a word",
        arguments: [
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a/@b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: ä\r\n\r\n", "GET //x\u{1} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET / SIP/2.0\r\nHost: a\r\n\r\n", "A\r\n\r\n",
            "GET /" + String(repeating: "x", count: 5_000),
        ])
    func nowhere(_ request: String) throws {
        let told = try Self.send([request])
        #expect(told.answer == "" && told.toTLS == "" && !told.isOpen)
    }
}
