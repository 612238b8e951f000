import ControllerSession
import RoomSimulation
import SessionCoordinator
import WireProtocol

/// A host and its controllers, and everything that a script can do to them and to the network between them.
///
/// The host's books must equal ``truth`` at all times; ``Promises`` are what else must never be broken.
struct ScriptWorld {
    var host: HostedRoom
    var pads: [ScriptPad]
    var truth = Truth()
    var promises = Promises()
    var now = HostTime.ms(0)
    /// Moments that the script may still use up.
    var momentsLeft = 1_200
    let configuration: RoomConfiguration
    private var lives: UInt64 = 0
    private var leftSoFar = 0

    init(_ script: inout ScriptReader) {
        let setup = script.byte()
        let policies: [RoomConfiguration.Policy] = [.open, .code, .ask, .open]
        configuration = RoomConfiguration(
            seats: 1 + Int(setup & 3), policy: policies[Int(setup >> 2 & 3)],
            mode: setup & 16 == 0 ? .competitive : .collaborative, code: "ABC")
        host = HostedRoom(configuration, now: .ms(0))
        pads = (0..<3).map { number in
            // The third may be a second device of the first one's owner.
            let guest: UInt64 = number == 2 && setup & 32 != 0 ? 1 : UInt64(number) + 1
            let clock = SimulatedClock(
                offset: Int64(number) * 31_557_600_000_000_000 + 12_345, drift: 0.0002 * Double(number - 1))
            return ScriptPad(UInt64(number), guest: guest, clock: clock, now: .ms(0))
        }
        promises.begin(host)
    }

    // MARK: Joining

    mutating func join(_ place: Int, code: String? = "ABC", secret: String?, isHeard: Bool = true) {
        var guest = pads[place].guest
        (guest.code, guest.secret) = (code, secret)
        let conversation = host.newConversation()
        pads[place].turn(to: conversation)
        pads[place].isDeafToAnswers = !isHeard
        pads[place].triedAt = now
        host.invite(guest, from: conversation)
        settle()
    }

    /// The host's process dies and starts anew with what it had committed.
    mutating func restartHost() {
        lives += 1
        host = HostedRoom(configuration, leases: host.disk, now: now, epoch: lives)
        truth.hostRestarted()
        leftSoFar = 0
        for place in pads.indices { (pads[place].conversation, pads[place].forsaken) = (nil, []) }
        promises.begin(host)
    }

    /// Everyone who has a seat leaves with the room.
    mutating func close() {
        let present = host.coordinator.reports(now: now).map(\.peer).sorted()
        host.perform(host.coordinator.close(now: now))
        for peer in present { truth.left(peer, now: now) }
        promises.closed()
        settle()
    }

    /// Tells the truth who left, and controllers what was answered.
    mutating func settle() {
        for (what, _) in host.occurrences[leftSoFar...] {
            guard case .player(let change) = what else { continue }
            promises.note(change)
            if change.state == .left { truth.left(change.peer, now: now) }
        }
        leftSoFar = host.occurrences.count
        for place in pads.indices { readAnswers(place) }
    }

    private mutating func readAnswers(_ place: Int) {
        for index in pads[place].forsaken.indices {
            let (conversation, read) = pads[place].forsaken[index]
            let answers = host.answers[conversation] ?? []
            for answer in answers[read...] {
                guard let seated = answer.seat, let keys = Pad(seated) else { continue }
                truth.linkOpened(keys, continues: seated.continues, now: now)
                promises.linkOpened(keys, continues: seated.continues)
            }
            pads[place].forsaken[index].answersRead = answers.count
        }
        guard let conversation = pads[place].conversation, let answers = host.answers[conversation] else { return }
        for answer in answers[pads[place].answersRead...] {
            if answer.refusal?.reason == .alreadySeated { pads[place].seated = nil }
            guard let seated = answer.seat, let keys = Pad(seated) else { continue }
            truth.linkOpened(keys, continues: seated.continues, now: now)
            promises.linkOpened(keys, continues: seated.continues)
            guard !pads[place].isDeafToAnswers else { continue }
            pads[place].seated = seated
            pads[place].keys = keys
            pads[place].link.open(
                LinkEpoch(connection: keys.connection, sendKey: keys.motionKey, receiveKey: keys.feedbackKey),
                continues: seated.continues, now: pads[place].clock.device(now))
        }
        pads[place].answersRead = answers.count
    }

    // MARK: Time

    mutating func pass(_ duration: Duration, thenEach body: (inout ScriptWorld) -> Void = { _ in }) {
        let end = now + duration
        while momentsLeft > 0, let next = nextEvent, next <= end {
            // No two moments are closer than a microsecond: whatever is due always comes to its turn.
            now = max(next, now + .microseconds(1))
            momentsLeft -= 1
            step()
            body(&self)
        }
        now = max(now, end)
        step()
    }

    private var nextEvent: HostTime? {
        var next = host.coordinator.nextDeadline
        for pad in pads {
            if let time = pad.nextEvent { next = min(next ?? time, time) }
        }
        return next
    }

    /// One moment: what is due leaves, and crosses where the network flows.
    mutating func step() {
        for place in pads.indices {
            pads[place].readSensor(now: now)
            send(from: place)
            if pads[place].flows { while !pads[place].up.isEmpty { deliverUp(place, 0) } }
        }
        serve()
        for place in pads.indices where pads[place].flows {
            while !pads[place].down.isEmpty { deliverDown(place, 0) }
        }
        promises.check(host, now: now)
    }

    private mutating func send(from place: Int) {
        for (sent, bytes) in pads[place].send(now: now) {
            guard let keys = pads[place].keys else { preconditionFailure("a link without keys sends") }
            let entry = SentRecord(sent, bytes: bytes, by: keys)
            let packet = ScriptPacket(bytes: bytes, address: pads[place].address, entry: truth.sent(entry))
            pads[place].up.append(packet)
            if pads[place].up.count > 48 { pads[place].up.removeFirst() }
        }
    }

    /// The host has a moment: what is due leaves.
    mutating func serve() {
        host.stand(until: now)
        settle()
        for sent in host.outgoing {
            promises.fed(sent.bytes, to: sent.address)
            guard let place = pads.firstIndex(where: { $0.address == sent.address }) else { continue }
            pads[place].down.append(ScriptPacket(bytes: sent.bytes, address: sent.address))
            if pads[place].down.count > 48 { pads[place].down.removeFirst() }
        }
        host.outgoing.removeAll(keepingCapacity: true)
    }
}
