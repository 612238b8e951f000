import Foundation
import NIOHTTP1
import RoomEngine
import RoomRecords
import WireProtocol

/// A command that came by the web: the operator's own vocabulary, of which a game may use a part.
enum WebCommand {
    /// Why it was not carried out.
    enum Refusal: Error, Sendable {
        case unreadable
        case notAllowed(OperatorRequest.Task)
        case failed(RoomError)

        var answer: WebAnswer {
            switch self {
            case .unreadable: .json(reply, status: .badRequest)
            case .notAllowed: .json(reply, status: .forbidden)
            case .failed(let error): .failure(error)
            }
        }

        var reply: OperatorReply {
            switch self {
            case .unreadable:
                OperatorReply(RoomError(.badOption, "that is no command; Documentation/WEB.md lists them all"))
            case .notAllowed(let task):
                OperatorReply(
                    error: .init(
                        code: "notAllowed", message: "only the operator may \(task.rawValue): use the operator's token",
                        candidates: []))
            case .failed(let error): OperatorReply(error)
            }
        }
    }

    static func carryOut(
        _ json: Data, for role: WebPolicy.Role, in room: any HostedRoom
    ) async -> Result<OperatorReply, Refusal> {
        guard let request = try? JSONDecoder().decode(OperatorRequest.self, from: json), request.task != .events else {
            return .failure(.unreadable)
        }
        guard request.task.isAllowed(to: role) else { return .failure(.notAllowed(request.task)) }
        // A page names no file of the host's.
        guard request.task != .recordStart else {
            return .failure(
                .failed(RoomError(.badOption, "recordings begin on the host's own machine: roomful record start FILE")))
        }
        do {
            return .success(try await room.answer(request))
        } catch let error as RoomError {
            return .failure(.failed(error))
        } catch {
            return .failure(.failed(RoomError(.network, "\(error)")))
        }
    }
}

extension OperatorRequest.Task {
    /// Whether it may be asked by this role. The ticket holds the room's code: a game shows it on its big screen, but not
    /// to any program of any user of this machine, as loopback alone would.
    func isAllowed(to role: WebPolicy.Role) -> Bool {
        switch self {
        case .status, .peers, .latency, .identify, .rezero, .play, .send, .taught, .mark, .detect: role >= .game
        case .ticket: role >= .trustedGame
        default: role == .operates
        }
    }
}
