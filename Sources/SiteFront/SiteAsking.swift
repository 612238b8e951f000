import Foundation
package import RoomRecords
package import SiteBroker
package import SiteRecords
import WireProtocol

extension BrokerConnection {
    /// Has a room of the site carry out what its operator asks, and answers it.
    ///
    /// - Throws: `RoomError` when the room says no or does not answer, else ``BrokerError``.
    package func ask(_ request: OperatorRequest, of room: SiteRoom, _ subjects: SiteSubjects) async throws
        -> OperatorReply
    {
        // An invitation, and a move, is answered when it has ended.
        let patience: Duration =
            switch request.task {
            case .invite: Self.patience(request.timeout ?? 120_000, andMore: .seconds(5))
            case .move: Self.patience(request.timeout ?? 60_000, andMore: .seconds(15))
            default: .seconds(10)
            }
        let message: BrokerMessage
        do {
            message = try await self.request(
                subjects.ask(room.room), Array(try JSONEncoder().encode(request)), within: patience)
        } catch let error as BrokerError where error.code == .nobodyHears {
            throw RoomError(
                .closed, "\"\(room.name)\" on \(room.host) answers nobody: it has closed, or lost the broker")
        } catch let error as BrokerError where error.code == .timedOut {
            throw BrokerError(
                .timedOut,
                "\"\(room.name)\" on \(room.host) did not answer in time, by \(place.address): "
                    + "it closes, goes to another host, or has lost the broker"
            )
        }
        guard let json = try? printableJSON(Data(message.payload), keepsLines: true),
            let reply = try? JSONDecoder().decode(OperatorReply.self, from: json)
        else {
            throw RoomError(.network, "\"\(room.name)\" answered what this version does not understand")
        }
        if let failure = reply.error { throw failure.error }
        return reply
    }

    /// How long an answer is waited for. What was asked for may be any number: whether it is one, the room says.
    private static func patience(_ milliseconds: Double, andMore more: Duration) -> Duration {
        let longest = 600_000.0
        return .milliseconds(Int(milliseconds.isNaN ? 0 : min(max(milliseconds, 0), longest))) + more
    }
}
