import Foundation
import Logging
import PeerDiscovery
import RoomEngine
import SessionCoordinator
import Synchronization
import WireProtocol

/// A room that is open: its players' events, and what its host may do.
///
/// Made by ``withRoom(_:body:)``, which also closes it. Every call may come from any thread; none of them holds up the
/// room's own.
public final class Room: Sendable {
    /// Bytes that a controller's own program sent.
    public struct Received: Hashable, Sendable {
        /// The controller's id, as in events.
        public var controller: String
        public var bytes: [UInt8]
        /// The channel of newest-wins data; `nil` for a reliable message.
        public var channel: UInt8?
    }

    /// The room's name as it was asked for; the advertised one may differ by a number (``RoomStatus/discovery``).
    public let name: String
    public let options: RoomOptions
    /// What a controller needs to join without searching.
    public let ticket: Ticket
    /// What a QR code holds: with it a phone's browser is in. Holds the code.
    public var link: String { ticket.link(at: options.url) }
    /// TCP and UDP.
    public let port: UInt16
    /// The UDP port for unsealed frames, if ``RoomOptions/legacyPort`` asked for one.
    public let legacyPort: UInt16?
    /// Plain HTTP on 127.0.0.1, for games on this machine; `nil` where it is off.
    public var httpPort: UInt16? { loopback?.port }
    /// What controllers' programs send to the game; the newest 1,024 are kept for a slow reader.
    public let messages: AsyncStream<Received>

    let openedAt: HostTime
    private let openedAtDate = Date()
    let foundation: RoomFoundation
    let loop: RoomLoop
    let journal = EventJournal()
    let outbox = Outbox()
    let server: ControlServer
    let site: WebSite
    let loopback: LoopbackServer?
    let received: AsyncStream<Received>.Continuation
    let discovery = Mutex(PublicationNotes())
    /// How the room is advertised, in a line for people, whenever that changes; the newest 16 for a slow reader.
    public let discoveryChanges: AsyncStream<String>
    let discoveryNews: AsyncStream<String>.Continuation
    let offers = OfferDesk()
    let deliveries = MotionDeliveries()
    /// Looks for controllers that wait nearby; `nil` where discovery is off.
    let pads: PadBrowser?
    let freeSeats: (stream: AsyncStream<Int>, continuation: AsyncStream<Int>.Continuation)
    let cipher: LinkCipher
    let logger = Logger(label: "roomful.room")

