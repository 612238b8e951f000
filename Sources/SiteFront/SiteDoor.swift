import Foundation
import RoomRecords
import SiteBroker
import WireProtocol

/// Answers operators who ask across the site what the operator's door on the room's own machine answers.
///
/// Who may ask is the broker's to say (its accounts); what may be asked is judged here, as on the operator's page.
struct SiteDoor: Sendable {
    /// So many are answered at once; the next is refused.
    static let most = 16
    let room: any HostedRoom
    /// In a room that can outlive its host: which owner answers.
    let tenure: (any RoomTenure)?

    struct Answer: Sendable {
        var payload: [UInt8]
        /// The room may stand otherwise than before.
        var mayBeNews: Bool
    }

    /// The answer to a command, in at most so many bytes.
    func answer(_ payload: [UInt8], atMost bytes: Int) async -> Answer {
        guard payload.count <= OperatorRequest.longestLine,
            let request = try? JSONDecoder().decode(OperatorRequest.self, from: Data(payload))
        else {
            let problem = RoomError(.badOption, "that is no command that this version knows")
            return Answer(payload: Self.encoded(OperatorReply(problem)), mayBeNews: false)
        }
        var reply = Self.encoded(await reply(to: request))
        if reply.count > bytes {
            let problem = RoomError(
                .full, "the answer has \(reply.count) bytes, and the broker takes \(bytes): ask for one player")
            reply = Self.encoded(OperatorReply(problem))
        }
        return Answer(payload: reply, mayBeNews: !OperatorRequest.questions.contains(request.task))
    }

    static func refusal(_ words: String) -> [UInt8] { encoded(OperatorReply(RoomError(.full, words))) }

    private func reply(to request: OperatorRequest) async -> OperatorReply {
        room.audit(request, by: "site")
        switch request.task {
        // Where the numbers stand and who is here; what follows is read from the site's stream.
        case .events:
            for await hello in await room.events(after: nil, motion: false).records {
                return OperatorReply(event: hello)
            }
            return OperatorReply(RoomError(.closed, "the room has closed"))
        // Whoever is elsewhere names no file of the host's.
        case .recordStart:
            return OperatorReply(
                RoomError(.badOption, "recordings begin on the host's own machine: roomful record start FILE"))
        default: break
        }
        do {
            var reply = try await room.answer(request)
            reply.watermarks?.epoch = tenure?.epoch
            return reply
        } catch {
            return OperatorReply(.of(error))
        }
    }

    private static func encoded(_ reply: OperatorReply) -> [UInt8] {
        (try? JSONEncoder().encode(reply)).map { Array($0) } ?? []
    }
}
