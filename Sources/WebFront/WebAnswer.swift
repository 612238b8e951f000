import Datagrams
import Foundation
import Identity
package import NIOCore
package import NIOHTTP1
import RoomRecords
import WireProtocol

/// What the site answers.
package enum WebAnswer: Sendable {
    case whole(WebDocument)
    /// Server-sent events for as long as the connection lives: handed on once the head is written.
    case stream(@Sendable (any Channel) -> Void)
}

/// An answer with its body.
package struct WebDocument: Sendable {
    package var status: HTTPResponseStatus = .ok
    package var headers = HTTPHeaders()
    package var body = ByteBuffer()
    /// In place of `body`: read while it is sent, region by region.
    package var file: WebFile?

    var length: Int { file?.size ?? body.readableBytes }

    init(status: HTTPResponseStatus = .ok, type: String? = nil, body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.body = body
        if let type { headers.add(name: "content-type", value: type) }
    }
}

extension WebAnswer {
    /// A JSON object.
    package static func json(_ object: some Encodable, status: HTTPResponseStatus = .ok) -> WebAnswer {
        guard let json = try? JSONEncoder().encode(object) else {
            return .whole(WebDocument(status: .internalServerError))
        }
        var document = WebDocument(status: status, type: "application/json", body: ByteBuffer(bytes: json))
        document.headers.add(name: "cache-control", value: "no-store")
        return .whole(document)
    }

    static func failure(_ error: RoomError) -> WebAnswer { json(OperatorReply(error), status: error.code.webStatus) }

    /// A refusal that is no error of the room's: where, who, how.
    static func refusal(_ status: HTTPResponseStatus, _ code: String, _ message: String) -> WebAnswer {
        json(OperatorReply(error: OperatorReply.Failure(code: code, message: message)), status: status)
    }

    static let done = WebAnswer.whole(WebDocument(status: .noContent))
}

extension RoomError.Code {
    fileprivate var webStatus: HTTPResponseStatus {
        switch self {
        case .notFound, .nobodyAsks: .notFound
        case .badOption, .ambiguous: .badRequest
        case .full: .conflict
        case .closed: .serviceUnavailable
        default: .internalServerError
        }
    }
}
