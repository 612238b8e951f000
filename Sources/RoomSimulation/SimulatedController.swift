import ControllerSession
import InputMerge
import LinkEmulation
import WireProtocol

/// A datagram on its way, with its sender's log.
struct Packet: EmulatedPayload, Sendable {
    var bytes: [UInt8]
    var source: PeerAddress
    /// What a browser sends dies with the connection that it was sent on.
    var conversation: ConversationID?
    /// `nil` for what the host sent, and for what no honest controller would.
    var record: SentRecord?

    var byteCount: Int { bytes.count }
    mutating func flipBit(_ choice: UInt64) { bytes.flipBit(choice) }
}

/// A controller as a whole: its program's run, its sensor and clock, the bad network on both ways, and its place in the
/// room as it knows it.
struct SimulatedController: Sendable {
    /// What it does about the room.
    enum Stay: Hashable, Sendable {
        /// It does not want to be here.
        case away
        /// It asks for a seat at this moment.
        case asksAt(HostTime)
        /// It has asked on this connection and waits for the answer.
        case asking(ConversationID)
        case seated
    }

    let number: Int
    let id: ControllerID
    let transport: Transport
    var process: UInt64 = 1
    var clock: SimulatedClock
    var link: ControllerLink
    var up: ImpairedLink<Packet>
    var down: ImpairedLink<Packet>
    var address: PeerAddress
    var stay = Stay.away
    var conversation: ConversationID?
    /// The connection that its seat was given on: a page's link speaks there alone, and dies with it.
    var linkConversation: ConversationID?
    var secret: String?
    var epoch: LinkEpoch?
    let interval: Int64
    /// When the sensor reads next; `nil` while it is switched off.
    var nextSampleAt: HostTime?
    /// Its hand presses a button that means the push, instead of pushing.
    let presses: Bool
    /// Moments at which the hand pushes, in ascending order; 40 ms each.
    var pushes: [HostTime] = []
    /// Moments at which a finger taps it, in ascending order; 15 ms each.
    var knocks: [HostTime] = []
    /// What the host wants it to look for itself, and what it has found and felt so.
    private var taps: LocalTaps?
    private(set) var finds: [(id: UInt32, at: HostTime)] = []
    private var findsTaken = 0
    /// The last sample that was the first to show a push, and has not been looked at.
    var shownPush: HostTime?
    private var isPushing = false
    /// What its hand draws in the air, in ascending order; meanwhile nothing pushes it.
    var drawings: [Drawing] = []
    /// When each of the last samples was really taken, by its time in µs on the device's clock.
    private var takenAt: [Int64: HostTime] = [:]
    /// When it played each haptic, by id.
    private(set) var played: [UInt32: HostTime] = [:]
    /// When its clock was set last, and when it said that it pauses.
    var clockSetAt: HostTime?
    var pausedAt: HostTime?
    /// Of the host's own invitation.
    var ticket: String?
    private var triedAt: HostTime?
    let declarations: [StreamDeclaration]
    /// How deep it is; `nil` for one without a water sensor.
    let dive: Dive?
    private var waterDueAt = HostTime(nanoseconds: .min)
    /// Whether it waits where all seats are taken.
    var isPatient = false

    static let pushLength: Duration = .milliseconds(40)
    static let knockLength: Duration = .milliseconds(15)

    init(
        _ number: Int, over transport: Transport, _ conditions: NetworkConditions, rate: Double,
        presses: Bool = false, dive: Dive? = nil, clockStep: Int64 = 1, seed: UInt64, now: HostTime
    ) {
        var random = SeededGenerator(seed: seed)
        self.number = number
        self.transport = transport
        id = ControllerID(high: 0xC0FF_EE00_0000_0000, low: UInt64(number))
        clock = SimulatedClock(
            offset: Int64(truncatingIfNeeded: random.next() >> 3) - (1 << 60),
            drift: (random.fraction() * 2 - 1) * 0.0002, step: clockStep)
        interval = Int64(1e9 / rate)
        self.presses = presses
        self.dive = dive
        let motion =
            presses
            ? StreamDeclaration(
                measures: [.acceleration, .rotationRate, .buttons], nominalRate: rate,
                buttonGestures: ["", GestureKind.keepCalmJump.rawValue])
            : StreamDeclaration(nominalRate: rate)
        declarations = dive == nil ? [motion] : [motion, Dive.declaration]
        link = ControllerLink(streams: declarations, configuration: clock.configuration, now: clock.device(now))
        up = ImpairedLink(conditions, seed: seed &* 2)
        down = ImpairedLink(conditions, seed: seed &* 2 + 1)
        address = PeerAddress(ipv4: 0x0A00_0000 | UInt32(number), port: 50_000)
    }

