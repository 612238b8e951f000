package import Connections
package import RoomRecords
package import SessionCoordinator
import Synchronization
package import WireProtocol

/// An invitation on its way, as the host's side needs it.
package struct Call: Sendable {
    package let id: OfferID
    package let controller: NearbyController
    package let message: RoomOffer
    package let end: Watched<OfferOutcome?>
}

/// The invitations of a room that have not ended: who waits for which end, and the calls that are still to be made.
final class OfferDesk: Sendable {
    /// An invitation that has not ended.
    struct Open: Sendable {
        let id: OfferID
        let controller: NearbyController
        let end: Watched<OfferOutcome?>
    }

    /// Oldest first.
    private let open = Mutex<[Open]>([])
    /// Calls to make, in order.
    let calls: AsyncStream<Call>
    private let continuation: AsyncStream<Call>.Continuation

    init() {
        // The coordinator has 64 open offers at most.
        (calls, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
    }

    /// Where the end of this offer will be told.
    func open(_ id: OfferID, to controller: NearbyController) -> Watched<OfferOutcome?> {
        open.withLock { open in
            let end = Watched<OfferOutcome?>(nil)
            open.append(Open(id: id, controller: controller, end: end))
            return end
        }
    }

    /// Those to controllers that are meant.
    func all(where isMeant: (NearbyController) -> Bool) -> [Open] {
        open.withLock { $0.filter { isMeant($0.controller) } }
    }

    /// The one of an offer that is open already.
    func end(of id: OfferID) -> Watched<OfferOutcome?>? { open.withLock { $0.first { $0.id == id }?.end } }

    /// That no offer came of it.
    func forget(_ id: OfferID) { open.withLock { $0.removeAll { $0.id == id } } }

    /// Told by the room's thread, once for each offer that ends before the room.
    func ended(_ id: OfferID, _ outcome: OfferOutcome) {
        let ended = open.withLock { open in open.firstIndex { $0.id == id }.map { open.remove(at: $0) } }
        ended?.end.change { $0 = outcome }
    }

    /// The room's thread has ended, and tells of no end any more: a host that was deposed has ended none of them.
    func endAll() {
        let left = open.withLock { open in
            defer { open = [] }
            return open
        }
        for offer in left {
            offer.end.change { $0 = .refused(Refusal(.closing, message: "The room has closed here.")) }
        }
    }

    func make(_ call: Call) { continuation.yield(call) }

    func finish() { continuation.finish() }
}
