import Connections
package import ControlPort
import Datagrams
import EveningFiles
import FlightRecorder
import Foundation
public import Identity
import LeaseStorage
import Logging
import PeerDiscovery
import RoomEngine
public import RoomRecords
import SessionCoordinator
import SiteRecords
import Synchronization
public import WireProtocol

/// A room that is open: its players' events, and what its host may do.
///
/// Made by ``withRoom(_:body:)``, which also closes it. Every call may come from any thread; none of them holds up the
/// room's own.
public final class Room: Sendable {
    /// Bytes that a controller's own program sent.
    public struct Received: Hashable, Sendable {
        /// Whose program sent them.
        public var controller: ControllerID
        /// What it sent.
        public var bytes: [UInt8]
        /// The channel of newest-wins data; `nil` for a reliable message.
        public var channel: UInt8?
    }

    /// The room's name as it was asked for; the advertised one may differ by a number (`RoomStatus.discovery`).
    public let name: String
    /// What the host decided before the room opened, and has changed since.
    public var options: RoomOptions { standing.withLock { $0.options } }
    /// What a controller needs to join without searching, by the policy of this moment.
    public var ticket: Ticket { standing.withLock { $0.ticket } }
    /// The code that people type; `nil` where none is needed. The ticket's own is longer.
    public var code: AdmissionCode? { options.policy == .code ? foundation.codes.typed : nil }
    /// What a QR code holds: with it a phone's browser is in. Holds the code.
    public var link: String { ticket.link(at: options.url) }
    /// TCP and UDP.
    public let port: UInt16
    /// The UDP port for unsealed frames, if ``RoomOptions/legacyPort`` asked for one.
    public let legacyPort: UInt16?
    /// Plain HTTP on 127.0.0.1, for games on this machine; `nil` where it is off.
    public var httpPort: UInt16? { listening.loopback?.port }
    /// What controllers' programs send to the game; the newest 1,024 are kept for a slow reader. For one reader: where
    /// its task is cancelled while it waits, nothing comes any more.
    public let messages: AsyncStream<Received>

    let openedAt: HostTime
    let openedAtDate: Date
    let recording = RecordingDesk()
    /// What its host may change while it is open.
    let standing: Mutex<Standing>
    /// How the fronts take over what concerns them.
    let fronts = Mutex<FrontPreparation?>(nil)
    /// How the program reads its configuration anew, where it has one.
    let reloading = Mutex<Reloading?>(nil)
    /// Its way to the other rooms of its site; `nil` where it is in none.
    let messenger = Mutex<(any SiteMessenger)?>(nil)
    /// Seats that were promised to those whom other rooms send, the oldest first.
    let promises = Mutex<[Promise]>([])
    /// Who is on the way to another room.
    let moving = Mutex<Set<ControllerID>>([])
    /// Those who want in by the house's lobby.
    let lobby: Mutex<Lobby>
    let begun = ContinuousClock.now
    /// How its way to its site stands; `nil` where it is in none.
    let site = Mutex<SiteStanding?>(nil)
    /// What its hours said when they were last asked.
    let doorWatch = Mutex(DoorWatch())
    /// It closes to be opened again.
    let comesBack = Atomic(false)
    /// Its operator closes it, and does not say that it will be back.
    let isClosedForGood = Atomic(false)
    /// Whether nothing is kept of those who played, now that the room has closed; `nil` before.
    let forgetting = Mutex<Result<Void, RoomError>?>(nil)
    package let foundation: RoomFoundation
    let loop: RoomLoop
    let journal: EventJournal
    let outbox = Outbox()
    let debts: DiskDebts
    let listening: (control: ListeningSocket, loopback: ListeningSocket?)
    /// Its part of what the process may have open.
    let grant: DescriptorBudget.Grant
    /// The control connections of all ways in.
    package let conversations: Conversations
    let received: AsyncStream<Received>.Continuation
    let discovery = Mutex(PublicationNotes())
    let networkNotes = Mutex(NetworkNotes())
    /// How the room is advertised, in a line for people, whenever that changes; the newest 16 for a slow reader. For
    /// one reader: where its task is cancelled while it waits, nothing comes any more.
    public let discoveryChanges: AsyncStream<String>
    let discoveryNews: AsyncStream<String>.Continuation
    let offers = OfferDesk()
    let deliveries = MotionDeliveries()
    /// Looks for controllers that wait nearby; `nil` where discovery is off.
    let nearby: ControllerBrowser?
    let doorSign: DoorSign
    let cipher: LinkCipher
    let logger: Logger

