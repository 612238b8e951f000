import OperatorFront
import RoomRecords

/// A way to a room by which its operator asks: the door on its own machine, or its site's broker.
protocol RoomOperator: Sendable {
    /// Asks one thing.
    ///
    /// - Throws: `RoomError` when the room says no.
    func ask(_ request: OperatorRequest) async throws -> OperatorReply

    /// Follows the room's events until `isMore` says no, or the room closes; `begun` is called once nothing is missed.
    func follow(
        after place: EventPlace?, motion: Bool, _ isMore: (EventRecord, _ lost: Int) throws -> Bool,
        begun: () async throws -> Void
    ) async throws
}

extension RoomOperator {
    func follow(
        after place: EventPlace?, motion: Bool, _ isMore: (EventRecord, _ lost: Int) throws -> Bool
    ) async throws {
        try await follow(after: place, motion: motion, isMore, begun: {})
    }
}

extension OperatorClient: RoomOperator {}
