import Connections
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Roomful

/// Serves the files of one folder to browsers of this machine: there is no secret in them, and nothing that can be changed.
struct SiteServer {
    /// The first page.
    let address: String
    private let channel: any Channel

    /// - Throws: ``RoomError`` when the port cannot be had.
    static func open(_ folder: String, port: UInt16) async throws -> SiteServer {
        let bootstrap = ServerBootstrap.briefRequests(atMost: 64, within: .seconds(30)) { SiteHandler(folder) }
        do {
            let channel = try await bootstrap.bind(host: "127.0.0.1", port: Int(port)).get()
            let port = channel.localAddress?.port ?? Int(port)
            return SiteServer(address: "http://127.0.0.1:\(port)/documentation/", channel: channel)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw RoomError(.portInUse, "port \(port) is in use; choose another with --port, or leave it out")
        } catch let error as IOError where error.errnoCode == EACCES {
            throw RoomError(.network, "port \(port) is not allowed to this user; choose one above 1023 with --port")
        }
    }

    func untilClosed() async throws { try await channel.closeFuture.get() }
}

/// Which file of a site a request means.
enum SiteFile {
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript", "css": "text/css", "json": "application/json",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "ico": "image/x-icon", "txt": "text/plain",
    ]

    /// Below the site's folder; `nil` for what leads out of it, or is hidden, or cannot be read as a path.
    static func path(for uri: String) -> String? {
        let asked = uri.prefix { $0 != "?" && $0 != "#" }
        guard asked.first == "/", let path = String(asked).removingPercentEncoding, !path.contains("\0") else {
            return nil
        }
        let parts = path.split(separator: "/")
        guard parts.allSatisfy({ $0.first != "." }) else { return nil }
        return parts.joined(separator: "/")
    }

    static func type(of path: String) -> String {
        types[path.split(separator: ".").last.map(String.init) ?? ""] ?? "application/octet-stream"
    }
}

/// Answers one request and closes.
private final class SiteHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let folder: String
    private var hasAnswered = false

    init(_ folder: String) { self.folder = folder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let request) = unwrapInboundIn(data), !hasAnswered else { return }
        hasAnswered = true
        guard request.method == .GET || request.method == .HEAD else {
            return send(.methodNotAllowed, "text/plain", Data("GET, please.\n".utf8), to: context, withBody: true)
        }
        var (status, body, type) = (HTTPResponseStatus.notFound, Data("There is no such page.\n".utf8), "text/plain")
        if let path = SiteFile.path(for: request.uri) {
            for candidate in [path, path + "/index.html"] {
                guard let content = FileManager.default.contents(atPath: folder + "/" + candidate) else { continue }
                (status, body, type) = (.ok, content, SiteFile.type(of: candidate))
                break
            }
        }
        send(status, type, body, to: context, withBody: request.method == .GET)
    }

    private func send(
        _ status: HTTPResponseStatus, _ type: String, _ body: Data, to context: ChannelHandlerContext, withBody: Bool
    ) {
        let headers: HTTPHeaders = [
            "content-type": type, "content-length": "\(body.count)", "connection": "close",
            "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        let channel = context.channel
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if withBody { channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil) }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
}
