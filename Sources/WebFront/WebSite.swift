package import ControlPort
import Datagrams
import Foundation
package import NIOCore
import NIOHTTP1
import NIOPosix
package import RoomRecords
import Synchronization
package import WireProtocol

/// Everything that a room answers to browsers and games, whichever of its doors they come in by.
///
/// Nothing here decides about players: it checks who asks, hands commands to the room, and events to whoever listens.
package final class WebSite: Sendable {
    /// The longest body of a request, in bytes.
    static let longestBody = 65_536

    /// Who may ask what, now.
    package var policy: WebPolicy { standing.withLock { $0.policy } }
    /// What is served, now.
    package var pages: WebPages { standing.withLock { $0.pages } }
    private let standing: Mutex<(policy: WebPolicy, pages: WebPages)>
    package let conversations: Conversations
    /// Subscriptions that were asked for by POST and wait for their stream.
    let subscriptions = OneTimeIDs<(wish: EventSubscription, role: WebPolicy.Role)>()
    let posts: PostSessions
    let transfers = FileTransfers()
    /// The room that answers.
    package let room: any HostedRoom
    /// The site that the room belongs to, if it belongs to one.
    let desk: (any SiteDesk)?
    private let jobs = AsyncStream.makeStream(of: (@concurrent @Sendable () async -> Void).self)

    package init(
        room: any HostedRoom, desk: (any SiteDesk)? = nil, policy: WebPolicy, pages: WebPages,
        conversations: Conversations
    ) {
        self.room = room
        self.desk = desk
        standing = Mutex((policy, pages))
        self.conversations = conversations
        posts = PostSessions(conversations)
    }

    /// Serves these pages by this policy from the next request on.
    package func adopt(_ policy: WebPolicy, _ pages: WebPages) { standing.withLock { $0 = (policy, pages) } }

    /// Follows events for whoever subscribed, until the room closes.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await job in jobs.stream { group.addTask { await job() } }
            group.cancelAll()
        }
    }

    /// No more subscriptions; those that run are ended.
    package func close() { jobs.continuation.finish() }

    /// Something that goes on for as long as a connection lives; false when the room has closed.
    func goOn(_ job: @escaping @concurrent @Sendable () async -> Void) -> Bool {
        if case .terminated = jobs.continuation.yield(job) { return false }
        return true
    }

    // MARK: Requests

    package func answer(_ request: WebRequest, from conversation: ConversationID, on loop: any EventLoop)
        -> EventLoopFuture<
            WebAnswer
        >
    {
        let isController =
            request.path == "/api/controller" || request.path == "/api/lobby"
            || request.path.hasPrefix("/api/controller/") && request.method == .POST
        if let refusal = policy.refusal(request, mustNameOrigin: isController) {
            return loop.makeSucceededFuture(refusal)
        }
        if request.isForServiceWorker, !request.isForGame { return loop.makeSucceededFuture(.endingServiceWorker) }
        switch (request.method, request.path) {
        case (.OPTIONS, "/api/events"), (.OPTIONS, "/api/commands"): return loop.makeSucceededFuture(.done)
        case (.POST, "/api/commands"): return command(request, from: conversation, on: loop)
        case (.POST, "/api/lobby"): return guide(request, from: conversation, on: loop)
        case (.POST, "/api/events"): return loop.makeSucceededFuture(reserveEvents(request, from: conversation))
        case (.GET, "/api/events"): return loop.makeSucceededFuture(streamEvents(request, on: conversation))
        case (.POST, "/api/controller/open"): return loop.makeSucceededFuture(posts.open(on: conversation))
        case (.GET, "/api/controller/stream"): return loop.makeSucceededFuture(posts.stream(request, on: conversation))
        case (.POST, "/api/controller/send"): return loop.makeSucceededFuture(posts.take(request, on: conversation))
        case (_, "/control"): return loop.makeSucceededFuture(Self.nativeOnly)
        case (_, let path) where path.hasPrefix("/api/"):
            return loop.makeSucceededFuture(Self.noSuchCall)
        // Browsers ask for it unasked; a page that has one says where.
        case (.GET, "/favicon.ico"): return loop.makeSucceededFuture(.done)
        case _ where pages.mayWait(for: request):
            // This loop carries phones: the disk is waited for elsewhere.
            return NIOThreadPool.singleton.runIfActive(eventLoop: loop) { [pages] in pages.answer(request) }
        default: return loop.makeSucceededFuture(pages.answer(request))
        }
    }

    private func command(
        _ request: WebRequest, from conversation: ConversationID, on loop: any EventLoop
    ) -> EventLoopFuture<WebAnswer> {
        let role = policy.role(of: request.bearer, at: request.arrival)
        guard role > .stranger else { return loop.makeSucceededFuture(WebPolicy.unauthorised) }
        conversations.trust(conversation)
        let body = Data(request.body.readableBytesView)
        return loop.makeFutureWithTask { await WebCommand.carryOut(body, for: role, at: self) }
            .map { result in
                switch result {
                case .success(let reply): .json(reply)
                case .failure(let refusal): refusal.answer
                }
            }
    }

    private func guide(
        _ request: WebRequest, from conversation: ConversationID, on loop: any EventLoop
    ) -> EventLoopFuture<WebAnswer> {
        guard let guest = try? JSONDecoder().decode(LobbyRequest.self, from: Data(request.body.readableBytesView))
        else {
            return loop.makeSucceededFuture(
                .refusal(.badRequest, "badOption", "The body is an object with controller, key and code."))
        }
        let (room, source) = (room, conversations.source(of: conversation))
        return loop.makeFutureWithTask { .json(await room.guide(guest, from: source)) }
    }

    private func reserveEvents(_ request: WebRequest, from conversation: ConversationID) -> WebAnswer {
        guard let wish = EventSubscription(json: Data(request.body.readableBytesView)) else {
            return .refusal(.badRequest, "badOption", "The body is an object such as {\"after\":17,\"motion\":true}.")
        }
        let token = request.bearer ?? wish.token
        let role = policy.role(of: token, at: request.arrival)
        guard role > .stranger else { return WebPolicy.unauthorised }
        if let problem = wish.problem(at: room.identity) { return .failure(problem) }
        conversations.trust(conversation)
        return .json(["stream": subscriptions.keep((wish, role), for: conversations.source(of: conversation)).id])
    }

    private func streamEvents(_ request: WebRequest, on conversation: ConversationID) -> WebAnswer {
        var (wish, role) = (EventSubscription(), policy.role(of: request.bearer, at: request.arrival))
        if let id = request.query("stream") {
            guard let kept = subscriptions.take(id) else {
                return .refusal(
                    .gone, "expired", "A stream's id is good once, and for 10 s: POST /api/events gives another.")
            }
            (wish, role) = kept
        } else {
            guard role > .stranger else { return WebPolicy.unauthorised }
            wish = EventSubscription(query: request)
            if let problem = wish.problem(at: room.identity) { return .failure(problem) }
        }
        if let last = request.headers.first(name: "last-event-id").flatMap({ EventPlace($0) }) {
            wish.goOn(after: last)
        }
        conversations.trust(conversation)
        let (subscription, listener) = (wish, role)
        return .stream { [self] channel in
            let isTaken = goOn { await EventStream(channel: channel).follow(self, subscription, listener) }
            if !isTaken { channel.close(promise: nil) }
        }
    }

    /// Sends what is wanted of this room, of the site or of another room of it, until the listener is gone.
    ///
    /// - Returns: why that cannot be.
    func listen(
        _ wish: EventSubscription, _ role: WebPolicy.Role, on channel: any Channel,
        _ write: @escaping @Sendable (_ place: EventPlace?, _ json: ByteBuffer) async throws -> Void
    ) async -> OperatorReply? {
        guard wish.isElsewhere(than: room.identity) else {
            await RoomListener(room: room, wish: wish, write: write).run(on: channel)
            return nil
        }
        // Any user of this machine may be a game without a token: it hears of this room alone.
        guard role >= .trustedGame else { return OperatorReply(error: WebCommand.needsToken) }
        guard let desk else { return OperatorReply(WebCommand.noSite) }
        return await SiteListener(desk: desk, wish: wish, write: write).run(on: channel)
    }

    static let noSuchCall = WebAnswer.refusal(
        .notFound, "notFound", "There is no such call; Documentation/WEB.md lists them all.")
    static let nativeOnly = WebAnswer.refusal(
        .forbidden, "nativeOnly", "This is the way in for native controllers: a WebSocket without an Origin.")
}
