package import Connections
import Datagrams
import Foundation
package import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Synchronization
package import WireProtocol

/// A controller's control connection to one host: TLS 1.3, WebSocket, JSON messages.
///
/// What the host says gathers in ``conversation``; when it is gone, or talks nonsense, `isClosed` is set there.
package final class ControlConnection: Sendable {
    /// How long the TCP connection to one address may take.
    static let connectLimit = TimeAmount.seconds(2)
    /// The longest frame, and the longest message put together from frames, in bytes.
    static let longestMessage = 64 << 10

    let conversation: Watched<Conversation>
    /// The host's IP address, with its TCP port.
    package let address: PeerAddress
    private let channel: any Channel

    private init(channel: any Channel, address: PeerAddress, conversation: Watched<Conversation>) {
        self.channel = channel
        self.address = address
        self.conversation = conversation
    }

    /// Connects, and returns when messages can be exchanged.
    ///
    /// - Parameters:
    ///   - limit: TLS and the upgrade must be done by then, whatever trickles in.
    ///   - handshakes: counts it while they are not, once the host has taken the connection.
    /// - Throws: ``JoinError``: `unreachable`, `untrusted` if `handshake` refused the host, or `notARoom`.
    package static func open(
        _ endpoint: Endpoint, handshake: PinnedHandshake, within limit: Duration = AnswerLimits().opening,
        underWay handshakes: Watched<Int>? = nil
    ) async throws -> ControlConnection {
        let conversation = Watched(Conversation())
        let context = try NIOSSLContext(configuration: PinnedHandshake.configuration())
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(connectLimit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.maxMessagesPerRead, value: 4)
        var reached: (any Channel)?
        let underWay = ChannelsUnderWay()
        let began = ContinuousClock.now
        do {
            let (channel, upgrade) = try await underWay.connect(bootstrap, endpoint) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(
                        context: context, serverHostname: nil, customVerificationCallback: handshake.verification)
                    try channel.pipeline.syncOperations.addHandler(tls)
                    let upgrade = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                        configuration: webSocket(to: endpoint, hearing: conversation))
                    return (channel, upgrade)
                }
            }
            reached = channel
            handshakes?.change { $0 += 1 }
            defer { handshakes?.change { $0 -= 1 } }
            // A host that says no at once has closed the connection before anybody asks.
            let address = channel.remoteAddress.flatMap(PeerAddress.init)
            try await finished(upgrade, within: TimeAmount(limit))
            guard let address else { throw ChannelError.ioOnClosedChannel }
            return ControlConnection(channel: channel, address: address, conversation: conversation)
        } catch {
            reached?.close(promise: nil)
            try Task.checkCancellation()
            if case .failure(let identity)? = handshake.outcome { throw JoinError(identity) }
            if reached != nil, case ChannelError.connectTimeout? = error as? ChannelError {
                throw tooSlow(endpoint, limit)
            }
            throw reached == nil ? unreachable(endpoint, error) : notARoom(endpoint, after: ContinuousClock.now - began)
        }
    }

    /// Says something, if the host still listens.
    package func send(_ message: ControlMessage) { ConversationHandler.write(message, to: channel) }

    /// Ends the connection after what was said on it; waits half a second for the host to agree.
    package func close() async {
        let gone = channel.eventLoop.makePromise(of: Void.self)
        channel.closeFuture.cascade(to: gone)
        channel.eventLoop.scheduleTask(in: .milliseconds(500)) { gone.succeed() }
        ConversationHandler.close(channel)
        try? await gone.futureResult.get()
    }

    private static func webSocket(
        to endpoint: Endpoint, hearing conversation: Watched<Conversation>
    ) -> NIOUpgradableHTTPClientPipelineConfiguration<Void> {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/control",
            headers: ["Host": endpoint.hostHeader, "Content-Length": "0"])
        let upgrader = NIOTypedWebSocketClientUpgrader<Void>(maxFrameSize: longestMessage) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 16,
                        maxAccumulatedFrameSize: longestMessage))
                try pipeline.addHandler(ConversationHandler(conversation))
            }
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader],
                notUpgradingCompletionHandler: { $0.eventLoop.makeFailedFuture(ChannelError.operationUnsupported) }))
        // The host speaks first: its greeting may come together with the answer to the upgrade.
        configuration.leftOverBytesStrategy = .forwardBytes
        return configuration
    }

    private static func unreachable(_ endpoint: Endpoint, _ error: any Error) -> JoinError {
        let reason: String =
            switch error {
            case ChannelError.connectTimeout: "nothing answers"
            case let error as NIOConnectionError where error.connectionErrors.isEmpty: "there is no such host"
            case let error as NIOConnectionError: described(error.connectionErrors[0].error)
            default: described(error)
            }
        return JoinError(
            .unreachable, "cannot reach \(endpoint): \(reason); is the host running, and on this network?")
    }

    private static func described(_ error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: "nothing answers"
        default: "\(error)"
        }
    }

    /// It took the connection, and then said nothing: a host that gets no processor time does that, too.
    private static func tooSlow(_ endpoint: Endpoint, _ limit: Duration) -> JoinError {
        JoinError(
            .unreachable,
            "\(endpoint) took the connection, but has not answered within \(limit.components.seconds) s; "
                + whyLate, isLate: true)
    }

    /// Who speaks otherwise says so at once; a starved room's own limit on handshakes ends them after seconds.
    private static func notARoom(_ endpoint: Endpoint, after time: Duration) -> JoinError {
        guard time > .seconds(1) else {
            return JoinError(.notARoom, "\(endpoint) answers, but not as a room that speaks TLS 1.3; check the address")
        }
        return JoinError(
            .notARoom,
            "\(endpoint) took the connection, and closed it \(time.components.seconds) s later without an answer; "
                + whyLate, isLate: true)
    }

    /// A room's certificates take packets of full length, which a narrow place may drop without a word.
    private static let whyLate =
        "is its machine overloaded, does something on the way drop long packets (MTU), or is that no room?"
}

