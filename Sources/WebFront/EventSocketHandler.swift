import ControlPort
import Datagrams
import Foundation
import Identity
import Logging
import NIOCore
import NIOWebSocket
import RoomRecords
import WireProtocol

/// A game's or an operator's WebSocket: the first message says who it is and what it wants to hear, later ones are
/// commands. They are carried out in the order in which they came; beside them goes what waits for more than the room.
final class EventSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private static let firstMessageLimit: TimeAmount = .seconds(5)
    /// As many as requests on a connection, and as many may wait for the one before.
    private static let commandsPerSecond = 500
    /// Who asks so often is let go: it heeds no answer.
    private static let mostPerSecond = 10 * commandsPerSecond
    /// So many of those that the room's thread alone carries out are handed to it at once: each waits for its turn, which
    /// may be 5 ms away.
    private static let mostAtOnce = 16
    /// Of those that wait for people, other hosts or a disk.
    private static let mostBeside = 128

    private let site: WebSite
    private let conversation: ConversationID
    private let arrival: WebArrival
    private var role: WebPolicy.Role?
    private var commands = SecondCount(limit: commandsPerSecond)
    private var messages = SecondCount(limit: mostPerSecond)
    private var isLetGo = false
    /// Those that wait for the ones before.
    private var waiting = CircularBuffer<Asked>()
    /// How many are being carried out; one that more than the room's thread has a part in counts as all that may be.
    private var underway = 0
    /// How many go on beside them.
    private var beside = 0
    private var limit: Scheduled<Void>?

    init(site: WebSite, conversation: ConversationID, arrival: WebArrival) {
        self.site = site
        self.conversation = conversation
        self.arrival = arrival
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        site.conversations.opened(conversation, WebSocketLine(channel: channel))
        limit = context.eventLoop.scheduleTask(in: Self.firstMessageLimit) { channel.writeClose(.policyViolation) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let channel = context.channel
        guard frame.opcode == .text else { return channel.writeClose(.unacceptableData) }
        let json = Data(frame.unmaskedData.readableBytesView)
        guard let role else { return subscribe(json, channel) }
        guard !isLetGo else { return }
        // Who asks on and reads nothing would have the answers pile up here.
        guard channel.isWritable, messages.admit() else { return letGo(channel) }
        let asked = Asked(json)
        guard asked.isIDUsable else { return channel.writeText(EventSocketReply(EventSocketReply.unusableID)) }
        guard commands.admit() else {
            return refuse(asked, on: channel, "At most \(Self.commandsPerSecond) commands a second")
        }
        take(asked, role, channel)
    }

    private func subscribe(_ json: Data, _ channel: any Channel) {
        limit?.cancel()
        guard let wish = EventSubscription(json: json) else { return refuse(Self.unreadable, channel) }
        let role = site.policy.role(of: wish.token, at: arrival)
        guard role > .stranger else {
            let failure = OperatorReply.Failure(
                code: "wrongToken", message: "The token is missing or wrong: open the page by its whole link.")
            channel.writeText(EventSocketReply(OperatorReply(error: failure)))
            return channel.writeClose(.policyViolation)
        }
        if let problem = wish.problem(at: site.room.identity) { return refuse(problem, channel) }
        self.role = role
        site.conversations.trust(conversation)
        let isTaken = site.goOn { [site] in await Self.follow(site, wish, role, on: channel) }
        if !isTaken { channel.writeClose(.goingAway) }
    }

    private static let unreadable = RoomError(
        .badOption,
        "the first message cannot be read: it is an object such as {\"token\":\"…\",\"motion\":true,\"types\":[\"gesture\"]}; "
            + "Documentation/WEB.md, section 3, has its fields")

    /// What it asked for first can never be.
    private func refuse(_ problem: RoomError, _ channel: any Channel) {
        channel.writeText(EventSocketReply(OperatorReply(problem)))
        channel.writeClose(.unacceptableData)
    }

    /// Sends events until the room closes, or the other side is gone.
    private static func follow(
        _ site: WebSite, _ wish: EventSubscription, _ role: WebPolicy.Role, on channel: any Channel
    ) async {
        let refusal = await site.listen(wish, role, on: channel) { _, json in
            try await channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: json))
        }
        channel.eventLoop.execute {
            if let refusal { channel.writeText(EventSocketReply(refusal)) }
            channel.writeClose(.goingAway)
        }
    }

    // MARK: Commands

    private struct Asked {
        let id: EventSocketReply.ID?
        /// `nil` where it could not be read.
        let request: OperatorRequest?
        /// Whether an answer could bear its id.
        let isIDUsable: Bool

        init(_ json: Data) {
            let mark = try? JSONDecoder().decode(EventSocketReply.Mark.self, from: json)
            id = mark?.id
            request = try? JSONDecoder().decode(OperatorRequest.self, from: json)
            isIDUsable = mark != nil || request == nil
        }
    }

    private func take(_ asked: Asked, _ role: WebPolicy.Role, _ channel: any Channel) {
        guard !WebCommand.mayTakeLong(asked.request, at: site) else {
            guard beside < Self.mostBeside else {
                return refuse(asked, on: channel, "\(beside) commands of this socket wait for others than the room")
            }
            beside += 1
            return answer(asked, with: carryOut(asked, role, channel), on: channel) { [self] in beside -= 1 }
        }
        guard waiting.count < Self.commandsPerSecond else {
            return refuse(asked, on: channel, "\(waiting.count) commands of this socket wait already")
        }
        waiting.append(asked)
        carryOutWaiting(role, channel)
    }

    private func carryOutWaiting(_ role: WebPolicy.Role, _ channel: any Channel) {
        while underway < Self.mostAtOnce, let next = waiting.first {
            let handedOver = WebCommand.handOver(next.request, for: role, at: site, on: channel.eventLoop)
            guard handedOver != nil || underway == 0 else { return }
            waiting.removeFirst()
            let share = handedOver == nil ? Self.mostAtOnce : 1
            underway += share
            answer(next, with: handedOver ?? carryOut(next, role, channel), on: channel) { [self] in
                underway -= share
                carryOutWaiting(role, channel)
            }
        }
    }

    private typealias Outcome = EventLoopFuture<Result<OperatorReply, WebCommand.Refusal>>

    private func carryOut(_ asked: Asked, _ role: WebPolicy.Role, _ channel: any Channel) -> Outcome {
        let request = asked.request
        return channel.eventLoop.makeFutureWithTask { [site] in
            await WebCommand.carryOut(request, for: role, at: site)
        }
    }

    private func answer(
        _ asked: Asked, with outcome: Outcome, on channel: any Channel, whenDone: @escaping () -> Void
    ) {
        outcome.assumeIsolated().whenSuccess { result in
            switch result {
            case .success(let reply): channel.writeText(EventSocketReply(reply, id: asked.id))
            case .failure(let refusal): channel.writeText(EventSocketReply(refusal.reply, id: asked.id))
            }
            whenDone()
        }
    }

    private func refuse(_ asked: Asked, on channel: any Channel, _ words: String) {
        let failure = OperatorReply.Failure(code: "tooOften", message: "\(words): this one is not carried out.")
        channel.writeText(EventSocketReply(OperatorReply(error: failure), id: asked.id))
    }

    private func letGo(_ channel: any Channel) {
        isLetGo = true
        let why =
            channel.isWritable ? "asked more than \(Self.mostPerSecond) times in a second" : "asks and reads no answers"
        Logger("roomful.room", ofRoom: site.room.name)
            .notice("a game's or an operator's program \(why), and is let go")
        guard channel.isWritable else { return channel.close(promise: nil) }
        channel.writeClose(.policyViolation)
    }
}
