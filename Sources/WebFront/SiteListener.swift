import Foundation
import NIOCore
import RoomRecords
import WireProtocol

/// Who hears the whole site, or another of its rooms, at this room's door.
///
/// Lines go out one after the other: whoever reads slowly makes the broker wait with that listener's records alone, and one
/// that takes nothing for 30 s is let go as at every door.
struct SiteListener: Sendable {
    let desk: any SiteDesk
    let wish: EventSubscription
    /// Writes one line, and where it has one, the place to go on after.
    let write: @Sendable (_ place: EventPlace?, _ json: ByteBuffer) async throws -> Void

    /// Sends until the listener is gone; answers why it cannot, where it cannot.
    func run(on channel: any Channel) async -> OperatorReply? {
        let work = Task { try await follow() }
        channel.closeFuture.whenComplete { _ in work.cancel() }
        return await withTaskCancellationHandler {
            do {
                try await work.value
                return nil
            } catch let error as RoomError {
                return OperatorReply(error)
            } catch {
                return nil
            }
        } onCancel: {
            work.cancel()
        }
    }

    private func follow() async throws {
        if wish.site != true, let room = wish.room {
            let filter = SharedFilter(wish)
            return try await desk.follow(room: room, motion: wish.motion ?? false) { event in
                guard filter.admits(event) else { return }
                try await write(event.number.map { EventPlace($0) }, ByteBuffer(bytes: try JSONEncoder().encode(event)))
            }
        }
        let place = wish.after.map { UInt64(max($0, 0)) }
        try await desk.follow(SiteWish(after: place, room: wish.room, types: wish.types)) { line in
            let number = line.sequence.flatMap { Int(exactly: $0) }
            try await write(number.map { EventPlace($0) }, ByteBuffer(bytes: line.json))
        }
    }
}
