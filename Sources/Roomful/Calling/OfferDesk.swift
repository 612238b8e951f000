import SessionCoordinator
import Synchronization
import WireProtocol

typealias OfferEnd = SessionCoordinator.OfferOutcome

/// An invitation on its way, as the host's side needs it.
struct Call: Sendable {
    let id: OfferID
    let controller: NearbyController
    let message: RoomOffer
    let end: Watched<OfferEnd?>
}

/// The invitations of a room that have not ended: who waits for which end, and the calls that are still to be made.
final class OfferDesk: Sendable {
    private let ends = Mutex<[UInt64: Watched<OfferEnd?>]>([:])
    /// Calls to make, in order.
    let calls: AsyncStream<Call>
    private let continuation: AsyncStream<Call>.Continuation

    init() {
        // The coordinator has 64 open offers at most.
        (calls, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
    }

    /// Where the end of this offer will be told.
    func open(_ id: OfferID) -> Watched<OfferEnd?> {
        ends.withLock { ends in
            let end = Watched<OfferEnd?>(nil)
            ends[id.rawValue] = end
            return end
        }
    }

    /// The one of an offer that is open already.
    func end(of id: OfferID) -> Watched<OfferEnd?>? { ends.withLock { $0[id.rawValue] } }

    /// That no offer came of it.
    func forget(_ id: OfferID) { ends.withLock { $0[id.rawValue] = nil } }

    /// Told by the room's thread, once for each offer.
    func ended(_ id: OfferID, _ outcome: OfferEnd) {
        let end = ends.withLock { $0.removeValue(forKey: id.rawValue) }
        end?.change { $0 = outcome }
    }

    func make(_ call: Call) { continuation.yield(call) }

    func finish() { continuation.finish() }
}
