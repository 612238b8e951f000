import ControllerSession
import InputMerge
import LinkEmulation
import RoomSimulation
import SessionCoordinator
import WireProtocol

/// A host and its controllers, with a bad network between them, on one clock that is moved by hand.
///
/// Everything follows from the seed. ``truth`` keeps the books that the host's must equal.
struct SimulatedRoom {
    var host: HostedRoom
    var pads: [SimulatedController]
    private(set) var truth = Truth()
    private(set) var now: HostTime
    /// While the host stands still, its socket collects what arrives.
    var hostSleepsUntil: HostTime?
    /// Whether controllers can reach the host over TLS.
    var isControlUp = true
    private let configuration: RoomConfiguration
    private var lives: UInt64 = 0
    private var leftSoFar = 0
    /// Datagrams whose sender recorded other runs than it wrote.
    private var wrongRecords = 0

    /// - Parameters:
    ///   - count: controllers; each with a clock of its own, years apart and up to 200 ppm off.
    ///   - clockStep: nanoseconds in which these move.
    init(
        _ count: Int, _ conditions: NetworkConditions = NetworkConditions(), seed: UInt64,
        configuration: RoomConfiguration = RoomConfiguration(seats: 8, policy: .open), interval: Int64 = 10_000_000,
        batch: Int = 1, clockStep: Int64 = 1, merging: MergeConfiguration? = nil
    ) {
        let start = HostTime.ms(0)
        var random = SeededGenerator(seed: seed)
        now = start
        self.configuration = configuration
        host = HostedRoom(configuration, now: start)
        host.sink.merge = merging.map { Merge(configuration: $0) }
        pads = (1...count).map { number in
            let years = Int64(number) * 31_557_600_000_000_000
            let clock = SimulatedClock(
                offset: years + Int64(random.fraction() * 1e9), drift: (random.fraction() * 2 - 1) * 0.0002,
                step: clockStep)
            return SimulatedController(
                UInt64(number), conditions: conditions, clock: clock, interval: interval, seed: random.next(),
                now: start, batch: batch)
        }
    }

    // MARK: What happens

    /// Asks for a seat over TLS, and opens the link when it is granted.
    mutating func join(_ place: Int) {
        pads[place].triedAt = now
        guard isControlUp, hostSleepsUntil == nil else { return }
        var guest = pads[place].guest
        guest.secret = pads[place].seated?.secret
        let answer = host.invite(guest)
        settle()
        guard let seated = answer?.seat else {
            if answer?.refusal?.reason == .alreadySeated { pads[place].seated = nil }
            return
        }
        guard let pad = Pad(seated) else { return }
        pads[place].seated = seated
        pads[place].keys = pad
        truth.linkOpened(pad, continues: seated.continues, now: now)
        pads[place].link.open(
            LinkEpoch(connection: pad.connection, sendKey: pad.motionKey, receiveKey: pad.feedbackKey),
            continues: seated.continues, now: pads[place].clock.device(now))
    }

    /// Everyone joins, and reads the sensor from then on; not all at the same moment.
    mutating func joinAll() {
        for place in pads.indices {
            join(place)
            pads[place].nextSampleAt = now + .nanoseconds(Int64(place + 1) * 1_234_567)
        }
    }

    /// The host's process dies and starts anew with what it had committed.
    mutating func restartHost() {
        lives += 1
        host = HostedRoom(configuration, leases: host.disk, now: now, epoch: lives)
        truth.hostRestarted()
        leftSoFar = 0
    }

    /// Stops the sensors, mends the network, and waits until nothing is on its way.
    mutating func drain(_ duration: Duration = .seconds(3)) {
        for place in pads.indices {
            pads[place].nextSampleAt = nil
            pads[place].conditions = NetworkConditions()
            pads[place].isUp = true
        }
        run(for: duration)
    }

    // MARK: Time

    mutating func run(for duration: Duration) { run(until: now + duration) }

    mutating func run(until end: HostTime) {
        while let next = nextEvent, next <= end {
            // No two moments are closer than a microsecond: whatever is due always comes to its turn.
            now = max(next, now + .microseconds(1))
            step()
        }
        now = max(now, end)
        step()
    }