/// Channels that are being connected, of which a dead address's takes its time: who gives up does not wait for that.
private final class ChannelsUnderWay: Sendable {
    /// `nil` once nobody waits any more.
    private let channels = Mutex<[any Channel]?>([])

    /// - Throws: what the bootstrap throws; soon, where the task is cancelled.
    func connect<Output: Sendable>(
        _ bootstrap: ClientBootstrap, _ endpoint: Endpoint,
        _ prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
    ) async throws -> Output {
        try await withTaskCancellationHandler {
            let begin = { @Sendable [self] (channel: any Channel) in
                let isAwaited = channels.withLock { $0?.append(channel) != nil }
                if !isAwaited { channel.close(promise: nil) }
                return prepare(channel)
            }
            // An address needs no resolver, nor a thread to ask it.
            if let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port) {
                return try await bootstrap.connect(to: address, channelInitializer: begin)
            }
            return try await bootstrap.connect(
                host: endpoint.host, port: endpoint.port, channelInitializer: begin)
        } onCancel: {
            let channels = channels.withLock { channels in
                defer { channels = nil }
                return channels ?? []
            }
            for channel in channels { channel.close(promise: nil) }
        }
    }
}

/// Waits for `future` until `limit` has passed or the task is cancelled: closing the channel instead would wait for the
/// other side's TLS.
private func finished(_ future: EventLoopFuture<Void>, within limit: TimeAmount) async throws {
    let promise = future.eventLoop.makePromise(of: Void.self)
    let timer = future.eventLoop.scheduleTask(in: limit) { promise.fail(ChannelError.connectTimeout(limit)) }
    future.cascade(to: promise)
    try await withTaskCancellationHandler {
        try await promise.futureResult.get()
    } onCancel: {
        promise.fail(CancellationError())
    }
    timer.cancel()
}
