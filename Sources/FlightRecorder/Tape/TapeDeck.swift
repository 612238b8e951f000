package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// Lends memory for blocks, and takes the full ones.
///
/// It is asked once a block, some times a second: so the deck is one type for all of them, and what it does for every
/// datagram is compiled as plain code.
package protocol BlockSupply: AnyObject {
    /// Memory for the next block; `nil` while none is free. It must not wait.
    func lend() -> UnsafeMutableRawBufferPointer?
    /// The first `count` bytes of what was lent last are a block.
    func take(_ count: Int)
}

/// Tapes what a room's thread does, without ever making it wait.
///
/// ```
/// deck.datagram(…)  deck.input(…)  deck.turn(…)      block ▶ block ▶ block ▶ whoever writes
///                                        └ no memory is free: counted, and a hole on the tape once there is
/// ```
package struct TapeDeck {
    private let supply: any BlockSupply
    private var writer: TapeWriter
    private var isOpen = false
    private var openedAt = HostTime(nanoseconds: 0)
    private var blocks: UInt32 = 0
    private var hole: TapeHole?
    private var pending = StrangerCounts()
    /// Entries that were not kept, so far.
    package private(set) var lostEntries: UInt64 = 0

    /// A block is handed on after this, full or not.
    package static var longestBlock: Duration { .milliseconds(200) }

    package init(room: RoomConfiguration, supply: any BlockSupply) {
        writer = TapeWriter(room: room)
        self.supply = supply
    }

    // MARK: What the room's thread does

    /// After a datagram was given to the engine: opened bytes with their tag, and what the engine counted before.
    ///
    /// - Parameter isRepeated: whether the engine read nothing but its header: then no more is kept, however many come.
    package mutating func datagram(
        _ opened: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        strangers: StrangerCounts, isRepeated: Bool = false
    ) {
        guard strangers == StrangerCounts() else { return note(strangers) }
        let bytes = UnsafeRawBufferPointer(rebasing: opened.dropLast(sealTagLength))
        put(bytes.count, now) {
            $0.datagram(bytes, from: source, arrivedAt: arrivedAt, now: now, isRepeated: isRepeated)
        }
    }

    package mutating func browserDatagram(
        _ bytes: UnsafeRawBufferPointer, from conversation: ConversationID, arrivedAt: HostTime, now: HostTime,
        strangers: StrangerCounts, isRepeated: Bool = false
    ) {
        guard strangers == StrangerCounts() else { return note(strangers) }
        put(bytes.count, now) {
            $0.browserDatagram(bytes, from: conversation, arrivedAt: arrivedAt, now: now, isRepeated: isRepeated)
        }
    }

    package mutating func legacyFrame(
        _ bytes: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        strangers: StrangerCounts
    ) {
        // A sound frame of somebody unknown may ask the operator: it is kept whole.
        guard strangers.malformed == 0 else { return note(strangers) }
        put(bytes.count, now) { $0.legacyFrame(bytes, from: source, arrivedAt: arrivedAt, now: now) }
    }

    /// A flood of strangers is a few bytes a turn.
    private mutating func note(_ counts: StrangerCounts) { pending &+= counts }

    /// - Parameter isRefused: whether it is an invitation that was refused at once: then what a stranger may fill it with is
    ///   left out, as nothing of it decides whether it is refused again.
    package mutating func input(_ input: RoomInput, now: HostTime, isRefused: Bool = false) {
        guard isRefused, case .invite(var invitation, let conversation, let transport, let material, let source) = input
        else { return put(64, now) { $0.input(input, now: now) } }
        invitation.context = nil
        invitation.streams = [StreamOffer(StreamDeclaration())]
        let little = RoomInput.invite(invitation, from: conversation, over: transport, material, source: source)
        put(64, now) { $0.input(little, now: now) }
    }

    /// Time passed: to be called before the outputs of a turn are looked at.
    ///
    /// - Parameter heardUntil: as it was given to `Engine/advance(to:heardUntil:)`.
    package mutating func turn(now: HostTime, heardUntil: HostTime? = nil) {
        put(1, now) { $0.turn(now: now, heardUntil: heardUntil) }
    }

    /// What that turn led to: all of it.
    package mutating func endTurn(_ outputs: [RoomOutput], now: HostTime) {
        guard !outputs.isEmpty else { return }
        var digest = MotionDigest()
        for output in outputs { digest.take(output) }
        guard digest.count > 0 else { return }
        put(12, now) { $0.motions(digest, now: now) }
    }

    /// The tape begins in the middle of an evening: how the room stands, before anything else is taped.
    package mutating func begin(amid engine: Engine, now: HostTime) {
        put(.roomStands(engine.roomStanding), at: now)
        for (controller, talents) in engine.standingTalents { put(.brings(talents, controller), at: now) }
        for standing in engine.standings { put(.stands(standing), at: now) }
        for standing in engine.waiting { put(.waits(standing), at: now) }
        for standing in engine.offered { put(.offers(standing), at: now) }
    }

    /// Whose clock stands differently by what comes next: to be called before that is taped.
    package mutating func clocks(_ news: [(peer: PeerIndex, mapping: ClockMapping)], now: HostTime) {
        for (peer, mapping) in news { clock(mapping, of: peer, now: now) }
    }

    private mutating func clock(_ mapping: ClockMapping, of peer: PeerIndex, now: HostTime) {
        put(40, now) { $0.clock(mapping, of: peer, now: now) }
    }

    // MARK: Blocks

    /// Hands on what has waited long enough, or would wait until the room's thread wakes again.
    package mutating func rest(now: HostTime, until deadline: HostTime?) {
        guard isOpen else { return }
        let next = deadline ?? .distantFuture
        if now - openedAt >= Self.longestBlock || next - openedAt >= Self.longestBlock { flush() }
    }

    /// Hands on what there is.
    package mutating func flush() {
        guard isOpen else { return }
        isOpen = false
        supply.take(writer.count)
    }

    private mutating func put(_ bytes: Int, _ now: HostTime, _ write: (inout TapeWriter) -> Bool) {
        if pending != StrangerCounts() {
            let counts = pending
            pending = StrangerCounts()
            keep(8, now) { $0.strangers(counts, now: now) }
        }
        keep(bytes, now, write)
    }

    private mutating func keep(_ bytes: Int, _ now: HostTime, _ write: (inout TapeWriter) -> Bool) {
        if hole == nil, isOpen, write(&writer) { return }
        flush()
        guard open(now), write(&writer) else { return lose(bytes, now) }
    }

    private mutating func open(_ now: HostTime) -> Bool {
        guard let memory = supply.lend() else { return false }
        writer.begin(memory, number: blocks, at: now)
        blocks &+= 1
        isOpen = true
        openedAt = now
        guard let hole else { return true }
        self.hole = nil
        return writer.hole(hole, now: now)
    }

    /// Puts an entry as it is, as one that was read from another tape.
    mutating func put(_ entry: TapeEntry, at now: HostTime) {
        let known = StrangerCounts()
        switch entry {
        case .datagram(let bytes, let source, let arrivedAt):
            (bytes + [UInt8](repeating: 0, count: sealTagLength)).withUnsafeBytes {
                datagram($0, from: source.address, arrivedAt: arrivedAt, now: now, strangers: known)
            }
        case .browserDatagram(let bytes, let conversation, let arrivedAt):
            bytes.withUnsafeBytes {
                browserDatagram($0, from: conversation, arrivedAt: arrivedAt, now: now, strangers: known)
            }
        case .legacyFrame(let bytes, let source, let arrivedAt):
            bytes.withUnsafeBytes {
                legacyFrame($0, from: source, arrivedAt: arrivedAt, now: now, strangers: known)
            }
        case .strangers(let counts): keep(8, now) { $0.strangers(counts, now: now) }
        case .input(let value): input(value, now: now)
        case .turn: turn(now: now)
        case .turnAmid(let heardUntil): turn(now: now, heardUntil: heardUntil)
        case .motions(let digest): keep(12, now) { $0.motions(digest, now: now) }
        case .roomStands(let standing): keep(64, now) { $0.stands(standing, now: now) }
        case .stands(let standing): keep(512, now) { $0.stands(standing, now: now) }
        case .brings(let talents, let controller): keep(1_024, now) { $0.brings(talents, controller, now: now) }
        case .waits(let standing): keep(256, now) { $0.waits(standing, now: now) }
        case .offers(let standing): keep(64, now) { $0.offers(standing, now: now) }
        case .clock(let mapping, let peer): clock(mapping, of: peer, now: now)
        case .hole(let hole): keep(32, now) { $0.hole(hole, now: now) }
        }
    }

    private mutating func lose(_ bytes: Int, _ now: HostTime) {
        lostEntries &+= 1
        var hole = hole ?? TapeHole(from: now, to: now, entries: 0, bytes: 0)
        hole.to = now
        hole.entries &+= 1
        hole.bytes &+= UInt64(bytes)
        self.hole = hole
    }
}
