import FlightRecorder
import Glibc
import RoomEngine
import RoomSimulation
import SessionCoordinator
import WireProtocol

/// The engine's time on a taped evening, with and without a recorder.
///
/// It is the engine's own: the sockets and ciphers of a real room come on top of both sides. `RecorderBenchmark` measures
/// those.
struct TapeCost {
    private let entries: [(entry: TapeEntry, at: HostTime)]
    private let opening: Opening
    private let datagrams: Int

    /// - Parameter most: entries that are looked at: some minutes say it as well as an hour.
    init?(_ tape: EveningTape?, most: Int = 1_000_000) {
        // As it stands on a tape, where a code is only told to be right or wrong: so do the invitations there.
        guard let tape, let opening = try? Opening(reading: tape.opening.bytes) else { return nil }
        var entries: [(entry: TapeEntry, at: HostTime)] = []
        for bytes in tape.blocks where entries.count < most {
            guard var block = try? TapeBlock(bytes[...]) else { return nil }
            while let next = try? block.next() { entries.append((next.entry, next.at)) }
        }
        self.entries = entries
        self.opening = opening
        datagrams = entries.count { if case .datagram = $0.entry { true } else { false } }
    }

    /// Prints both: the two take turns every few milliseconds, and of each such piece the least counts, as whatever else
    /// the machine does only ever adds.
    func measure(rounds: Int = 15) {
        let pieces = stride(from: 0, to: entries.count, by: 4_096).map { $0..<min($0 + 4_096, entries.count) }
        var least = Array(repeating: [Int.max, Int.max], count: pieces.count)
        for round in 0..<rounds {
            var rooms = [RehearsedRoom(opening, isRecorded: false), RehearsedRoom(opening, isRecorded: true)]
            for (place, piece) in pieces.enumerated() {
                for side in round % 2 == 0 ? [0, 1] : [1, 0] {
                    let began = threadTime()
                    for (entry, now) in entries[piece] { rooms[side].play(entry, now) }
                    least[place][side] = min(least[place][side], threadTime() - began)
                }
            }
        }
        let (without, with) = (least.reduce(0) { $0 + $1[0] }, least.reduce(0) { $0 + $1[1] })
        let share = (Double(with - without) / Double(without) * 1_000).rounded() / 10
        print(
            "the engine takes \(without / 1_000) µs of this thread without a recorder, \(with / 1_000) µs with: "
                + "+\(share) %, \((with - without) / max(1, datagrams)) ns for each of \(datagrams) datagrams "
                + "(least of \(rounds) rounds)")
    }

    /// Nanoseconds that this thread has used.
    private func threadTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// What a room's thread does with its engine, and its recorder if it has one.
private struct RehearsedRoom {
    private var engine: Engine
    private var deck: TapeDeck?
    private var outputs: [RoomOutput] = []
    private var latest = HostTime(nanoseconds: 0)
    private let memory = DatagramMemory()

    init(_ opening: Opening, isRecorded: Bool) {
        engine = opening.makeEngine()
        deck = isRecorded ? TapeDeck(room: opening.configuration.room, supply: DroppedBlocks()) : nil
    }

    mutating func play(_ entry: TapeEntry, _ now: HostTime) {
        switch entry {
        case .datagram(let bytes, let source, let arrivedAt):
            let whole = memory.copy(bytes)
            let before = engine.strangers
            engine.receive(whole, from: source.address, arrivedAt: arrivedAt, now: now, cipher: OpenCipher())
            deck?.datagram(
                UnsafeRawBufferPointer(whole), from: source.address, arrivedAt: arrivedAt, now: now,
                strangers: engine.strangers.since(before))
        case .browserDatagram(let bytes, let conversation, let arrivedAt):
            bytes.withUnsafeBytes {
                let before = engine.strangers
                engine.receive(unsealed: $0, from: conversation, arrivedAt: arrivedAt, now: now)
                deck?.browserDatagram(
                    $0, from: conversation, arrivedAt: arrivedAt, now: now, strangers: engine.strangers.since(before))
            }
        case .input(let input):
            engine.handle(input, at: now, cipher: OpenCipher())
            deck?.input(input, now: now)
        case .turn: turn(now, heardUntil: nil)
        case .turnAmid(let heardUntil): turn(now, heardUntil: heardUntil)
        case .legacyFrame, .strangers, .motions, .roomStands, .brings, .stands, .waits, .offers, .clock, .hole: break
        }
    }

    private mutating func turn(_ now: HostTime, heardUntil: HostTime?) {
        deck?.turn(now: now, heardUntil: heardUntil)
        if engine.advance(to: now, heardUntil: heardUntil) {
            while engine.nextFeedback(into: memory.all, now: now, cipher: OpenCipher()) != nil {}
        }
        engine.takeOutputs(into: &outputs)
        // Every room's thread works this out once a turn, to know how long it may sleep.
        let deadline = engine.nextDeadline
        if let deadline { latest = max(latest, deadline) }
        deck?.endTurn(outputs, now: now)
        deck?.rest(now: now, until: deadline)
    }
}

/// Where a room's thread has the datagram that it is at.
private final class DatagramMemory {
    let all = UnsafeMutableRawBufferPointer.allocate(byteCount: WireFormat.maximumDatagramSize, alignment: 8)
    deinit { all.deallocate() }

    /// The datagram as it stands there, with room for its tag.
    func copy(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        all.copyBytes(from: bytes)
        return UnsafeMutableRawBufferPointer(rebasing: all[..<(bytes.count + sealTagLength)])
    }
}

/// Takes blocks as a recorder's thread does that is always in time: two go to and fro.
private final class DroppedBlocks: BlockSupply {
    private static let size = TapeWriter.blockSize
    private let ring = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * DroppedBlocks.size, alignment: 64)
    private var next = 0

    // Memory that was never touched would be charged to whoever writes first.
    init() { ring.initializeMemory(as: UInt8.self, repeating: 0) }
    deinit { ring.deallocate() }

    func lend() -> UnsafeMutableRawBufferPointer? {
        UnsafeMutableRawBufferPointer(rebasing: ring[next * Self.size..<(next + 1) * Self.size])
    }
    func take(_ count: Int) { next = 1 - next }
}

/// What is on a tape is open already.
private struct OpenCipher: DatagramCipher {
    func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) {}
    func open(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) -> Bool {
        true
    }
}