    /// Opens the room: from here on controllers can join by its address.
    init(_ options: RoomOptions) async throws {
        self.options = options
        name = options.name
        let foundation = try RoomFoundation(options)
        self.foundation = foundation
        if let recovery = foundation.store.recovery { logger.warning("\(recovery.warning)") }
        openedAt = HostClock.now()
        pads =
            options.discovery == .none
            ? nil : PadBrowser(discovery: options.discovery.mode, interface: options.interface)
        let suite = LinkCipher.preferredSuite
        cipher = LinkCipher.preferred(for: suite)
        (messages, received) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        freeSeats = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (discoveryChanges, discoveryNews) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))

        let loop = try RoomLoop(journal: journal)
        self.loop = loop
        let connections = DescriptorBudget.connections(wanted: options.seats * 6 + 512)
        if connections < options.seats + 8 {
            logger.warning(
                "only \(connections) connections at once fit this process's limit of open files; raise it: ulimit -n")
        }
        let conversations = Conversations(
            capacity: connections,
            greeting: RoomGreeting(
                room: foundation.authority.roomID.description, name: options.name, game: foundation.game?.text,
                policy: options.policy.rawValue, names: options.names.rawValue, seats: options.seats),
            post: { loop.post($0) })
        let site = WebSite(
            policy: WebPolicy(foundation, options), pages: try WebPages(options), conversations: conversations)
        self.site = site
        let (server, socket) = try await Self.openPorts(options.port, foundation, site)
        self.server = server
        self.port = server.port
        if options.port == 0 { try foundation.keep(port: server.port) }
        ticket = try Self.ticket(foundation, port: server.port, name: options.name)
        let legacy: DatagramSocket?
        do {
            legacy = try options.legacyPort.map { try Self.openSocket($0) }
            loopback = try await Self.openLoopback(options.http, site)
        } catch {
            await server.shutDown()
            throw error
        }
        legacyPort = legacy?.address.port
        startLoop(on: RoomLoop.Sockets(link: socket, legacy: legacy), suite: suite)
        site.open(self)
    }

    /// The second door: a port that was asked for must be free; else the usual one, or any.
    private static func openLoopback(_ wish: RoomOptions.HTTP, _ site: WebSite) async throws -> LoopbackServer? {
        switch wish {
        case .off: return nil
        case .port(let port): return try await LoopbackServer.open(port: port, site: site)
        case .any:
            do {
                return try await LoopbackServer.open(port: RoomOptions.HTTP.usualPort, site: site)
            } catch let error as RoomError where error.code == .portInUse {
                return try await LoopbackServer.open(port: 0, site: site)
            }
        }
    }

    private static func openSocket(_ port: UInt16) throws -> DatagramSocket {
        var options = DatagramSocket.Options()
        options.stampsArrivals = true
        do {
            return try DatagramSocket(at: .any(port: port), options: options)
        } catch {
            throw RoomError(error.code == .portInUse ? .portInUse : .network, error.description)
        }
    }

    /// TCP and UDP on one port number; when any number will do, the one of last time is tried first, then several.
    private static func openPorts(
        _ wanted: UInt16, _ foundation: RoomFoundation, _ site: WebSite
    ) async throws -> (ControlServer, DatagramSocket) {
        func open(_ port: UInt16) async throws -> (ControlServer, DatagramSocket) {
            let server = try await ControlServer.open(port: port, tls: foundation.tls, site: site)
            do {
                return (server, try openSocket(server.port))
            } catch {
                await server.shutDown()
                throw error
            }
        }
        guard wanted == 0 else { return try await open(wanted) }
        for candidate in [foundation.keptPort ?? 0, 0, 0, 0] {
            do {
                return try await open(candidate)
            } catch let error as RoomError where error.code == .portInUse {
                continue
            }
        }
        return try await open(0)
    }

    private static func ticket(_ foundation: RoomFoundation, port: UInt16, name: String) throws -> Ticket {
        let own = ServerNames.current().addresses.filter { !$0.isLoopback && !$0.isLinkLocal }.bestFirst()
        let loopback = PeerAddress(ipv4: 0x7F00_0001, port: port)
        let addresses = (own + [loopback]).map { address in
            var address = address
            address.port = port
            return Ticket.Address(address)
        }
        return try Ticket(
            addresses: addresses, pin: foundation.authority.pin, code: foundation.code, room: name,
            roomID: foundation.authority.roomID)
    }

    private func startLoop(on sockets: RoomLoop.Sockets, suite: CipherSuite) {
        let outlets = RoomOutlets(
            journal: journal, outbox: outbox, offers: offers, freeSeats: freeSeats.continuation, deliveries: deliveries,
            server: server, openedAt: openedAt)
        let configuration = RoomConfiguration(
            seats: options.seats, policy: options.policy.core, mode: options.mode.core, code: foundation.code?.text,
            idleTimeout: options.idle, graceTimeout: options.grace, linkPort: port, suite: suite,
            names: options.names.core)
        let engine = EngineConfiguration(
            room: configuration, merge: options.merge, answersGesturesWithHaptics: options.answersGesturesWithHaptics)
        let (leases, talents) = (foundation.leases, foundation.talents)
        loop.start(on: sockets, cipher: cipher, outlets) {
            Engine(configuration: engine, leases: leases, talents: talents, now: HostClock.now())
        }
    }

    // MARK: Events

    /// What happens from now on, beginning with `hello`; with `after`, what happened after that event number first,
    /// as far as the last 4,096 events go back.
    ///
    /// - Parameter motion: whether to hear each player's motion too, at most 60 times a second.
    public func events(after: Int? = nil, motion: Bool = false) async -> RoomEvents {
        let clock = RecordClock(openedAt: openedAt)
        let players =
            if case .success(.players(let players)) = await ask(.players) { players } else { [RoomEvent.Player]() }
        let at = clock.milliseconds(HostClock.now())
        return journal.listen(after: after, motion: motion) { last in
            .hello(
                EventRecord.Hello(
                    after: last, at: at, room: name, openedAt: openedAtDate.ISO8601Format(), seats: options.seats,
                    players: players.map { EventRecord.Player($0, clock) }))
        }
    }

    // MARK: Inside

    func carryOut(_ command: RoomCommand) async throws -> RoomAnswer { try await ask(command).get() }

    func ask(_ command: RoomCommand) async -> Result<RoomAnswer, RoomError> {
        let closed = RoomError(.closed, "the room is closed")
        return await withCheckedContinuation { continuation in
            if !loop.post(.command(command, { continuation.resume(returning: $0) })) {
                continuation.resume(returning: .failure(closed))
            }
        }
    }

    func roomStatus(_ status: RoomState?) -> RoomStatus {
        let strangers = status?.strangers ?? StrangerCounts()
        return RoomStatus(
            name: name, room: foundation.authority.roomID.description, game: foundation.game?.text,
            policy: options.policy.rawValue, mode: options.mode.rawValue, seats: options.seats,
            freeSeats: status?.freeSeats ?? 0, isLocked: status?.isLocked ?? true, port: Int(port),
            url: options.url?.description, legacyPort: legacyPort.map(Int.init), httpPort: httpPort.map(Int.init),
            pin: foundation.authority.pin.description, discovery: discovery.withLock { $0.line },
            sealing: cipher.isSodium ? "libsodium" : "swift-crypto",
            uptimeMs: (HostClock.now() - openedAt).milliseconds, pid: Int(getpid()),
            peers: status?.peers.map(peerStatus) ?? [],
            waiting: status?.waiting.map(\.name) ?? [],
            strangers: RoomStatus.Strangers(
                badAuth: Int(clamping: strangers.badAuth), unknown: Int(clamping: strangers.unknown),
                malformed: Int(clamping: strangers.malformed), kernelDrops: status == nil ? nil : loop.kernelDrops))
    }

    func peerStatus(_ state: PeerState) -> PeerStatus { PeerStatus(state, openedAt: openedAt) }
}
