import Foundation
import Logging
import PeerDiscovery
import SessionCoordinator
import Synchronization
import WireProtocol

/// Opens a room, runs it while `body` does its work, and closes it: everyone is told, nothing stays advertised.
///
/// ```swift
/// try await withRoom(RoomOptions(name: "Living Room", policy: .open)) { room in
///     for await event in await room.events() { print(event) }
/// }
/// ```
///
/// - Throws: what `body` throws, or why the room cannot be opened: one line that says what to do.
public func withRoom<Result: Sendable>(
    _ options: RoomOptions, body: (Room) async throws -> Result
) async throws -> Result {
    let room = try await Room(options)
    let metrics: MetricsServer?
    do {
        metrics = try await room.openMetrics()
    } catch {
        room.stop()
        await room.closeUnused()
        throw error
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await room.deliver() }
        group.addTask { await room.advertise() }
        group.addTask { await room.serveOperators() }
        group.addTask { await room.makeCalls() }
        group.addTask { await room.keepCertificate() }
        group.addTask { await room.site.run() }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(room))
        } catch {
            outcome = .failure(error)
        }
        await metrics?.shutDown()
        await room.close()
        try await group.waitForAll()
        return try outcome.get()
    }
}

extension Room {
    /// Returns when the room has closed: by ``stop()``, by its operator, or because its task was cancelled.
    public func untilClosed() async {
        await withTaskCancellationHandler {
            await loop.wait()
        } onCancel: {
            stop()
        }
    }

    /// Serves figures, where the options say so.
    fileprivate func openMetrics() async throws -> MetricsServer? {
        guard let address = options.metrics else { return nil }
        let server = try await MetricsServer.open(host: address.host, port: address.port, room: self)
        logger.notice("metrics at http://\(server.address)/metrics")
        return server
    }

    /// Closes a room that never ran.
    fileprivate func closeUnused() async {
        await close()
        await deliver()
    }

    /// Ends what runs, in order: peers are told first, then what was to be written is written, then ports close.
    fileprivate func close() async {
        stop()
        await loop.wait()
        site.close()
        offers.finish()
        await pads?.stop()
        freeSeats.continuation.finish()
        discoveryNews.finish()
        received.finish()
        outbox.finish()
        deliveries.endAll()
    }

    /// Writes leases, then says on control connections what hung on them.
    fileprivate func deliver() async {
        let store = foundation.store
        await outbox.run { changes in
            do {
                try await store.save(changes.map { LeaseChange($0, at: Date()) })
            } catch {
                // The players play on; what is lost is their return after a crash. The operator must know.
                logger.error("seats are not saved: \(error)")
            }
        } perform: { item in
            switch item {
            case .commit(_, let conversation?, let message?), .say(let conversation, let message):
                let (conversation, message): (ConversationID, ControlMessage) = (conversation, message)
                server.say(message, to: conversation)
            case .commit: break
            case .keep(let controller, let talents):
                store.keep(talents, of: controller) { [logger] error in
                    logger.error("taught gestures are not saved: \(error)")
                }
            case .close(let conversation): server.close(conversation)
            case .received(let controller, let bytes, let channel):
                received.yield(Received(controller: controller, bytes: bytes, channel: channel))
            }
        }
        await loopback?.shutDown()
        await server.shutDown()
        try? store.close()
    }

    /// Shows the operator's certificate as it is now, until the room closes.
    fileprivate func keepCertificate() async {
        if foundation.tls.ends < Date() + TLSSource.late {
            logger.warning("the certificate ends on \(foundation.tls.ends.formatted(.iso8601)); renew it")
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                await foundation.tls.keepCurrent { change in
                    switch change {
                    case .reloaded(let ends):
                        logger.notice("the certificate was read anew; it ends on \(ends.formatted(.iso8601))")
                    case .kept(let reason):
                        logger.error("the certificate's files have changed, and the old one stays: \(reason)")
                    }
                }
            }
            await untilClosed()
            group.cancelAll()
        }
    }

    /// Keeps the room published, and what is said of its free seats true.
    fileprivate func advertise() async {
        guard options.discovery != .none else {
            discovery.withLock { $0.isOff = true }
            for await _ in freeSeats.stream {}
            return
        }
        let advertiser = RoomAdvertiser(
            name: foundation.name, port: port, record: foundation.record(freeSeats: options.seats, options: options),
            interface: options.interface, discovery: options.discovery.mode)
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                for await state in advertiser.states { note(state) }
            }
            for await free in freeSeats.stream {
                await advertiser.update(foundation.record(freeSeats: free, options: options))
            }
            await advertiser.stop()
        }
    }

    private func note(_ state: AdvertiserState) {
        let line = discovery.withLock { $0.note(state) }
        switch state {
        case .serving, .registering: break  // On the way to something.
        default: discoveryNews.yield(line)
        }
        logger.info("discovery: \(line)")
    }
}
