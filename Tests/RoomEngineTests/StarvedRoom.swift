import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

@testable import RoomSimulation

/// A room whose host gets little of its machine: one processor that does one thing after the other, and everything that
/// controllers ask of it waits in one line, what they have given up since, too.
///
/// The engine, the links and the plans of return are the real ones; control connections are a line of jobs.
struct StarvedRoom {
    /// What each thing takes the host.
    struct Costs {
        var handshake = Duration.milliseconds(60)
        /// With the commit of the lease.
        var invitation = Duration.milliseconds(15)
        var datagram = Duration.microseconds(300)
    }

    /// One controller's return.
    private enum Return: Hashable {
        case seated
        case waits(until: HostTime)
        /// TLS is begun; the host has not come to it.
        case knocks(ConversationID, until: HostTime)
        /// The invitation is sent.
        case asks(ConversationID, until: HostTime)
    }

    private enum Job {
        case handshake(Int, ConversationID)
        case invitation(Int, ConversationID, Invitation)
        case datagram(Int, ImpairedLink<Packet>.Arrival)
        /// The room's own thread: what is due, and the feedback.
        case turn
    }

    private(set) var host: SimulatedHost
    private(set) var controllers: [SimulatedController] = []
    private(set) var now = HostTime(nanoseconds: 3_600_000_000_000)
    private var plans: [ReturnPlan] = []
    private var returns: [Return] = []
    private var books: [LeaseBooks]
    private var jobs: [Job] = []
    private var busyUntil: HostTime
    private var conversations: UInt64 = 0
    private let costs: Costs
    /// Whether controllers come back as they once did: at once, however often they had to, and after a second's silence.
    private let isForgetful: Bool
    private var isTurnQueued = false
    private var secrets: [String?]
    /// Link epochs that each controller has opened.
    private(set) var epochs: [Int]
    /// Attempts that each has made to come back.
    private(set) var attempts: [Int]
    /// Controllers that gave up.
    private(set) var lost: Set<Int> = []
    /// When one came back last.
    private(set) var lastReturn: HostTime?

    static let patience = Duration.seconds(40)
    /// The program's own: for TLS, and for the answer to an invitation.
    private static let (openingLimit, answerLimit) = (Duration.seconds(5), Duration.seconds(10))

    init(_ count: Int, rate: Double, _ costs: Costs, seed: UInt64, isForgetful: Bool = false) throws {
        (self.costs, self.isForgetful) = (costs, isForgetful)
        let room = RoomConfiguration(seats: count, policy: .open, linkPort: 7_777)
        host = SimulatedHost(EngineConfiguration(room: room, merge: MergeConfiguration()), now: now)
        busyUntil = now
        secrets = Array(repeating: nil, count: count)
        epochs = Array(repeating: 0, count: count)
        attempts = epochs
        let rule = TimelineRule(MergeConfiguration(), rate: rate)
        books = Array(repeating: LeaseBooks(.timeline(rule), admittedAt: now), count: count)
        for place in 0..<count {
            let seed = seed &* 1_000 &+ UInt64(place)
            controllers.append(
                SimulatedController(
                    place + 1, over: .udp, try NetworkConditions(parsing: "delay=1ms"), rate: rate, seed: seed,
                    now: now))
            plans.append(ReturnPlan(patience: Self.patience, seed: seed))
            returns.append(.seated)
            let conversation = newConversation()
            returns[place] = .asks(conversation, until: .distantFuture)
            invite(place, conversation, invitation(of: place))
        }
    }

    /// Controllers whose link is heard.
    var live: Int { controllers.count { $0.link.state == .live } }

    /// Everything in which the host's books are not the truth.
    var differences: [String] {
        host.engine.coordinator.reports(now: now).flatMap { report in
            let place = controllers.firstIndex { $0.id == report.controller }
            return place.map { books[$0].differences(report) } ?? ["\(report.name) is nobody"]
        }
    }

    /// Lets time pass.
    ///
    /// - Parameter isStopped: the host does nothing; what arrives waits.
    mutating func run(for duration: Duration, isStopped: Bool = false) {
        let end = now + duration
        while now < end {
            now = now + .milliseconds(20)
            for place in controllers.indices { turn(place) }
            if !isStopped { work() }
        }
        if isStopped { busyUntil = now }
    }

    // MARK: The controllers

    private mutating func turn(_ place: Int) {
        controllers[place].readSensor(now: now)
        controllers[place].hear(now: now)
        keepSeat(place)
        controllers[place].send(now: now)
        for arrival in controllers[place].up.deliver(until: now.nanoseconds) { jobs.append(.datagram(place, arrival)) }
    }

    /// What `roomful join` does about its seat.
    private mutating func keepSeat(_ place: Int) {
        let state = controllers[place].link.state
        switch returns[place] {
        case .seated:
            guard state.needsRejoin || state == .ended(.replaced) else { return }
            if isForgetful { plans[place] = ReturnPlan(patience: Self.patience, seed: UInt64(place)) }
            let time = plans[place].begin(at: device(place))
            wait(place, isForgetful ? .zero : time)
        case .waits, .knocks:
            if state == .live { return returns[place] = .seated }
            tryAgain(place)
        case .asks:
            if state == .live, isForgetful { return returns[place] = .seated }
            tryAgain(place)
        }
    }

