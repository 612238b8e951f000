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

    /// Sends a room's events until it closes, or the client is gone. A slow client loses its own oldest events.
    func follow(_ room: any HostedRoom, _ wish: EventSubscription) async {
        let events = await room.records(after: wish.after, openedAt: wish.openedAt, motion: wish.motion ?? false)
        channel.closeFuture.whenComplete { _ in events.end() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await beat()
                events.end()
            }
            var (filter, lost) = (EventFilter(wish), 0)
            for await event in events {
                if filter.admits(event) {
                    guard let text = Self.text(event, number: event.number), (try? await write(text)) != nil
                    else { break }
                }
                if let word = LostWord(events, told: &lost), let text = Self.text(word) {
                    guard (try? await write(text)) != nil else { break }
                }
            }
            group.cancelAll()
        }
        channel.close(promise: nil)
    }

    /// The same of the whole site, or of another room: a number that it gives is the line's `id`.
    func follow(_ site: WebSite, _ wish: EventSubscription, _ role: WebPolicy.Role) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await beat() }
            let refusal = await site.listen(wish, role, on: channel) { number, json in
                let id = number.map { "id: \($0)\n" } ?? ""
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

    /// `data:` with the event, `id:` with its number, so that a browser that comes back says where it was.
    static func text(_ word: some Encodable, number: Int? = nil) -> String? {
        guard let json = try? JSONEncoder().encode(word) else { return nil }
        let id = number.map { "id: \($0)\n" } ?? ""
        return id + "data: " + String(decoding: json, as: UTF8.self) + "\n\n"
    }

    private func write(_ text: String) async throws {
        try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))))
    }
}