    /// Takes the room's ports and starts its thread. Who connects waits in the kernel until ``openPorts(to:)``.
    package init(_ options: RoomOptions) throws {
        name = options.name
        logger = Logger("roomful.room", ofRoom: options.name)
        lobby = Mutex(Lobby(order: options.site?.lobby ?? .spread))
        let foundation = try RoomFoundation(options)
        self.foundation = foundation
        if let recovery = foundation.store.recovery { logger.warning("\(recovery.warning)") }
        if options.replay == nil, let words = options.spoiltContests { logger.warning("\(words)") }
        debts = DiskDebts(
            store: foundation.store, folder: foundation.folder, seated: foundation.leases.map(\.controller)
        ) { [logger] line, isTrouble in logger.log(level: isTrouble ? .error : .notice, "\(line)") }
        openedAt = options.replay?.opening.openedAt ?? HostClock.now()
        openedAtDate =
            options.replay.map { Date(timeIntervalSince1970: Double($0.opening.wallClock) / 1e9) } ?? Date()
        nearby =
            options.discovery == .none
            ? nil : ControllerBrowser(discovery: options.discovery, interface: options.interface)
        let suite = LinkCipher.preferredSuite
        cipher = LinkCipher.preferred(for: suite)
        (messages, received) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        doorSign = DoorSign(freeSeats: options.seats)
        (discoveryChanges, discoveryNews) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))

        journal = EventJournal(after: options.tenure?.lastEvent ?? 0)
        let loop = try RoomLoop(journal: journal, fence: options.tenure?.fence, gather: options.gather)
        self.loop = loop
        let grant = DescriptorBudget.grant(wanted: options.seats * 6 + 512, needed: options.seats + 128)
        self.grant = grant
        let connections = grant.connections
        if connections < options.seats + 8 {
            logger.warning(
                "only \(connections) connections at once fit this process's limit of open files; raise it: ulimit -n")
        }
        let conversations = Conversations(
            capacity: connections,
            greeting: Self.greeting(options, foundation), gather: options.gather,
            absence: { [fence = options.tenure?.fence] in
                guard fence?.isOpen ?? true else {
                    return "This host waits for its site's broker; until that answers, another may own the room."
                }
                return loop.isRunning ? nil : "The room is closed here."
            },
            post: { loop.post(.control($0)) })
        self.conversations = conversations
        let ports = try RoomPorts(
            options, kept: foundation.keptPort, keptLoopback: foundation.keptLoopbackPort,
            usualIsTaken: foundation.usualPortIsTaken)
        // Those of UDP belong to the room's thread, and end with it: who holds a room that has closed holds no port.
        listening = (ports.control, ports.loopback)
        port = ports.control.port
        if !ports.link.servesIPv6 {
            logger.notice("this machine has no IPv6: the room is at its IPv4 addresses alone")
        }
        if options.port == 0 { try foundation.keep(port: port) }
        if options.http == .any, let loopback = ports.loopback { try foundation.keep(loopbackPort: loopback.port) }
        legacyPort = ports.legacy?.address.port
        let addresses = ServerNames.current().reachable
        standing = Mutex(
            Standing(
                options: options, engine: Self.engineConfiguration(options, foundation, port: port, suite: suite),
                ticket: try Self.ticket(foundation, at: addresses, port: port, options), addresses: addresses))
        if let tenure = options.tenure {
            tenure.begin(with: try foundation.heritage(tenure))
            tenure.onChange { tenure.isOver ? _ = loop.post(.abandon) : loop.bell.ring() }
            // Who was deposed before that was told to nobody.
            if tenure.isOver { loop.post(.abandon) }
        }
        try startLoop(on: RoomLoop.Sockets(link: ports.link, legacy: ports.legacy))
    }

    /// Accepts who connects from now on, native controllers and whomever the front is for, until the server is shut down.
    package func openPorts(to front: any PortFront) async throws -> ControlServer {
        try await ControlServer.open(
            at: listening.control, tls: foundation.tls, loopback: listening.loopback, conversations, front: front)
    }

    static func ticket(
        _ foundation: RoomFoundation, at own: [PeerAddress], port: UInt16, _ options: RoomOptions
    ) throws -> Ticket {
        let loopback = PeerAddress(ipv4: 0x7F00_0001, port: port)
        let addresses = (own + [loopback]).map { address in
            var address = address
            address.port = port
            return Ticket.Address(address)
        }
        return try Ticket(
            addresses: addresses, pin: foundation.authority.pin,
            code: options.policy == .code ? foundation.codes.scanned : nil, room: options.name,
            roomID: foundation.authority.roomID)
    }

    /// What is said of the room to whoever connects.
    static func greeting(_ options: RoomOptions, _ foundation: RoomFoundation) -> RoomGreeting {
        RoomGreeting(
            room: foundation.authority.roomID.description, name: options.name, game: options.label?.text,
            policy: options.policy.rawValue, names: options.names.rawValue, seats: options.seats)
    }

    private static func engineConfiguration(
        _ options: RoomOptions, _ foundation: RoomFoundation, port: UInt16, suite: CipherSuite
    ) -> EngineConfiguration {
        let room = RoomConfiguration(
            mode: options.mode.core, code: foundation.codes.typed.text, linkPort: port, suite: suite,
            scannedCode: foundation.codes.scanned.text)
        var configuration = EngineConfiguration(
            room: room, merge: options.merge, answersGesturesWithHaptics: options.answersGesturesWithHaptics,
            localGestures: options.localGestures)
        configuration.apply(options.terms)
        return configuration
    }

    /// - Throws: where the room is to be recorded and cannot be.
    private func startLoop(on sockets: RoomLoop.Sockets) throws {
        let options = options
        if let replay = options.replay {
            return loop.start(
                replaying: replay, on: sockets,
                cipher: LinkCipher.preferred(for: replay.opening.configuration.room.suite))
        }
        let outlets = RoomOutlets(
            journal: journal, outbox: outbox, offers: offers, doorSign: doorSign, deliveries: deliveries,
            received: received, connections: conversations, sensors: Logger("roomful.sensors", ofRoom: options.name),
            room: logger)
        let banned = keptBans
        doorWatch.withLock { $0.banned = banned }
        if !banned.isEmpty {
            logger.notice("\"\(name)\" keeps out \(banned.count) whom its operator had removed, until: roomful unlock")
        }
        var opening = opening(
            now: HostClock.now(), isFromTheStart: true, program: options.recording?.program ?? "")
        opening.banned = banned
        var recorder: RoomRecorder?
        if var wish = options.recording {
            wish.pseudonymKey = wish.pseudonymKey ?? options.pseudonymKey
            do {
                recorder = try RoomRecorder(wish, opening: opening) { [outbox] in outbox.post(.recorded) }
            } catch {
                throw RoomError(.badOption, error.description)
            }
            _ = changeRecorder(to: recorder)
        }
        let (configuration, leases, talents) = (standing.withLock { $0.engine }, foundation.leases, foundation.talents)
        loop.start(on: sockets, cipher: cipher, outlets) { [recorder, now = opening.now] in
            var engine = Engine(configuration: configuration, leases: leases, talents: talents, now: now)
            engine.keepOut(banned)
            return (engine, recorder)
        }
    }

    // MARK: Events

    /// What happens from now on; with `after`, what happened after that event number first, as far as the last 4,096
    /// events go back. Who plays already is ``RoomEvents/players``.
    ///
    /// - Parameter motion: whether to hear each player's motion too, 60 times a second.
    public func events(after: Int? = nil, motion: Bool = false) async -> RoomEvents {
        // Noted before the question: what happens meanwhile is told, though its outcome may be in the answer already.
        let last = journal.last
        let (players, queue) =
            if case .success(.players(let players, let queue)) = await ask(.players) { (players, queue) } else {
                ([RoomEvent.Player](), [Occurrence.QueueChange]())
            }
        let at = now
        return journal.listen(after: after ?? last, motion: motion) { last in
            RoomEvents.Opening(
                after: last, at: at, room: name, openedAt: openedAt, openedOn: openedAtDate, seats: options.seats,
                players: players, queue: queue)
        }
    }

    // MARK: Inside

    func carryOut(_ command: RoomCommand) async throws -> RoomAnswer { try await ask(command).get() }

    func ask(_ command: RoomCommand) async -> Result<RoomAnswer, RoomError> {
        await withCheckedContinuation { continuation in
            if !loop.post(.command(command, { continuation.resume(returning: $0) })) {
                continuation.resume(returning: .failure(.roomIsClosed))
            }
        }
    }
}