    var conditions: NetworkConditions {
        get { up.conditions }
        set { (up.conditions, down.conditions) = (newValue, newValue) }
    }

    var isUp: Bool {
        get { up.isUp }
        set { (up.isUp, down.isUp) = (newValue, newValue) }
    }

    /// A page says nothing of its old link on the connection on which it asks for a new one.
    private var isSending: Bool { !transport.isReliable || stay == .seated || stay == .away }

    /// When something happens here, on the host's clock.
    var nextEvent: HostTime? {
        var next = nextSampleAt?.nanoseconds ?? .max
        if isSending, let due = link.nextDeadline { next = min(next, clock.host(due).nanoseconds) }
        next = min(next, up.nextDeadline ?? .max, down.nextDeadline ?? .max)
        if case .asksAt(let time) = stay { next = min(next, time.nanoseconds) }
        return next == .max ? nil : HostTime(nanoseconds: next)
    }

    /// For how long it has not heard the host, on a link that is open.
    func silence(_ now: HostTime) -> Duration { link.heardAt.map { now - clock.host($0) } ?? .zero }

    func clockWasSet(within time: Duration, _ now: HostTime) -> Bool { clockSetAt.map { now - $0 < time } ?? false }
    func hasPaused(within time: Duration, _ now: HostTime) -> Bool { pausedAt.map { now - $0 < time } ?? false }

    /// The program dies, and another run of it begins on a clock that may stand elsewhere: it knows the seat's secret,
    /// and nothing else.
    mutating func startAnew(_ clock: SimulatedClock, now: HostTime) {
        self.clock = clock
        clockSetAt = now
        process += 1
        link = ControllerLink(streams: declarations, configuration: clock.configuration, now: clock.device(now))
        epoch = nil
        conversation = nil
        nextSampleAt = nil
        stay = .asksAt(now)
    }

    /// A new link epoch. Where the host begins anew with this program, nothing is looked for that another host wanted.
    mutating func openLink(_ epoch: LinkEpoch, continues: Bool, now: HostTime) {
        link.open(epoch, continues: continues, now: clock.device(now))
        if !continues { taps = nil }
    }

    /// A link that is quiet is replaced; not more often than twice a second.
    mutating func joinAgainIfQuiet(now: HostTime) {
        guard stay == .seated, link.needsRejoin, isUp else { return }
        if let triedAt, now - triedAt < .milliseconds(500) { return }
        triedAt = now
        stay = .asksAt(now)
    }

    mutating func readSensor(now: HostTime) {
        while let at = nextSampleAt, at <= now {
            while let first = pushes.first, at >= first + Self.pushLength { pushes.removeFirst() }
            let isPushed = pushes.first.map { at >= $0 } ?? false
            if isPushed, !isPushing { shownPush = at }
            isPushing = isPushed
            let (force, turn) = drawn(at: at)
            while let first = knocks.first, at >= first + Self.knockLength { knocks.removeFirst() }
            let knock: SIMD3<Float> = knocks.first.map { at >= $0 } == true ? SIMD3(0, 0, 15) : .zero
            let sample = Sample(
                sampledAt: clock.device(at), measures: declarations[0].measures,
                acceleration: (isPushed && !presses ? SIMD3(0, -40, 9.81) : force) + knock, rotationRate: turn,
                buttons: isPushed && presses ? 2 : 0)
            noteSample(sample.sampledAt, at: at)
            let isTaken = (try? link.append(sample, to: 0, now: clock.device(now))) != nil
            if isTaken, taps?.take(sample) == true { find(sample, at: at) }
            if let dive, at >= waterDueAt {
                let reading = Sample(
                    sampledAt: sample.sampledAt, measures: .submersion, submersion: dive.reading(at: at))
                _ = try? link.append(reading, to: Dive.declaration.stream, now: clock.device(now))
                waterDueAt = at + Dive.interval
            }
            nextSampleAt = at + .nanoseconds(interval)
        }
    }

