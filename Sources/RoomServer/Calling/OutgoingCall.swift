import Connections
import Datagrams
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import RoomRecords
import SessionCoordinator
import WireProtocol

/// A host's call to a controller that waits: connects, sees who answers, and says one offer to it.
///
/// Whatever the other side does, a call takes bounded time and memory, and its end can be told in words.
struct OutgoingCall: Sendable {
    private static let connectLimit = TimeAmount.seconds(2)
    /// From the connection to the greeting, in all.
    private static let greetingLimit = TimeAmount.seconds(5)
    /// One that breaks off after the offer was heard is tried again.
    private static let mostAttempts = 3
    private static let pause = Duration.seconds(1)
    /// From the offer to the first word about it: that a person is asked is one.
    private static let answerLimit = TimeAmount.seconds(5)

    private typealias Pipe = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// The room's own certificates, which show who calls.
    let context: NIOSSLContext

    init(authority: RoomAuthority) throws { context = try NIOSSLContext(configuration: authority.callConfiguration()) }

    /// Sees who listens at an address.
    ///
    /// - Throws: ``Failure``.
    func meet(at endpoint: Endpoint) async throws(Failure) -> NearbyController {
        let (pipe, handshake) = try await connect(endpoint, expecting: nil)
        return try await Self.explained(endpoint, handshake) {
            try await Self.converse(on: pipe) { talk, _ in
                let greeting = try await talk.greeting()
                return NearbyController(
                    id: greeting.controller.lowercased(), name: greeting.name, addresses: [endpoint.description],
                    pin: handshake.pin?.description, haptics: greeting.haptics, waitedFor: 0)
            }
        }
    }

    /// Makes the call, and returns why it led to no seat: the controller said no, or cannot be reached. `nil` when it
    /// has joined, or the offer has ended otherwise; then the controller is told.
    func make(_ call: Call) async -> Refusal? {
        for _ in 1..<Self.mostAttempts {
            guard let failure = await attempt(call) else { return nil }
            guard failure.isBroken else { return failure.refusal }
            // The same offer again is answered the same, so that a connection that breaks costs nothing but time.
            try? await Task.sleep(for: Self.pause)
        }
        return await attempt(call)?.refusal
    }

    private func attempt(_ call: Call) async -> Failure? {
        var last = Failure(.unreachable, "It announces no address that can be tried.")
        for endpoint in call.controller.ways {
            guard !Task.isCancelled, call.end.value == nil else { return nil }
            do throws(Failure) {
                let expected = call.controller.pin.flatMap { Pin($0) }
                let (pipe, handshake) = try await connect(endpoint, expecting: expected)
                let refusal = try await Self.explained(endpoint, handshake) { try await Self.offer(call, on: pipe) }
                return refusal.map { Failure($0) }
            } catch {
                last = error
                // It has heard the offer: another address leads to the same controller.
                if error.isFinal { break }
            }
        }
        return call.end.value == nil ? last : nil
    }

    /// Why a call led nowhere.
    struct Failure: Error {
        var refusal: Refusal
        /// No other address will do better.
        var isFinal = false
        /// The offer was heard, and then the connection broke.
        var isBroken = false

        var reason: RefusalReason { refusal.reason }
        var message: String { refusal.message }

        init(_ reason: RefusalReason, _ message: String, isFinal: Bool = false, isBroken: Bool = false) {
            refusal = Refusal(reason, message: message, retryAfter: reason == .unreachable ? 5_000 : nil)
            self.isFinal = isFinal
            self.isBroken = isBroken
        }

        /// The controller's own word.
        init(_ refusal: Refusal) {
            self.refusal = refusal
            isFinal = true
        }
    }

    // MARK: Private

    private func connect(
        _ endpoint: Endpoint, expecting pin: Pin?
    ) async throws(Failure) -> (Pipe, CallHandshake) {
        let handshake = CallHandshake(expecting: pin)
        let context = context
        do {
            let pipe = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(Self.connectLimit)
                .channelOption(.maxMessagesPerRead, value: 4)
                .connect(host: endpoint.host, port: endpoint.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(
                            context: context, serverHostname: nil, customVerificationCallback: handshake.verification)
                        try channel.pipeline.syncOperations.addHandler(tls)
                        return try Pipe(wrappingChannelSynchronously: channel)
                    }
                }
            return (pipe, handshake)
        } catch {
            throw Failure(.unreachable, "nothing answers at \(endpoint); does it wait still, and on this network?")
        }
    }

    /// Says what it means that a conversation broke off.
    private static func explained<Result>(
        _ endpoint: Endpoint, _ handshake: CallHandshake, _ body: () async throws -> Result
    ) async throws(Failure) -> Result {
        do {
            return try await body()
        } catch let failure as Failure {
            throw failure
        } catch is CallReader.Nonsense {
            throw Failure(.badAnswer, "\(endpoint) does not speak as a waiting controller does.", isFinal: true)
        } catch {
            if handshake.isRoom {
                throw Failure(
                    .badAnswer,
                    "\(endpoint) is a room, not a waiting controller; one says its address with: roomful join --wait")
            }
            guard handshake.isAsExpected else {
                throw Failure(.badAnswer, "\(endpoint) shows another key than was announced, or none.")
            }
            throw Failure(.unreachable, "\(endpoint) hung up; it has too many callers, or does not wait any more.")
        }
    }

    /// Speaks on a connection that is closed at the end, and when it does not greet in time.
    private static func converse<Result: Sendable>(
        on pipe: Pipe, _ body: (inout CallTalk, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Result
    ) async throws -> Result {
        let channel = pipe.channel
        return try await pipe.executeThenClose { inbound, outbound in
            var talk = CallTalk(inbound, on: channel)
            talk.expect(within: greetingLimit)
            defer { talk.deadline?.cancel() }
            return try await body(&talk, outbound)
        }
    }

    private static func offer(_ call: Call, on pipe: Pipe) async throws -> Refusal? {
        let channel = pipe.channel
        return try await converse(on: pipe) { talk, outbound in
            let greeting = try await talk.greeting()
            guard greeting.v == ControlMessage.version else {
                throw Failure(
                    .wrongVersion,
                    "It speaks version \(greeting.v), this host version \(ControlMessage.version); update the older.",
                    isFinal: true)
            }
            guard greeting.controller.lowercased() == call.controller.id else {
                throw Failure(.badAnswer, "Another controller answers at its address.")
            }
            try await outbound.write(CallMessage.offer(call.message).line)
            talk.expect(within: answerLimit)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    guard let end = await call.end.first(where: { $0 != nil }) ?? nil else { return }
                    if case .refused(let refusal) = end {
                        try? await outbound.write(CallMessage.withdrawn(refusal).line)
                    }
                    try? await channel.close()
                }
                defer { group.cancelAll() }
                return try await answer(to: call, &talk)
            }
        }
    }

    private static func answer(to call: Call, _ talk: inout CallTalk) async throws -> Refusal? {
        var hasAccepted = false
        while let message = try await talk.next() {
            switch message {
            case .waiting: continue
            case .accepted: hasAccepted = true
            case .joined: return nil
            case .refused(let refusal): return refusal.spokenSafely
            case .pad, .offer, .withdrawn, .unrecognised: throw CallReader.Nonsense.unreadable
            }
        }
        throw Failure(
            .unreachable,
            hasAccepted ? "It accepted, and went away before it had joined." : "It went away before it answered.",
            isFinal: true, isBroken: true)
    }
}
