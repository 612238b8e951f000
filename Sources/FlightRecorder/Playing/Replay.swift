package import InputMerge
package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// Plays a tape again: the same inputs at the same times, so the same outputs, to the bit.
///
/// ```swift
/// var replay = Replay(opening)
/// while let (entry, at) = try block.next() {
///     replay.play(entry, at: at, cipher: cipher)
///     for output in replay.outputs { compare(output) }
/// }
/// ```
package struct Replay: Sendable {
    package private(set) var engine: Engine
    /// What the last entry led to; empty but after a turn.
    package private(set) var outputs: [RoomOutput] = []
    /// How those stood who left by the last entry, at their end.
    package private(set) var left: [PeerReport] = []
    /// Whether everything until here was on the tape.
    package private(set) var isExact: Bool
    /// The first place where the players' motion was not what the tape says.
    package private(set) var motionDifference: HostTime?
    package private(set) var turns = 0
    /// Datagrams of links that the room had and that are not known here.
    package private(set) var unowned: UInt64 = 0
    package private(set) var motions: UInt64 = 0
    /// Players' motion is told whether somebody asked for it then or not; the tape's digests are not looked at then.
    package var tellsPlayersMotion = false
    private var isToldToTell = false
    /// Where the tape has come to. A file is a stranger's: an engine's time never runs backwards, whatever one claims.
    private var latest: HostTime
    private let isFromTheStart: Bool
    private var beginnings = 0
    /// A room has no more seats, with what is brought to them, and those who wait.
    private static let mostBeginnings = 32_768
    private var digest = MotionDigest()

    /// - Parameters:
    ///   - passenger: other rules, which get the same calls and change nothing.
    ///   - tellsMotion: whether they tell every sample of every sensor too.
    package init(_ opening: Opening, passenger: MergeConfiguration? = nil, tellsMotion: Bool = false) {
        engine = opening.makeEngine()
        latest = opening.now
        isExact = opening.isFromTheStart
        isFromTheStart = opening.isFromTheStart
        if let passenger { engine.carry(passenger, tellsMotion: tellsMotion) }
    }

    /// - Parameters:
    ///   - claimed: its time; one that lies before what was played already is not gone back to.
    ///   - cipher: of the suite that the room was recorded with: the ids of probes are made by it.
    package mutating func play(_ entry: TapeEntry, at claimed: HostTime, cipher: some DatagramCipher) {
        outputs.removeAll(keepingCapacity: true)
        let departures = engine.departures
        defer { left = engine.departed.suffix(engine.departures - departures).map(\.report) }
        if claimed < latest { isExact = false }
        let now = max(claimed, latest)
        latest = now
        let cipher = OpenedCipher(base: cipher)
        if tellsPlayersMotion, !isToldToTell {
            isToldToTell = true
            engine.handle(.motionIsWanted(true), at: now, cipher: cipher)
        }
        switch entry {
        case .datagram(var bytes, let source, let arrivedAt):
            bytes.append(contentsOf: repeatElement(0, count: sealTagLength))
            let unknown = engine.strangers.unknown
            bytes.withUnsafeMutableBytes {
                engine.receive($0, from: source.address, arrivedAt: arrivedAt, now: now, cipher: cipher)
            }
            if engine.strangers.unknown > unknown { unowned += 1 }
        case .legacyFrame(let bytes, let source, let arrivedAt):
            bytes.withUnsafeBytes { engine.receiveLegacy($0, from: source, arrivedAt: arrivedAt, now: now) }
        case .browserDatagram(let bytes, let conversation, let arrivedAt):
            let unknown = engine.strangers.unknown
            bytes.withUnsafeBytes { engine.receive(unsealed: $0, from: conversation, arrivedAt: arrivedAt, now: now) }
            if engine.strangers.unknown > unknown { unowned += 1 }
        case .strangers(let counts): engine.handle(.strangers(counts), at: now, cipher: cipher)
        case .input(.motionIsWanted(let isWanted)):
            engine.handle(.motionIsWanted(isWanted || tellsPlayersMotion), at: now, cipher: cipher)
        case .input(let input): engine.handle(input, at: now, cipher: cipher)
        case .turn: turn(now, heardUntil: nil, cipher)
        case .turnAmid(let heardUntil): turn(now, heardUntil: heardUntil, cipher)
        case .motions(let told):
            if isExact, !tellsPlayersMotion, told != digest, motionDifference == nil { motionDifference = now }
        case .roomStands(let standing): begin { $0.stand(standing) }
        case .stands(let standing): begin { $0.stand(standing, now: now) }
        case .brings(let talents, let controller): begin { $0.stand(talents, of: controller) }
        case .waits(let standing): begin { $0.stand(standing) }
        case .offers(let standing): begin { $0.stand(standing) }
        case .clock(let mapping, let peer):
            isExact = false
            engine.believe(mapping, of: peer)
        case .hole: isExact = false
        }
    }

    /// Asks the engine what changes nothing, at this moment of the evening.
    package mutating func answer(
        _ command: RoomCommand, _ request: RequestID, at now: HostTime, cipher: some DatagramCipher
    ) -> Result<RoomAnswer, RoomError> {
        var copy = engine
        copy.handle(.command(command, request), at: now, cipher: OpenedCipher(base: cipher))
        var answers: [RoomOutput] = []
        copy.takeOutputs(into: &answers)
        for case .answer(request, let answer) in answers { return answer }
        return .failure(RoomError(.notFound, "the recording has no answer to that"))
    }

    /// A tape that began amid an evening leads to what its room did, but for what the room knew of the time before.
    private mutating func begin(_ takeOver: (inout Engine) -> Void) {
        isExact = false
        // Where it holds the room's beginning, nobody can have stood anywhere before.
        if !isFromTheStart, turns == 0, beginnings < Self.mostBeginnings {
            beginnings += 1
            takeOver(&engine)
        }
    }

    /// A turn of the room's thread, as its shell does it.
    private mutating func turn(_ now: HostTime, heardUntil: HostTime?, _ cipher: some DatagramCipher) {
        turns += 1
        if engine.advance(to: now, heardUntil: heardUntil) {
            withUnsafeTemporaryAllocation(byteCount: WireFormat.maximumDatagramSize, alignment: 8) { buffer in
                while engine.nextFeedback(into: buffer, now: now, cipher: cipher) != nil {}
            }
        }
        engine.takeOutputs(into: &outputs)
        digest = MotionDigest()
        for output in outputs { digest.take(output) }
        motions &+= UInt64(digest.count)
    }

    /// The gestures, contests and lessons that other rules would have made of the same evening, since the last call.
    ///
    /// Motion among them is to be taken after each turn, and after each entry by which somebody ``left``: a successor may
    /// have the same place before the turn ends. ``owner(of:)`` knows whose it is.
    package mutating func takePassengerEvents() -> [MergeEvent] { engine.takePassengerEvents() }

    /// Whose sensor it was when the last entry was played. When a room closes everyone has left before their last motion
    /// is told, and nobody comes after them.
    package func owner(of sensor: StreamKey) -> PeerReport? {
        left.first { $0.peer == sensor.peer } ?? engine.coordinator.report(of: sensor.peer, now: latest)
            ?? engine.departed.last { $0.report.peer == sensor.peer }?.report
    }
}

/// What is on a tape is open already, and what is sent goes nowhere; only the ids of probes are made as they were.
private struct OpenedCipher<Base: DatagramCipher>: DatagramCipher {
    let base: Base

    func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) {
        if headerLength == 0 { base.seal(datagram, headerLength: 0, key: key, number: number) }
    }

    func open(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) -> Bool {
        true
    }
}