    private mutating func tryAgain(_ place: Int) {
        switch returns[place] {
        case .waits(let until) where until <= now:
            attempts[place] += 1
            let conversation = newConversation()
            returns[place] = .knocks(conversation, until: now + plans[place].stretched(Self.openingLimit))
            jobs.append(.handshake(place, conversation))
        case .knocks(_, let until) where until <= now, .asks(_, let until) where until <= now:
            switch plans[place].failed(at: device(place), .tooSlow) {
            case .wait(let time): wait(place, time)
            case .giveUp:
                lost.insert(place)
                returns[place] = .waits(until: .distantFuture)
            }
        case .seated, .waits, .knocks, .asks: break
        }
    }

    private mutating func wait(_ place: Int, _ time: Duration) { returns[place] = .waits(until: now + time) }

    private func device(_ place: Int) -> DeviceTime { controllers[place].clock.device(now) }

    private mutating func newConversation() -> ConversationID {
        conversations += 1
        return ConversationID(rawValue: conversations)
    }

    private func invitation(of place: Int) -> Invitation {
        Invitation(
            controller: controllers[place].id.description, process: "0000000000000001", name: "Pad \(place + 1)",
            streams: controllers[place].declarations.map(StreamOffer.init), haptics: true, timeout: 10_000,
            secret: secrets[place])
    }

    // MARK: The host

    /// Does what has come, one thing after the other, until its time is used up.
    private mutating func work() {
        while busyUntil <= now {
            if host.isAwake(now), !isTurnQueued {
                jobs.append(.turn)
                isTurnQueued = true
            }
            guard !jobs.isEmpty else { return busyUntil = now }
            switch jobs.removeFirst() {
            case .turn:
                isTurnQueued = false
                turnRoom()
            case .handshake(let place, let conversation):
                busyUntil = busyUntil + costs.handshake
                opened(place, conversation)
            case .invitation(let place, let conversation, let invitation):
                busyUntil = busyUntil + costs.invitation
                invite(place, conversation, invitation)
            case .datagram(let place, let arrival):
                busyUntil = busyUntil + costs.datagram
                receive(arrival, of: place)
            }
        }
    }

    private mutating func opened(_ place: Int, _ conversation: ConversationID) {
        guard case .knocks(conversation, _) = returns[place] else { return }
        returns[place] = .asks(conversation, until: now + plans[place].stretched(Self.answerLimit))
        jobs.append(.invitation(place, conversation, invitation(of: place)))
    }

    private mutating func receive(_ arrival: ImpairedLink<Packet>.Arrival, of place: Int) {
        var packet = arrival.payload
        let at = HostTime(nanoseconds: arrival.at)
        var fresh: [LeaseBooks.Fresh] = []
        if let record = packet.record {
            _ = books[place].arrived(record, from: packet.source, at: at, now: now, into: &fresh)
        }
        host.receive(&packet.bytes, from: packet.source, arrivedAt: at, now: now)
    }

    /// Carries an invitation out, whether or not anybody waits for the answer still.
    private mutating func invite(_ place: Int, _ conversation: ConversationID, _ invitation: Invitation) {
        let number = conversation.rawValue
        let secret = number.paddedHex + String(repeating: "5", count: 48)
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: 0, d: 0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: secret, secretHash: Evening.hash(secret),
            presentedHash: invitation.secret.map(Evening.hash))
        host.handle(.invite(invitation, from: conversation, over: .udp, material, source: nil), at: now)
        turnRoom()
        for case (conversation, .seated(let seated)) in host.said {
            let epoch = LinkEpoch(
                connection: ConnectionID(rawValue: seated.link.connection), sendKey: key(1), receiveKey: key(2))
            books[place].open(epoch.connection, epoch.sendKey, continues: seated.continues, now: now)
            guard case .asks(conversation, _) = returns[place] else { continue }
            sit(place, seated, epoch)
        }
        host.said.removeAll()
    }

    private mutating func sit(_ place: Int, _ seated: Seated, _ epoch: LinkEpoch) {
        secrets[place] = seated.secret
        epochs[place] += 1
        if controllers[place].nextSampleAt == nil {
            controllers[place].nextSampleAt = now + .milliseconds(Int64(place))
        } else {
            lastReturn = now
            plans[place].concluded(at: device(place))
        }
        controllers[place].epoch = epoch
        controllers[place].link.open(
            epoch, continues: seated.continues, patience: isForgetful ? .seconds(5) : Self.patience, now: device(place))
        returns[place] = .seated
    }

    private mutating func turnRoom() {
        guard host.isAwake(now) else { return }
        host.turn(now)
        busyUntil = busyUntil + costs.datagram * host.sent.count
        for (destination, bytes) in host.sent {
            guard case .address(let address) = destination,
                let place = controllers.firstIndex(where: { $0.address == address })
            else { continue }
            let source = PeerAddress(ipv4: 0x0A00_0001, port: 7_777)
            _ = controllers[place].down.send(Packet(bytes: bytes, source: source, record: nil), at: now.nanoseconds)
        }
        host.sent.removeAll(keepingCapacity: true)
        host.events.removeAll(keepingCapacity: true)
    }
}