    /// Its player feels it at once, 3 ms later.
    private mutating func find(_ sample: Sample, at time: HostTime) {
        let id = LocalFind.firstID + UInt32(finds.count)
        finds.append((id, time))
        let playedAt = sample.sampledAt + .milliseconds(3)
        try? link.send(.found(LocalFind(gesture: .tap, id: id, occurredAt: sample.sampledAt)))
        try? link.send(.hapticReceipt(HapticReceipt(id: id, outcome: .played(at: playedAt))))
    }

    /// What it found by itself since the last time.
    mutating func takeFinds() -> [HostTime] {
        defer { findsTaken = finds.count }
        return finds[findsTaken...].map(\.at)
    }

    private mutating func drawn(at time: HostTime) -> (force: SIMD3<Float>, turn: SIMD3<Float>) {
        while let first = drawings.first, time >= first.end + .seconds(1) { drawings.removeFirst() }
        return drawings.first { $0.from <= time && time < $0.end }?.motion(at: time) ?? (SIMD3(0, 0, 9.81), .zero)
    }

    /// A link holds samples for 10 s, and so does the network: no older one is asked for.
    private mutating func noteSample(_ sampledAt: DeviceTime, at time: HostTime) {
        if takenAt.count >= 8_192 { takenAt = takenAt.filter { time - $0.value < .seconds(30) } }
        takenAt[sampledAt.nanoseconds / 1_000] = time
    }

    /// Takes what has come from the host; what it answers goes out with the next datagrams.
    mutating func hear(now: HostTime) {
        for arrival in down.deliver(until: now.nanoseconds) {
            var bytes = arrival.payload.bytes
            if transport.isReliable { bytes = sealed(bytes) }
            let at = clock.device(HostTime(nanoseconds: arrival.at))
            let events = bytes.withUnsafeMutableBytes {
                link.receive($0, cipher: ToyCipher(), arrivedAt: at, now: clock.device(now))
            }
            for event in events { act(on: event, at: at, arrivedAt: HostTime(nanoseconds: arrival.at), now: now) }
        }
    }

    private mutating func act(on event: LinkEvent, at: DeviceTime, arrivedAt: HostTime, now: HostTime) {
        switch event {
        case .message(.haptic(let haptic)):
            played[haptic.id] = arrivedAt + .milliseconds(3)
            try? link.send(.hapticReceipt(HapticReceipt(id: haptic.id, outcome: .played(at: at + .milliseconds(3)))))
        case .message(.detect(let detection)):
            taps = detection.tap.map { LocalTaps($0, of: declarations[0]) }
        case .message, .data: break
        case .goodbye(let reason):
            secret = reason == .closing ? secret : nil
            stay = reason == .kicked || reason == .tooFast ? .away : .asksAt(now + .seconds(3))
        }
    }

    /// A browser's link is the native one without the seal: its feedback is dressed up for the same reader.
    private func sealed(_ unsealed: [UInt8]) -> [UInt8] {
        guard let epoch else { return unsealed }
        var bytes = unsealed + [UInt8](repeating: 0, count: sealTagLength)
        bytes[0] = bytes[0] & 0xF0 | DatagramHeader.Kind.feedback.rawValue
        bytes.withUnsafeMutableBytes { buffer in
            let number = (try? DatagramHeader(reading: UnsafeRawBufferPointer(buffer)))?.number ?? 0
            ToyCipher().seal(buffer, headerLength: DatagramHeader.size, key: epoch.receiveKey, number: number)
        }
        return bytes
    }

    /// Sends what is due.
    mutating func send(now: HostTime) {
        guard let epoch else { return }
        guard isSending else { return }
        let time = clock.device(now)
        withUnsafeTemporaryAllocation(byteCount: WireFormat.maximumDatagramSize, alignment: 8) { buffer in
            while let sent = link.nextDatagram(into: buffer, cipher: ToyCipher(), now: time) {
                let isReliable = transport.isReliable
                let end = sent.size - sealTagLength
                if isReliable { buffer[0] = buffer[0] & 0xF0 | DatagramHeader.Kind.browserMotion.rawValue }
                let size = isReliable ? end : sent.size
                let content = UnsafeRawBufferPointer(rebasing: buffer[DatagramHeader.size..<end])
                let record = SentRecord(
                    connection: epoch.connection, key: epoch.sendKey, number: sent.number, bytes: size,
                    content: content, takenAt: { takenAt[$0] })
                let bytes = Array(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
                _ = up.send(
                    Packet(bytes: bytes, source: address, conversation: linkConversation, record: record),
                    at: now.nanoseconds)
            }
        }
    }
}
