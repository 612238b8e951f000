import Foundation
import NIOHTTP1

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
        _ json: Data, for role: WebPolicy.Role, in room: Room
    ) async -> Result<OperatorReply, Refusal> {
        guard let request = try? JSONDecoder().decode(OperatorRequest.self, from: json), request.task != .events else {
            return .failure(.unreadable)
        }
        guard role == .operates || request.task.isForGames else { return .failure(.notAllowed(request.task)) }
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
    /// Whether a game may ask it, too.
    var isForGames: Bool {
        switch self {
        case .status, .peers, .latency, .identify, .rezero, .play, .send, .taught: true
        default: false
        }
    }
}
