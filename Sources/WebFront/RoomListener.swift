import Foundation
import NIOCore
import RoomRecords

/// Who hears this room at its door. One that reads slowly loses its own oldest events.
struct RoomListener: Sendable {
    let room: any HostedRoom
    let wish: EventSubscription
    /// Writes one line, and where it has one, the place to go on after.
    let write: @Sendable (_ place: EventPlace?, _ json: ByteBuffer) async throws -> Void

    /// Sends until the room closes, or the listener is gone.
    func run(on channel: any Channel) async {
        let events = await room.records(after: wish.place, motion: wish.motion ?? false)
        channel.closeFuture.whenComplete { _ in events.end() }
        var (filter, lost, place) = (EventFilter(wish), 0, EventPlace(0))
        for await event in events {
            if filter.admits(event), !(await tell(event, place.pass(event) ? place : nil)) { return }
            if let word = LostWord(events, told: &lost), !(await tell(word)) { return }
        }
    }

    /// Whether the listener still takes what is written; what JSON cannot hold is left out.
    private func tell(_ word: some Encodable & Sendable, _ place: EventPlace? = nil) async -> Bool {
        guard let json = try? JSONEncoder().encode(word) else { return true }
        return (try? await write(place, ByteBuffer(bytes: json))) != nil
    }
}
