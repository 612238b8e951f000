import ControllerSession
import Datagrams
import Identity
import Synchronization
import WireProtocol

/// Joins a room, holds a seat there while `body` does its work, and gives it back.
///
/// ```swift
/// try await withController(ControllerOptions(name: "Blue"), joining: .ticket(ticket)) { controller in
///     for sample in recording { controller.send(sample) }
///     _ = await controller.settle(within: .seconds(2))
/// }
/// ```
/// Meanwhile the seat is kept: when the host is not heard it is asked again, and samples are held for it for 10 s. At
/// the end the host hears a goodbye with the last number sent, and no thread and no connection is left.
///
/// - Parameters:
///   - address: how the room is known: by name, ticket or address.
///   - trust: who vouches for the host; nothing secret is sent to one that nobody vouches for.
/// - Throws: ``JoinError`` if there is no seat to be had, then what `body` throws.
public func withController<Result>(
    _ options: ControllerOptions, joining address: RoomAddress, trust: Trust = .knownHosts,
    body: (Controller) async throws -> Result
) async throws -> Result {
    let controller = try await Controller.join(options, address, trust)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await controller.keepSeat() }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(controller))
        } catch {
            outcome = .failure(error)
        }
        group.cancelAll()
        try await group.waitForAll()
        await controller.leave()
        return try outcome.get()
    }
}

extension Controller {
    /// Gets a seat and opens the link to it.
    fileprivate static func join(
        _ options: ControllerOptions, _ address: RoomAddress, _ trust: Trust
    ) async throws -> Controller {
        if let problem = options.problem { throw JoinError(.badOptions, problem) }
        var code = options.code
        if case .ticket(let ticket) = address { code = code ?? ticket.code }
        let applicant = try Applicant(options, code: code)
        let desk = EventDesk(haptics: options.haptics)
        let (link, thread) = try makeLink(options, desk)

        // What seals is loaded while the host answers: the link would wait for it when the seat is there.
        async let sealing = LinkCipher.preferred(for: .aes256gcm)
        let (seating, ways) = try await applicant.join(address, trust: trust)
        _ = await sealing
        let controller = Controller(
            applicant, desk: desk, link: link, thread: thread, seating: seating, ways: ways)
        thread.serve(link)
        if options.linkThread == nil { thread.finish() }
        // A disk that is full or read-only keeps nobody from a seat; only a restarted program will not find this one.
        try? applicant.keep(seating.admission.secret, for: seating.host.roomID)
        await controller.take(seating)
        return controller
    }

    private static func makeLink(
        _ options: ControllerOptions, _ desk: EventDesk
    ) throws(JoinError) -> (LinkDesk, LinkThread) {
        do throws(SocketError) {
            let link = try LinkDesk(streams: options.streams, logsDatagrams: options.logsDatagrams) { desk.take($0) }
            if let shared = options.linkThread { return (link, shared) }
            return (link, try LinkThread())
        } catch {
            throw JoinError(.noSocket, error.description)
        }
    }

    /// Of a host's addresses, and its ports after restarts, so many are remembered; the latest first.
    private static let mostWays = 16

    /// Moves to a seat that was given: the link goes on there, and the connection before is closed.
    package func take(_ seating: Applicant.Seating) async {
        let old = keeping.withLock { keeping in
            defer {
                keeping.connection = seating.connection
                keeping.hasPaused = false
                keeping.plan.patience = seating.admission.patience
                keeping.ways.removeAll { $0 == seating.endpoint }
                keeping.ways.insert(seating.endpoint, at: 0)
                keeping.ways.removeLast(max(0, keeping.ways.count - Self.mostWays))
            }
            return keeping.connection
        }
        let admission = seating.admission
        desk.sit(admission.seat)
        var address = seating.connection.address
        address.port = admission.port
        if let via = applicant.options.linkVia { address = via }
        await link.open(
            LinkDesk.Opening(
                epoch: admission.epoch, suite: admission.suite, address: address, continues: admission.continues,
                patience: admission.patience))
        if old !== seating.connection { await old.close() }
    }

    /// Gives the seat back, and ends thread and connection.
    fileprivate func leave() async {
        let (connection, wasOver) = keeping.withLock { keeping in
            defer { keeping.isOver = true }
            return (keeping.connection, keeping.isOver)
        }
        let lastSent = await link.leave(.left)
        if !wasOver {
            let tally = await link.books().sentInAll
            connection.send(.goodbye(Farewell(reason: .left, lastSent: lastSent, tally: tally)))
            applicant.forget(host.roomID)
        }
        await connection.close()
        desk.finish()
    }
}
