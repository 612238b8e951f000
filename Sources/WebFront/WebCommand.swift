import Foundation
import NIOCore
import NIOHTTP1
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
                    error: OperatorReply.Failure(
                        code: "notAllowed",
                        message: "only the operator may \(task.rawValue): use the operator's token"))
            case .failed(let error): OperatorReply(error)
            }
        }
    }

    static func carryOut(
        _ json: Data, for role: WebPolicy.Role, at site: WebSite
    ) async -> Result<OperatorReply, Refusal> {
        await carryOut(try? JSONDecoder().decode(OperatorRequest.self, from: json), for: role, at: site)
    }

    /// - Parameter request: `nil` where it could not be read.
    static func carryOut(
        _ request: OperatorRequest?, for role: WebPolicy.Role, at site: WebSite
    ) async -> Result<OperatorReply, Refusal> {
        guard let request, request.task != .events else { return .failure(.unreadable) }
        let isElsewhere = isElsewhere(request, than: site)
        // A game is one room's guest; over others the operator alone decides.
        guard request.task.isAllowed(to: role), !isElsewhere || role == .operates else {
            return .failure(.notAllowed(request.task))
        }
        // A page names no file of the host's.
        guard request.task != .recordStart else {
            return .failure(
                .failed(RoomError(.badOption, "recordings begin on the host's own machine: roomful record start FILE")))
        }
        // What games do all the time is no operator's command.
        if role == .operates { site.room.audit(request, by: "page") }
        do {
            let reply = try await answer(request, isElsewhere: isElsewhere, at: site)
            return .success(role == .operates ? reply : reply.toldToGames)
        } catch {
            return .failure(.failed(.of(error)))
        }
    }

    /// Hands it to the room's thread, where that alone carries it out. What is handed over one after the other is carried out
    /// in that order, and answered in it.
    ///
    /// - Returns: `nil` where others have a part in it, where it is refused, and where the room takes no more: then
    ///   ``carryOut(_:for:at:)`` says what becomes of it.
    static func handOver(
        _ request: OperatorRequest?, for role: WebPolicy.Role, at site: WebSite, on loop: any EventLoop
    ) -> EventLoopFuture<Result<OperatorReply, Refusal>>? {
        guard let request, let command = request.command, request.task.isAllowed(to: role),
            !isElsewhere(request, than: site)
        else { return nil }
        if role == .operates { site.room.audit(request, by: "page") }
        let promise = loop.makePromise(of: Result<OperatorReply, Refusal>.self)
        let isTaken = site.room.ask(command) { answer in
            promise.succeed(answer.map { OperatorReply($0) }.mapError { Refusal.failed($0) })
        }
        guard isTaken else {
            promise.fail(CancellationError())  // A promise is kept or broken; nobody hears of this one.
            return nil
        }
        return promise.futureResult
    }

    private static func isElsewhere(_ request: OperatorRequest, than site: WebSite) -> Bool {
        request.task != .site && request.room.map { $0 != site.room.identity } ?? false
    }

    private static func answer(_ request: OperatorRequest, isElsewhere: Bool, at site: WebSite) async throws
        -> OperatorReply
    {
        guard isElsewhere || request.task == .site else { return try await site.room.answer(request) }
        guard let desk = site.desk else { throw noSite }
        if isElsewhere, let room = request.room {
            var passedOn = request
            passedOn.room = nil
            return try await desk.ask(passedOn, of: room)
        }
        var reply = OperatorReply()
        reply.site = await desk.overview()
        return reply
    }

    /// Whether its answer waits for people, other hosts or a disk, and not for the room alone.
    static func mayTakeLong(_ request: OperatorRequest?, at site: WebSite) -> Bool {
        guard let request else { return false }
        switch request.task {
        case .invite, .move, .site, .recordStop, .reload: return true
        default: return isElsewhere(request, than: site)
        }
    }

    static let noSite = RoomError(
        .badOption, "this room belongs to no site: roomful host … --site nats://HOST:PORT opens one that does")
    static let needsToken = OperatorReply.Failure(
        code: "wrongToken", message: "The whole site is told to whoever shows a token: the game's or the operator's.")
}

extension OperatorRequest.Task {
    /// Whether it may be asked by this role. The ticket holds the room's code: a game shows it on its big screen, but not
    /// to any program of any user of this machine, as loopback alone would.
    func isAllowed(to role: WebPolicy.Role) -> Bool {
        switch self {
        case .status, .peers, .latency, .identify, .rezero, .play, .send, .taught, .mark, .detect: role >= .game
        case .ticket, .site: role >= .trustedGame
        default: role == .operates
        }
    }
}
