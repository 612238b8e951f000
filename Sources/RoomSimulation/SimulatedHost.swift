import FlightRecorder
import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

/// A host with its shell's part of the work done by hand: outputs are performed into lists, leases are kept on a disk
/// that outlives its process.
struct SimulatedHost: Sendable {
    private(set) var engine: Engine
    let configuration: EngineConfiguration
    /// Said on control connections and not yet taken by whoever is there.
    var said: [(conversation: ConversationID, message: ControlMessage)] = []
    /// Connections that the host closed.
    var closed: [ConversationID] = []
    /// Feedback that left.
    var sent: [(destination: FeedbackDestination, bytes: [UInt8])] = []
    /// Everything told since it was last looked at.
    var events: [RoomEvent] = []
    var answers: [RequestID: Result<RoomAnswer, RoomError>] = [:]
    /// How many of ``events`` stood before each answer.
    var eventsBefore: [RequestID: Int] = [:]
    var offersEnded: [OfferID] = []
    private(set) var disk: [Lease] = []
    /// What was written there since it was last looked at.
    var changes: [LeaseChange] = []
    var talents: [ControllerID: PlayerTalents] = [:]
    /// Of everything that left, in order: two evenings that are the same have the same.
    private(set) var digest = Digest()
    private(set) var turns = 0
    /// Turns in a row that were asked for at once, without an input.
    private(set) var restlessTurns = 0
    /// The most that was done between two turns, in ``Engine/workDone``'s units.
    private(set) var mostWork: UInt64 = 0
    private var workBefore: UInt64 = 0
    /// Something came in since the last turn.
    private var hasInput = true
    /// Everything that came in has been told: seats and links had their turn since.
    private(set) var isSettled = true
    private var outputs: [RoomOutput] = []
    /// One for each life of its process; empty unless the evening is recorded.
    private(set) var tapes: [EveningTape] = []
    /// Begun in the middle of this life.
    private(set) var amid: EveningTape?
    /// Somebody listens to the players' motion, 60 times a second.
    private let tellsMotion: Bool

    init(
        _ configuration: EngineConfiguration, now: HostTime, isRecorded: Bool = false, tellsMotion: Bool = false
    ) {
        self.configuration = configuration
        self.tellsMotion = tellsMotion
        engine = Engine(configuration: configuration, now: now)
        if isRecorded { tapes = [EveningTape(configuration, now: now)] }
        if tellsMotion { handle(.motionIsWanted(true), at: now) }
    }

    /// The process dies, and another one finds what was committed.
    ///
    /// - Parameter leases: what it finds, if not what this disk holds.
    mutating func restart(leases: [Lease]? = nil, now: HostTime) {
        engine = Engine(configuration: configuration, leases: leases ?? disk, talents: talents, now: now)
        tapes.last?.end()
        amid?.end()
        if !tapes.isEmpty { tapes.append(EveningTape(configuration, leases: disk, talents: talents, now: now)) }
        said = []
        closed = []
        sent = []
        hasInput = true
        if tellsMotion { handle(.motionIsWanted(true), at: now) }
    }

    /// Another recorder begins now.
    mutating func recordAmid(now: HostTime) {
        let tape = EveningTape(configuration, talents: talents, now: now, isFromTheStart: false)
        tape.deck.begin(amid: engine, now: now)
        engine.tellClocks(true)
        amid = tape
    }

    /// How clocks stand by what is taped next.
    private mutating func tapeClocks(_ now: HostTime) {
        let news = engine.takeClockNews()
        if let amid, !amid.hasEnded { amid.deck.clocks(news, now: now) }
    }

    /// What every recorder there is hears.
    private func tape(_ what: (inout TapeDeck) -> Void) {
        if let tape = tapes.last { what(&tape.deck) }
        if let amid, !amid.hasEnded { what(&amid.deck) }
    }

    /// Whether the room's thread would be awake: something came, or its own deadline has come. Nothing else wakes it.
    func isAwake(_ now: HostTime) -> Bool { hasInput || engine.nextDeadline.map { $0 <= now } ?? false }

    mutating func handle(_ input: RoomInput, at now: HostTime) {
        hasInput = true
        engine.handle(input, at: now, cipher: ToyCipher())
        tapeClocks(now)
        tape { $0.input(input, now: now) }
    }

    mutating func receive(_ datagram: inout [UInt8], from source: PeerAddress, arrivedAt: HostTime, now: HostTime) {
        hasInput = true
        datagram.withUnsafeMutableBytes {
            lookAhead(UnsafeRawBufferPointer($0))
            let (before, repeats) = (engine.strangers, engine.repeats)
            engine.receive($0, from: source, arrivedAt: arrivedAt, now: now, cipher: ToyCipher())
            let (bytes, counts) = (UnsafeRawBufferPointer($0), engine.strangers.since(before))
            tapeClocks(now)
            let isRepeated = engine.repeats != repeats
            tape {
                $0.datagram(
                    bytes, from: source, arrivedAt: arrivedAt, now: now, strangers: counts, isRepeated: isRepeated)
            }
        }
        if engine.isTurnOver { turn(now, heardUntil: arrivedAt) }
    }

