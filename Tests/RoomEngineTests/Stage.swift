import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

@testable import RoomSimulation

/// An engine and a few controllers over networks of known length, in simulated time: for rules that need no socket.
struct Stage {
    var host: SimulatedHost
    var controllers: [SimulatedController]
    private(set) var now = HostTime(nanoseconds: 3_600_000_000_000)
    /// Everything told so far.
    private(set) var events: [RoomEvent] = []
    /// Somebody with a seat who asks for more work than anybody should, if there is one.
    var guest: BridgingGuest?
    /// In every turn, somebody asks how far the players are known, behind all that has arrived.
    var asksWatermarks = false
    /// What was answered, and how many of ``events`` had been told by then.
    private(set) var reports: [(players: [PlayerWatermark], behind: Int)] = []
    /// What one unit of the engine's work takes; while the host works, what arrives waits in its socket.
    var unitTime: Duration = .zero
    /// The longest that an honest controller's datagram waited there.
    private(set) var longestWait: Duration = .zero
    private var busyUntil: HostTime
    private var waiting: [(at: HostTime, bytes: [UInt8])] = []

    /// - Parameters:
    ///   - rates: samples a second, one for each controller.
    ///   - networks: each controller's way in both directions, as `roomful lab fleet --network` takes it.
    init(
        _ merge: MergeConfiguration = MergeConfiguration(), rates: [Double], networks: [String],
        grace: Duration = .seconds(30), idleReset: Duration? = nil, dives: [Dive?] = [],
        mode: RoomConfiguration.Mode = .competitive
    ) throws {
        let room = RoomConfiguration(
            seats: rates.count + 1, policy: .open, mode: mode, graceTimeout: grace, linkPort: 7_777,
            idleReset: idleReset)
        host = SimulatedHost(EngineConfiguration(room: room, merge: merge), now: now)
        busyUntil = now
        controllers = []
        for (place, rate) in rates.enumerated() {
            controllers.append(
                SimulatedController(
                    place + 1, over: .udp, try NetworkConditions(parsing: networks[place]), rate: rate,
                    dive: dives.indices.contains(place) ? dives[place] : nil, seed: UInt64(place), now: now))
        }
        for place in controllers.indices { join(place) }
    }

    /// The controller's program asks for its seat, and has it in this turn.
    ///
    /// - Parameter process: which run of the program it is.
    mutating func join(_ place: Int, process: String = "0000000000000001") {
        let conversation = ConversationID(rawValue: UInt64(place + 1))
        let invitation = Invitation(
            controller: controllers[place].id.description, process: process, name: "Pad \(place + 1)",
            streams: controllers[place].declarations.map(StreamOffer.init), haptics: true, timeout: nil)
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: UInt64(place + 1), b: kind, c: 0, d: 0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "", secretHash: [1],
            presentedHash: controllers[place].epoch == nil ? nil : [1])
        host.handle(.invite(invitation, from: conversation, over: .udp, material, source: nil), at: now)
        host.turn(now)
        for case (conversation, .seated(let seated)) in host.said {
            let epoch = LinkEpoch(
                connection: ConnectionID(rawValue: seated.link.connection), sendKey: key(1), receiveKey: key(2))
            controllers[place].epoch = epoch
            controllers[place].stay = .seated
            controllers[place].openLink(epoch, continues: false, now: now)
            controllers[place].nextSampleAt = now + .microseconds(100)
        }
    }

    /// Lets time pass; each controller's hand pushes at these moments from now, in ms.
    mutating func run(for duration: Duration, pushes: [[Int64]] = []) {
        for (place, moments) in pushes.enumerated() {
            controllers[place].pushes = moments.map { now + .milliseconds($0) }
        }
        let end = now + duration
        while true {
            var next = max(busyUntil, host.engine.nextDeadline ?? .distantFuture)
            for controller in controllers {
                let due = controller.nextEvent ?? .distantFuture
                next = min(next, busyUntil > now ? max(due, now + .microseconds(100)) : due)
            }
            if let guest { next = min(next, guest.nextAt) }
            guard next < end, longestWait < .seconds(1) else { break }
            now = max(next, now + .microseconds(1))
            step()
        }
        now = end
        step()
    }

    /// The host stands still for so long.
    mutating func sleep(for duration: Duration) {
        busyUntil = now + duration
        run(for: duration)
    }

    private mutating func step() {
        for place in controllers.indices {
            controllers[place].readSensor(now: now)
            controllers[place].hear(now: now)
            controllers[place].send(now: now)
            // Nobody asks again here but who is told to.
            if case .asksAt = controllers[place].stay { controllers[place].stay = .away }
        }
        while let due = guest?.nextAt, due <= now { if let bytes = guest?.datagram() { waiting.append((due, bytes)) } }
        guard now >= busyUntil else { return }
        let before = host.engine.workDone
        deliver()
        let request = RequestID(rawValue: 77)
        if asksWatermarks { host.handle(.command(.watermarks, request), at: now) }
        guard host.isAwake(now) else { return }
        host.turn(now)
        if case .success(.watermarks(_, let players, _)) = host.answers.removeValue(forKey: request) {
            reports.append((players, events.count + (host.eventsBefore[request] ?? 0)))
        }
        busyUntil = now + unitTime * Int(host.engine.workDone - before)
        takeEvents()
    }

    /// Everything that has arrived, in the order of its coming; each waits for the work on those before it.
    private mutating func deliver() {
        var all: [(at: HostTime, packet: Packet?, bytes: [UInt8])] = waiting.map { ($0.at, nil, $0.bytes) }
        waiting = []
        for place in controllers.indices {
            for arrival in controllers[place].up.deliver(until: now.nanoseconds) {
                all.append((HostTime(nanoseconds: arrival.at), arrival.payload, arrival.payload.bytes))
            }
        }
        all.sort { $0.at < $1.at }
        let before = host.engine.workDone
        for arrival in all {
            let worked = unitTime * Int(host.engine.workDone - before)
            if arrival.packet != nil { longestWait = max(longestWait, now - arrival.at + worked) }
            var bytes = arrival.bytes
            let source = arrival.packet?.source ?? BridgingGuest.address
            host.receive(&bytes, from: source, arrivedAt: arrival.at, now: now)
        }
    }

    /// Strangers' datagrams reach the host's socket now.
    mutating func throwIn(_ datagrams: [[UInt8]]) { waiting += datagrams.map { (now, $0) } }

    private mutating func takeEvents() {
        events += host.events
        host.events = []
        for case (.address(let address), let bytes) in host.sent {
            guard let place = controllers.firstIndex(where: { $0.address == address }) else { continue }
            _ = controllers[place].down.send(
                Packet(bytes: bytes, source: address, conversation: nil, record: nil), at: now.nanoseconds)
        }
        host.sent = []
    }

    var verdicts: [Verdict] { events.compactMap { if case .verdict(let verdict) = $0 { verdict } else { nil } } }
}
