import NIOCore

/// Answers whoever speaks plain HTTP to a port of TLS: the same page is there by `https://`, which people leave out when
/// they type an address from a big screen.
///
/// Stands before TLS until the first byte came, of which a TLS client's is none of a method's letters, and then leaves.
/// Bounded: what is no whole head within ``mostBytes`` is closed; the time, as for everybody, by the handshake's limit.
final class PlainRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let mostBytes = 4_096

    /// What came of a plain request; `nil` while nobody knows whether it is one.
    private var head: ByteBuffer?
    private var isAnswered = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isAnswered { return }
        var bytes = unwrapInboundIn(data)
        guard head != nil || bytes.readableBytesView.first.map(Self.isLetter) == true else {
            guard bytes.readableBytes > 0 else { return }
            context.fireChannelRead(data)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            return
        }
        head.setOrWriteBuffer(&bytes)
        guard let head, head.readableBytes <= Self.mostBytes else { return close(context) }
        let text = String(buffer: head)
        // Swift takes CR LF for one character.
        guard text.contains("\r\n\r\n") || text.contains("\n\n") else { return }
        guard let address = Self.secureAddress(text) else { return close(context) }
        isAnswered = true
        let page = "This room is at \(address)\n"
        let answer = """
            HTTP/1.1 308 Permanent Redirect\r
            Location: \(address)\r
            Cache-Control: no-store\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(page.utf8.count)\r
            Connection: close\r
            \r
            \(page)
            """
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: answer)))
            .whenComplete { _ in channel.close(promise: nil) }
    }

    private func close(_ context: ChannelHandlerContext) {
        isAnswered = true
        context.close(promise: nil)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    /// Where a request's page is by TLS, by its target and its `Host` (RFC 9112, sections 3.2 and 3.3); `nil` for what names no
    /// place that could stand in a header as it is.
    static func secureAddress(_ head: String) -> String? {
        let lines = head.split(whereSeparator: \.isNewline)
        let request = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard request.count == 3, request[2].hasPrefix("HTTP/1."), request[1].hasPrefix("/"),
            request[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
        guard hosts.count == 1, let words = hosts.first?.dropFirst(5).split(whereSeparator: { " \t".contains($0) }),
            words.count == 1, let host = words.first, host.utf8.count <= 255, host.utf8.allSatisfy(isOfHost)
        else { return nil }
        return "https://\(host)\(request[1])"
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: isLetter(byte) || ".-:[]".utf8.contains(byte)
        }
    }
}