    /// As a shell does that reads many: at whose it says that it is, and at who sits beside.
    private mutating func lookAhead(_ datagram: UnsafeRawBufferPointer) {
        guard let header = try? DatagramHeader(reading: datagram) else { return }
        _ = engine.prefetch([Int(header.connection.index), Int(header.connection.index) + 1])
    }

    /// - Parameter waitedSince: when it came to the host, if that stood still since; it is stamped when it is read.
    mutating func receive(
        unsealed datagram: [UInt8], from conversation: ConversationID, waitedSince: HostTime, now: HostTime
    ) {
        hasInput = true
        datagram.withUnsafeBytes { bytes in
            lookAhead(bytes)
            let (before, repeats) = (engine.strangers, engine.repeats)
            engine.receive(unsealed: bytes, from: conversation, arrivedAt: now, now: now)
            let counts = engine.strangers.since(before)
            tapeClocks(now)
            let isRepeated = engine.repeats != repeats
            tape {
                $0.browserDatagram(
                    bytes, from: conversation, arrivedAt: now, now: now, strangers: counts, isRepeated: isRepeated)
            }
        }
        if engine.isTurnOver { turn(now, heardUntil: waitedSince) }
    }

    mutating func receiveLegacy(_ frame: [UInt8], from source: PeerAddress, now: HostTime) {
        hasInput = true
        frame.withUnsafeBytes { bytes in
            let before = engine.strangers
            engine.receiveLegacy(bytes, from: source, arrivedAt: now, now: now)
            let counts = engine.strangers.since(before)
            tapeClocks(now)
            tape { $0.legacyFrame(bytes, from: source, arrivedAt: now, now: now, strangers: counts) }
        }
    }

    /// One turn of the room's thread; `heardUntil` where more waits.
    mutating func turn(_ now: HostTime, heardUntil: HostTime? = nil) {
        turns += 1
        mostWork = max(mostWork, engine.workDone - min(engine.workDone, workBefore))
        workBefore = engine.workDone
        restlessTurns = hasInput ? 0 : restlessTurns + 1
        hasInput = false
        tape { $0.turn(now: now, heardUntil: heardUntil) }
        isSettled = engine.advance(to: now, heardUntil: heardUntil)
        if isSettled { collectFeedback(now) }
        engine.takeOutputs(into: &outputs)
        tapeClocks(now)
        for tape in [tapes.last, amid].compactMap(\.self) {
            tape.note(outputs, now: now)
            tape.deck.rest(now: now, until: engine.nextDeadline)
        }
        for output in outputs { perform(output) }
        if engine.nextDeadline.map({ $0 > now }) ?? true { restlessTurns = 0 }
    }

    /// What a turn would say now; `nil` for nothing, as it must be while the room is not awake.
    func saidIfTurned(_ now: HostTime) -> String? {
        var turned = self
        if turned.engine.advance(to: now) { turned.collectFeedback(now) }
        let outputs = turned.engine.takeOutputs()
        return outputs.isEmpty && turned.digest == digest
            ? nil : "\(outputs), \(turned.sent.count - sent.count) datagrams"
    }

    private mutating func collectFeedback(_ now: HostTime) {
        withUnsafeTemporaryAllocation(byteCount: WireFormat.maximumDatagramSize, alignment: 8) { buffer in
            while let (destination, count) = engine.nextFeedback(into: buffer, now: now, cipher: ToyCipher()) {
                let bytes = Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                digest.take(bytes)
                sent.append((destination, bytes))
            }
        }
    }

    private mutating func perform(_ output: RoomOutput) {
        take(output)
        switch output {
        // There is far too much of it to keep; the digest has it.
        case .event(.motion): break
        case .event(let event): events.append(event)
        case .answer(let request, let answer):
            answers[request] = answer
            eventsBefore[request] = events.count
        case .say(let conversation, let message): said.append((conversation, message))
        case .close(let conversation): closed.append(conversation)
        case .commit(let changes, let conversation, let message):
            for change in changes { commit(change) }
            if let conversation, let message { said.append((conversation, message)) }
        case .keep(let controller, let kept): talents[controller] = kept.isEmpty ? nil : kept
        case .offerEnded(let id, _): offersEnded.append(id)
        case .freeSeats, .received, .motions, .deliveryEnded, .mark, .marksDropped: break
        }
    }

    private mutating func take(_ output: RoomOutput) {
        switch output {
        // Thousands of stamps say nothing that datagrams did not.
        case .answer(let request, .success(.frames(let peers))): digest.take("\(request) \(peers.count)".utf8)
        case .event(.motion):
            var motion = MotionDigest()
            motion.take(output)
            withUnsafeBytes(of: motion.value.littleEndian) { digest.take($0) }
        default: digest.take("\(output)".utf8)
        }
    }

    private mutating func commit(_ change: LeaseChange) {
        changes.append(change)
        switch change {
        case .keep(let lease):
            disk.removeAll { $0.controller == lease.controller || $0.seat == lease.seat }
            disk.append(lease)
            disk.sort { $0.seat < $1.seat }
        case .remove(let controller):
            disk.removeAll { $0.controller == controller }
            talents[controller] = nil
        }
    }
}

/// FNV-1a over 64 bits: what two runs of one seed must share.
struct Digest: Hashable, Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}
