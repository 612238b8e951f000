import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import WireProtocol

/// A controller's control connection to one host: TLS 1.3, WebSocket, JSON messages.
///
/// What the host says gathers in ``conversation``; when it is gone, or talks nonsense, `isClosed` is set there.
final class ControlConnection: Sendable {
    /// How long the TCP connection to one address may take.
    static let connectLimit = TimeAmount.seconds(2)
    /// TLS and the upgrade must be done by then, whatever trickles in.
    static let handshakeLimit = TimeAmount.seconds(5)
    /// The longest frame, and the longest message put together from frames, in bytes.
    static let longestMessage = 64 << 10

    let conversation: Watched<Conversation>
    /// The host's IP address, with its TCP port.
    let address: PeerAddress
    private let channel: any Channel

    private init(channel: any Channel, address: PeerAddress, conversation: Watched<Conversation>) {
        self.channel = channel
        self.address = address
        self.conversation = conversation
    }

    /// Connects, and returns when messages can be exchanged.
    ///
    /// - Throws: ``JoinError``: `unreachable`, `untrusted` if `handshake` refused the host, or `notARoom`.
    static func open(_ endpoint: Endpoint, handshake: PinnedHandshake) async throws -> ControlConnection {
        let conversation = Watched(Conversation())
        let context = try NIOSSLContext(configuration: PinnedHandshake.configuration())
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(connectLimit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.maxMessagesPerRead, value: 4)
        var reached: (any Channel)?
        do {
            let (channel, upgrade) = try await bootstrap.connect(host: endpoint.host, port: endpoint.port) { channel in
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
            try await finished(upgrade, within: handshakeLimit)
            guard let address = channel.remoteAddress.flatMap(PeerAddress.init) else {
                throw ChannelError.ioOnClosedChannel
            }
            return ControlConnection(channel: channel, address: address, conversation: conversation)
        } catch {
            reached?.close(promise: nil)
            try Task.checkCancellation()
            if case .failure(let identity)? = handshake.outcome { throw JoinError(identity) }
            throw reached == nil ? unreachable(endpoint, error) : notARoom(endpoint)
        }
    }

    /// Says something, if the host still listens.
    func send(_ message: ControlMessage) { ConversationHandler.write(message, to: channel) }

    /// Ends the connection after what was said on it; waits half a second for the host to agree.
    func close() async {
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

    private static func notARoom(_ endpoint: Endpoint) -> JoinError {
        JoinError(.notARoom, "\(endpoint) answers, but not as a room that speaks TLS 1.3; check the address")
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