    private var nextEvent: HostTime? {
        var next: HostTime?
        func consider(_ time: HostTime?) {
            if let time { next = min(next ?? time, time) }
        }
        if let wakes = hostSleepsUntil { consider(wakes) } else { consider(host.nextDeadline) }
        for pad in pads {
            guard let time = pad.nextEvent else { continue }
            // What reaches a host that sleeps waits in its socket.
            consider(hostSleepsUntil != nil ? max(time, now + .milliseconds(1)) : time)
        }
        return next
    }

    private mutating func step() {
        for place in pads.indices {
            pads[place].readSensor(now: now)
            pads[place].hear(now: now)
            send(from: place)
            let patience = pads[place].triedAt.map { now - $0 >= .milliseconds(500) } ?? true
            if pads[place].joinsAgain, pads[place].link.needsRejoin, pads[place].isUp, patience { join(place) }
        }
        if let wakes = hostSleepsUntil, now < wakes { return }
        hostSleepsUntil = nil
        deliverToHost()
        serve()
    }

    private mutating func send(from place: Int) {
        var buffer = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let time = pads[place].clock.device(now)
        while let sent = buffer.withUnsafeMutableBytes({
            pads[place].link.nextDatagram(into: $0, cipher: TestCipher(), now: time)
        }) {
            let bytes = Array(buffer[..<sent.size])
            guard let keys = pads[place].keys else { continue }
            let entry = SentRecord(sent, bytes: bytes, by: keys)
            if !entry.agrees(with: sent.runs) { wrongRecords += 1 }
            let packet = Packet(bytes: bytes, source: pads[place].address, entry: truth.sent(entry))
            _ = pads[place].up.send(packet, at: now.nanoseconds)
        }
    }

    private mutating func deliverToHost() {
        var arrivals = pads.indices.flatMap { pads[$0].up.deliver(until: now.nanoseconds) }
        arrivals.sort { $0.at < $1.at }
        for arrival in arrivals {
            guard let entry = arrival.payload.entry else { continue }
            truth.arrived(
                entry, from: arrival.payload.source, now: now,
                damaged: arrival.isCorrupted ? arrival.payload.bytes : nil)
            host.receive(
                arrival.payload.bytes, from: arrival.payload.source, at: HostTime(nanoseconds: arrival.at), seenAt: now)
            settle()
        }
    }

    private mutating func serve() {
        host.stand(until: now)
        settle()
        for sent in host.outgoing {
            guard let place = pads.firstIndex(where: { $0.address == sent.address }) else { continue }
            let packet = Packet(bytes: sent.bytes, source: .lan(1, port: 7_777), entry: nil)
            _ = pads[place].down.send(packet, at: now.nanoseconds)
        }
        host.outgoing.removeAll(keepingCapacity: true)
    }

    /// Tells the truth who left.
    private mutating func settle() {
        for (what, _) in host.occurrences[leftSoFar...] {
            if case .player(let change) = what, change.state == .left { truth.left(change.peer, now: now) }
        }
        leftSoFar = host.occurrences.count
    }

    // MARK: Questions

    /// Everything in which the host's books, or the order of what it handed on, differ from the truth.
    var differences: [String] {
        var all = Books.differences(host, truth)
        if wrongRecords > 0 { all.append("\(wrongRecords) datagrams carried other runs than their sender recorded") }
        return all
    }

    /// When each of a controller's samples reached the merge, or `nil`, in the order of the samples.
    func arrivals(of place: Int) -> [HostTime?] {
        var times: [DeviceTime: HostTime] = [:]
        for (sampledAt, arrivedAt) in zip(host.sink.sampledAt, host.sink.arrivedAt) { times[sampledAt] = arrivedAt }
        return pads[place].appended.map { times[$0.sampledAt] }
    }

    /// How many of a controller's samples never reached the merge.
    func lostSamples(of place: Int) -> Int { arrivals(of: place).count { $0 == nil } }
}
