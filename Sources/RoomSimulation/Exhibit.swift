import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
package import SessionCoordinator
import WireProtocol

/// A room that nobody looks after, for months: every day visitors come with phones of their own, play for half a minute, and
/// leave, or vanish, or come back as another run of their program; now and then the power fails while people play. Time is moved
/// by hand.
///
/// The engine, the links and the network are those of an ``Evening``. What the host commits is handed out, so that whoever
/// plays this can keep it with real storage, and compare.
package struct Exhibit {
    /// What happened so far.
    package struct Counts: Hashable, Sendable {
        package var visits = 0
        package var goodbyes = 0
        package var vanished = 0
        package var returns = 0
        package var refused = 0
        package var gestures = 0
        /// Players that the room said had joined: each visitor once, whatever happens to phones and power.
        package var joined = 0
        /// Players that the room said had left.
        package var left = 0
        /// Seats that were taken when the power failed, and given back.
        package var restored = 0
    }

    private struct Visitor {
        var controller: SimulatedController
        let leavesAt: HostTime
        var returnsAt: HostTime?
        let vanishes: Bool
        var seat = 0
        /// Its goodbyes have their time on the network.
        var isGoneAt: HostTime?
    }

    private var host: SimulatedHost
    private var visitors: [Visitor] = []
    private var random: SeededGenerator
    private var now = HostTime(nanoseconds: 3_600_000_000_000)
    private var links: UInt64 = 0
    private let network: NetworkConditions
    private let rate: Double
    package private(set) var counts = Counts()
    /// What must not be, in words.
    package private(set) var violations: [String] = []

    /// - Parameter rate: samples a second of each phone.
    package init(seed: UInt64, seats: Int, rate: Double) throws {
        random = SeededGenerator(seed: seed)
        network = try NetworkConditions(parsing: "loss=2%,delay=10±5ms")
        self.rate = rate
        let room = RoomConfiguration(
            seats: seats, policy: .open, graceTimeout: .seconds(30), linkPort: 7_777, idleReset: .seconds(180))
        host = SimulatedHost(
            EngineConfiguration(room: room, merge: MergeConfiguration(gestures: GestureDefinition.all)), now: now)
    }

    /// The seats that are kept, as this simulation knows them.
    package var leases: [Lease] { host.disk }

    /// A day from opening to closing, and the night after it.
    ///
    /// - Parameters:
    ///   - visits: how many come in eight hours, evenly at random.
    ///   - keep: is given what the host commits, in order.
    ///   - powerCut: `nil` for a day without one; else it happens in the afternoon, while at least two seats are taken, and
    ///     this gives what whoever kept it finds then.
    package mutating func day(visits: Int, keep: ([LeaseChange]) -> Void, powerCut: (() throws -> [Lease])? = nil)
        throws
    {
        command(.unlock)
        let opening = now
        var arrivals: [HostTime] = []
        for _ in 0..<visits { arrivals.append(opening + .seconds(8 * 3_600) * random.fraction()) }
        arrivals.sort(by: >)
        var lacksPower = powerCut
        while let next = arrivals.last {
            arrivals.removeLast()
            run(until: next, keep)
            arrive()
            guard let cut = lacksPower, arrivals.count < visits / 2, visitors.count > 1 else { continue }
            take(keep)
            try restart(from: cut())
            lacksPower = nil
        }
        if lacksPower != nil { violations.append("nobody was there for the power to fail") }
        run(until: opening + .seconds(8 * 3_600), keep)
        command(.lock)
        run(until: opening + .seconds(17 * 3_600), keep)
        if !host.disk.isEmpty { violations.append("at night \(host.disk.count) seats are taken") }
        if !visitors.isEmpty { violations.append("at night \(visitors.count) visitors are there") }
        run(until: opening + .seconds(24 * 3_600), keep)
    }

    /// Another process finds these seats, and everybody who is there asks for theirs.
    private mutating func restart(from leases: [Lease]) {
        var committed = host.disk
        for place in committed.indices { committed[place].generation = 0 }
        if leases != committed { violations.append("\(leases.count) seats were kept otherwise than committed") }
        host.restart(leases: leases, now: now)
        for place in visitors.indices where visitors[place].isGoneAt == nil {
            var visitor = visitors[place]
            let seat = visitor.seat
            if !join(&visitor) || visitor.seat != seat {
                violations.append(
                    "\(visitor.controller.number) had seat \(seat), and has \(visitor.seat) after the power failed")
            }
            counts.restored += 1
            visitors[place] = visitor
        }
    }

    private mutating func command(_ command: RoomCommand) {
        host.handle(.command(command, RequestID(rawValue: UInt64(host.turns) + 1)), at: now)
    }

    private mutating func arrive() {
        counts.visits += 1
        var controller = SimulatedController(
            counts.visits, over: .udp, network, rate: rate, seed: random.next(), now: now)
        let stay = Duration.seconds(20) + .seconds(20) * random.fraction()
        controller.pushes = [now + stay * 0.5]
        let kind = random.fraction()
        var visitor = Visitor(
            controller: controller, leavesAt: now + stay, returnsAt: kind < 0.1 ? now + stay * 0.3 : nil,
            vanishes: kind > 0.8)
        if join(&visitor) { visitors.append(visitor) } else { counts.refused += 1 }
    }

    /// Asks for a seat; false when there is none.
    private mutating func join(_ visitor: inout Visitor) -> Bool {
        let number = UInt64(visitor.controller.number)
        let conversation = ConversationID(rawValue: number)
        let invitation = Invitation(
            controller: visitor.controller.id.description, process: visitor.controller.process.paddedHex,
            name: "Visitor \(number)",
            streams: visitor.controller.declarations.map(StreamOffer.init), haptics: true, timeout: nil)
        links += 1
        let link = links
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: link, d: 0) }
        let hash = withUnsafeBytes(of: number.littleEndian) { Array($0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "", secretHash: hash,
            presentedHash: visitor.seat > 0 ? hash : nil)
        host.handle(.invite(invitation, from: conversation, over: .udp, material, source: nil), at: now)
        host.turn(now)
        for case (conversation, .seated(let seated)) in host.said {
            let epoch = LinkEpoch(
                connection: ConnectionID(rawValue: seated.link.connection), sendKey: key(1), receiveKey: key(2))
            visitor.controller.epoch = epoch
            visitor.controller.stay = .seated
            visitor.controller.openLink(epoch, continues: seated.continues, now: now)
            visitor.controller.nextSampleAt = now + .milliseconds(1)
            visitor.seat = seated.seat
            return true
        }
        return false
    }

    private mutating func run(until end: HostTime, _ keep: ([LeaseChange]) -> Void) {
        // A seat that was given between two runs.
        take(keep)
        while true {
            var next = host.engine.nextDeadline ?? .distantFuture
            for visitor in visitors {
                next = min(next, visitor.controller.nextEvent ?? .distantFuture, visitor.isGoneAt ?? visitor.leavesAt)
                if let back = visitor.returnsAt { next = min(next, back) }
            }
            guard next < end else { break }
            now = max(next, now + .microseconds(1))
            step(keep)
        }
        now = end
        step(keep)
    }

    private mutating func step(_ keep: ([LeaseChange]) -> Void) {
        for place in visitors.indices {
            if let back = visitors[place].returnsAt, back <= now { comeBack(place) }
            if visitors[place].leavesAt <= now, visitors[place].isGoneAt == nil { leave(place) }
            visitors[place].controller.readSensor(now: now)
            visitors[place].controller.hear(now: now)
            visitors[place].controller.send(now: now)
            for arrival in visitors[place].controller.up.deliver(until: now.nanoseconds) {
                var bytes = arrival.payload.bytes
                host.receive(
                    &bytes, from: arrival.payload.source, arrivedAt: HostTime(nanoseconds: arrival.at), now: now)
            }
        }
        visitors.removeAll { $0.isGoneAt.map { $0 <= now } ?? false }
        guard host.isAwake(now) else { return }
        host.turn(now)
        take(keep)
    }

    private mutating func comeBack(_ place: Int) {
        var visitor = visitors[place]
        visitor.returnsAt = nil
        let pushes = visitor.controller.pushes
        visitor.controller.startAnew(
            SimulatedClock(offset: Int64(truncatingIfNeeded: random.next() >> 8), drift: 0), now: now)
        visitor.controller.pushes = pushes
        counts.returns += 1
        if !join(&visitor) { violations.append("a return was refused: \(visitor.controller.number)") }
        visitors[place] = visitor
    }

    private mutating func leave(_ place: Int) {
        if visitors[place].vanishes {
            counts.vanished += 1
            visitors[place].isGoneAt = now
        } else {
            counts.goodbyes += 1
            visitors[place].controller.link.goodbye(.left, now: visitors[place].controller.clock.device(now))
            visitors[place].isGoneAt = now + .seconds(1)
        }
        visitors[place].controller.nextSampleAt = nil
    }

    private mutating func take(_ keep: ([LeaseChange]) -> Void) {
        if !host.changes.isEmpty { keep(host.changes) }
        host.changes = []
        for event in host.events {
            if case .gesture(let gesture, _) = event, gesture.gesture == .keepCalmJump, gesture.phase == .began {
                counts.gestures += 1
            }
            if case .player(let player) = event {
                counts.joined += player.state == .joined ? 1 : 0
                counts.left += player.state == .left ? 1 : 0
            }
        }
        for case (.address(let address), let bytes) in host.sent {
            guard let place = visitors.firstIndex(where: { $0.controller.address == address }) else { continue }
            _ = visitors[place].controller.down.send(
                Packet(bytes: bytes, source: address, conversation: nil, record: nil), at: now.nanoseconds)
        }
        (host.events, host.sent, host.said, host.closed) = ([], [], [], [])
        (host.answers, host.eventsBefore) = ([:], [:])
    }
}
