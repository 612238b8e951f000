import Datagrams
import Foundation
import NIOCore
import NIOHTTP1
import RoomRecords

/// Server-sent events (WHATWG HTML, 9.2) on a connection whose head has been written.
struct EventStream: Sendable {
    let channel: any Channel
    /// A lost client shows only when something is written.
    private static let pulse: Duration = .seconds(5)

    /// Sends what is wanted until the room closes, or the client is gone: the place that a line has is its `id`, so that a
    /// browser that comes back says where it was, and in which life of the host.
    func follow(_ site: WebSite, _ wish: EventSubscription, _ role: WebPolicy.Role) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await beat() }
            let refusal = await site.listen(wish, role, on: channel) { place, json in
                let id = place.map { "id: \($0)\n" } ?? ""
                try await write(id + "data: " + String(buffer: json) + "\n\n")
            }
            if let refusal, let json = try? JSONEncoder().encode(EventSocketReply(refusal)) {
                try? await write("data: " + String(decoding: json, as: UTF8.self) + "\n\n")
            }
            group.cancelAll()
        }
        channel.close(promise: nil)
    }

    private func beat() async {
        while !Task.isCancelled, (try? await write(": \n\n")) != nil { try? await Task.sleep(for: Self.pulse) }
    }

    private func write(_ text: String) async throws {
        try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))))
    }
}
