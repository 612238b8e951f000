import Connections
import Datagrams
import Identity
import NIOCore
import PeerDiscovery
import PrivateFiles
import Synchronization
public import WireProtocol

/// Waits to be called into a room: announces itself, listens, and hands over each invitation that comes.
///
/// ```swift
/// try await withWaitingController(ControllerOptions(name: "Blue")) { waiting in
///     for await invitation in waiting.invitations {
///         guard invitation.isKnown else { invitation.decline("I do not know you."); continue }
///         do {
///             try await invitation.accept { controller in /* stream until the room closes */ }
///         } catch let error as JoinError {
///             print(error)  // It was over, or the room could not be joined: the next may do better.
///         }
///     }
/// }
/// ```
/// Nothing is accepted by default: an invitation that nobody answers is declined when it is dropped, and over when its
/// time is. (MultipeerConnectivity: `MCNearbyServiceAdvertiser` and its delegate's `invitationHandler`.)
///
/// It is announced on the local network as `_roomful-pad._tcp`, unless ``ControllerOptions/discovery`` is `none`: then
/// it can be called by its address alone.
///
/// - Parameter port: TCP; 0 takes any that is free.
/// - Throws: ``JoinError`` if the controller cannot wait, then what `body` throws.
public func withWaitingController<Result: Sendable>(
    _ options: ControllerOptions, port: UInt16 = 0, body: (WaitingController) async throws -> Result
) async throws -> Result {
    let waiting = try await WaitingController(options, port: port)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await waiting.listen() }
        group.addTask { await waiting.advertise() }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(waiting))
        } catch {
            outcome = .failure(error)
        }
        waiting.stop()
        group.cancelAll()
        try await group.waitForAll()
        return try outcome.get()
    }
}

/// An idle controller that can be called; made by ``withWaitingController(_:port:body:)``.
public final class WaitingController: Sendable {
    /// What comes, in order; at most 4 are open at once. What ended before it was read does not come. For one reader:
    /// where its task is cancelled while it waits, nothing comes any more.
    public let invitations: AsyncStream<Invitation>
    /// TCP.
    public let port: UInt16
    /// SHA-256 of the key that callers are shown; new each time.
    public var pin: Pin { identity.pin }
    /// 32 hexadecimal digits: who the controller is for its hosts.
    public var id: String { controllerID.description }
    /// As asked for; the announced one may differ by a number.
    public var name: String { options.name }
    /// How the announcement stands, in words, now and whenever that changes; for one reader, and over when its task is
    /// cancelled while it waits.
    public let discoveryChanges: AsyncStream<String>

    package let options: ControllerOptions
    let controllerID: ControllerID
    package let identity: WaitingIdentity
    let announcement: AsyncStream<String>.Continuation
    /// The controller follows an invitation: it is not announced meanwhile.
    let isTaken = Watched(false)
    private let book = Mutex(CallBook())
    private let listener: CallListener
    private let arriving: InvitationQueue

    package init(_ options: ControllerOptions, port: UInt16) async throws {
        if let problem = options.problem { throw JoinError(.badOptions, problem) }
        self.options = options
        // Who it is now, it is also when it joins.
        controllerID = try Applicant(options, code: nil).id
        identity = try WaitingIdentity()
        (discoveryChanges, announcement) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4))
        if options.discovery == .none { announcement.yield("not announced (discovery is off)") }
        do {
            listener = try await CallListener.open(port: port, identity: identity)
        } catch {
            throw JoinError(.noSocket, "cannot listen at TCP port \(port): \(error)")
        }
        self.port = listener.port
        let queue = InvitationQueue()
        arriving = queue
        invitations = AsyncStream(unfolding: { await queue.next() }, onCancel: { queue.end() })
    }

    // MARK: Inside

    package func listen() async { await listener.run { [self] caller in try await answer(caller) } }

    /// No more invitations; those that are open are declined.
    package func stop() {
        announcement.finish()
        book.withLock { $0.close() }
        arriving.end()
    }

    /// The controller follows this call, and no other until ``release(_:)``.
    package func take(_ call: IncomingCall) -> Bool {
        let isFirst = book.withLock { book in
            guard call.take() else { return false }
            book.turnAway(allBut: call)
            return true
        }
        if isFirst { isTaken.change { $0 = true } }
        return isFirst
    }

    /// The stay is over: the controller can be called again.
    func release(_ call: IncomingCall) {
        book.withLock { $0.forget(call) }
        isTaken.change { $0 = false }
    }

    /// One caller, from its offer to the answer.
    private func answer(_ caller: CallListener.Caller) async throws {
        try await caller.pipe.take().executeThenClose { inbound, outbound in
            let haptics = options.haptics != .none
            let greeting = ControllerGreeting(controller: id, name: name, haptics: haptics)
            try await outbound.write(CallMessage.pad(greeting).line)
            var talk = CallTalk(inbound, on: caller.pipe.channel)
            guard case .offer(let offer)? = try await talk.next() else { return }
            caller.hasSpoken()
            do throws(RefusedCall) {
                let call = try ring(offer, caller)
                try? await tell(call, to: outbound, hearing: &talk, on: caller.pipe.channel)
            } catch {
                try await outbound.write(CallMessage.refused(error.refusal).line)
            }
        }
    }

    /// Takes in an offer, and hands it over if it is new.
    private func ring(_ offer: RoomOffer, _ caller: CallListener.Caller) throws(RefusedCall) -> IncomingCall {
        guard case .success(let finding)? = caller.handshake.outcome else {
            throw RefusedCall(.untrusted, "The host did not show who it is.")
        }
        // What cannot be read is known as nothing.
        let known = options.stateFolder.flatMap { try? KnownHosts.load(from: $0.folder) } ?? KnownHosts()
        let call = try IncomingCall(offer, by: finding, from: caller.address, to: controllerID, known: known)
        let (admitted, isNew) = try book.withLock { $0.admit(call) }.get()
        if isNew { arriving.put(Invitation(admitted, to: self)) }
        return admitted
    }
}
