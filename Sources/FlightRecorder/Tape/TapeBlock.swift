package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// Writes entries into one block of memory after another.
///
/// A block stands alone: its number, then the time of its first entry, then entries, each a kind, the nanoseconds since
/// the one before it, and its content. So a reader knows what is missing when blocks are.
package struct TapeWriter {
    private var pen: TapePen
    private var last: HostTime = HostTime(nanoseconds: 0)
    private var sources = SourceNumbers()
    private let room: RoomConfiguration

    enum Kind: UInt8 {
        case datagram = 1, browserDatagram, legacyFrame, strangers, input, turn, motions, hole, turnAmid, roomStands,
            stands, clock, waits, offers, brings, repeated, browserRepeated
    }

    /// Memory for a block: longer than the longest control message, so that any single input fits.
    package static let blockSize = 72 << 10

    package init(room: RoomConfiguration) {
        self.room = room
        pen = TapePen(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    /// Bytes in the block so far.
    package var count: Int { pen.count }

    /// Begins a block in this memory.
    package mutating func begin(_ memory: UnsafeMutableRawBufferPointer, number: UInt32, at now: HostTime) {
        pen = TapePen(memory)
        pen.fixed(number)
        pen.fixed(now.nanoseconds)
        last = now
    }

    /// Writes an entry, or nothing of it.
    private mutating func write(_ kind: Kind, _ now: HostTime, _ body: (inout TapePen) -> Void) -> Bool {
        let start = pen.count
        pen.byte(kind.rawValue)
        pen.signed(now.nanoseconds &- last.nanoseconds)
        body(&pen)
        guard !pen.isOverrun else {
            pen.withdraw(to: start)
            return false
        }
        last = now
        return true
    }

    /// Writes an opened datagram, without its tag; false when the block is full.
    ///
    /// - Parameter isRepeated: its number had come before: what the room read of it is written, its header and length.
    package mutating func datagram(
        _ bytes: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        isRepeated: Bool = false
    ) -> Bool {
        let number = sources.number(of: source)
        return write(isRepeated ? .repeated : .datagram, now) { pen in
            pen.signed(now.nanoseconds &- arrivedAt.nanoseconds)
            pen.number(UInt64(number))
            pen.content(bytes, isRepeated)
        }
    }

    /// The same for a browser's, which had no seal.
    package mutating func browserDatagram(
        _ bytes: UnsafeRawBufferPointer, from conversation: ConversationID, arrivedAt: HostTime, now: HostTime,
        isRepeated: Bool = false
    ) -> Bool {
        write(isRepeated ? .browserRepeated : .browserDatagram, now) { pen in
            pen.signed(now.nanoseconds &- arrivedAt.nanoseconds)
            pen.number(conversation.rawValue)
            pen.content(bytes, isRepeated)
        }
    }

    package mutating func legacyFrame(
        _ bytes: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime
    ) -> Bool {
        write(.legacyFrame, now) { pen in
            pen.signed(now.nanoseconds &- arrivedAt.nanoseconds)
            pen.put(source)
            pen.bytes(bytes)
        }
    }

    package mutating func strangers(_ counts: StrangerCounts, now: HostTime) -> Bool {
        write(.strangers, now) { $0.put(counts) }
    }

    package mutating func turn(now: HostTime, heardUntil: HostTime? = nil) -> Bool {
        guard let heardUntil else { return write(.turn, now) { _ in } }
        return write(.turnAmid, now) { $0.signed(now.nanoseconds &- heardUntil.nanoseconds) }
    }

    package mutating func motions(_ digest: MotionDigest, now: HostTime) -> Bool {
        write(.motions, now) { $0.put(digest) }
    }

    package mutating func hole(_ hole: TapeHole, now: HostTime) -> Bool { write(.hole, now) { $0.put(hole) } }

    package mutating func stands(_ standing: RoomStanding, now: HostTime) -> Bool {
        write(.roomStands, now) { $0.put(standing) }
    }

    package mutating func stands(_ standing: Standing, now: HostTime) -> Bool {
        write(.stands, now) { $0.put(standing) }
    }

    package mutating func brings(_ talents: PlayerTalents, _ controller: ControllerID, now: HostTime) -> Bool {
        write(.brings, now) { pen in
            pen.put(controller)
            pen.put(talents)
        }
    }

    /// Without what would let anybody in.
    package mutating func waits(_ standing: WaitingStanding, now: HostTime) -> Bool {
        var standing = standing
        standing.invitation.code = standIn(for: standing.invitation.code)
        standing.source = standIn(for: standing.source)
        return write(.waits, now) { $0.put(standing) }
    }

    package mutating func offers(_ standing: OfferStanding, now: HostTime) -> Bool {
        write(.offers, now) { $0.put(standing) }
    }

    package mutating func clock(_ mapping: ClockMapping, of peer: PeerIndex, now: HostTime) -> Bool {
        write(.clock, now) { pen in
            pen.number(UInt64(peer))
            pen.put(mapping)
        }
    }

    /// Writes any other input, without what would let anybody into the room.
    package mutating func input(_ input: RoomInput, now: HostTime) -> Bool {
        let kept = withoutSecrets(input)
        return write(.input, now) { $0.put(kept) }
    }

    private mutating func withoutSecrets(_ input: RoomInput) -> RoomInput {
        guard case .invite(var invitation, let conversation, let transport, let material, let source) = input else {
            return input
        }
        invitation.code = standIn(for: invitation.code)
        return .invite(invitation, from: conversation, over: transport, material, source: standIn(for: source))
    }

    private func standIn(for code: String?) -> String? {
        code.map { RoomConfiguration.standIn(for: room.kind(of: $0)) }
    }

    /// Addresses are compared, and so are networks: a machine has all addresses of an IPv6 network that it likes.
    private mutating func standIn(for source: PeerAddress?) -> PeerAddress? {
        guard let source else { return nil }
        var place = TapeSource(number: sources.number(of: source.machine)).address
        place.low = UInt64(sources.number(of: source.withoutPort)) + 1
        return place
    }
}

/// One block of a tape, as it is read.
package struct TapeBlock: Sendable {
    package let number: UInt32
    package let begins: HostTime
    private var reader: TapeReader
    private var last: HostTime

    package init(_ bytes: ArraySlice<UInt8>) throws(TapeError) {
        reader = TapeReader(bytes)
        number = try reader.fixed()
        begins = try HostTime(taped: try reader.fixed())
        last = begins
    }

    /// The next entry and its time; `nil` at the end.
    package mutating func next() throws(TapeError) -> (entry: TapeEntry, at: HostTime)? {
        guard !reader.isAtEnd else { return nil }
        let number = try reader.byte()
        guard let kind = TapeWriter.Kind(rawValue: number) else {
            throw .newer("an entry of kind \(number)")
        }
        last = try HostTime(taped: last.nanoseconds &+ (try reader.signed()))
        return (try content(kind), last)
    }

    private mutating func content(_ kind: TapeWriter.Kind) throws(TapeError) -> TapeEntry {
        switch kind {
        case .datagram:
            let arrivedAt = try arrival()
            return .datagram(try source(), arrivedAt: arrivedAt, bytes: try reader.bytes())
        case .browserDatagram:
            let (arrivedAt, conversation): (HostTime, ConversationID) = (try arrival(), try reader.take())
            return .browserDatagram(Array(try reader.bytes()), from: conversation, arrivedAt: arrivedAt)
        case .repeated:
            let arrivedAt = try arrival()
            return .datagram(try source(), arrivedAt: arrivedAt, bytes: try headed()[...])
        case .browserRepeated:
            let (arrivedAt, conversation): (HostTime, ConversationID) = (try arrival(), try reader.take())
            return .browserDatagram(try headed(), from: conversation, arrivedAt: arrivedAt)
        case .legacyFrame:
            let (arrivedAt, source): (HostTime, PeerAddress) = (try arrival(), try reader.take())
            return .legacyFrame(Array(try reader.bytes()), from: source, arrivedAt: arrivedAt)
        case .strangers: return .strangers(try reader.take())
        case .input: return .input(try reader.take())
        case .turn: return .turn
        case .turnAmid: return .turnAmid(heardUntil: try arrival())
        case .motions: return .motions(try reader.take())
        case .hole: return .hole(try reader.take())
        case .roomStands: return .roomStands(try reader.take())
        case .stands: return .stands(try reader.take())
        case .brings:
            let controller: ControllerID = try reader.take()
            return .brings(try reader.take(), controller)
        case .waits: return .waits(try reader.take())
        case .offers: return .offers(try reader.take())
        case .clock:
            let peer: UInt16 = try reader.take()
            return .clock(try reader.take(), of: Int(peer))
        }
    }

    /// As long as it was, with nothing behind its header.
    private mutating func headed() throws(TapeError) -> [UInt8] {
        let length = try reader.number()
        let header = try reader.bytes()
        guard length <= UInt64(WireFormat.maximumDatagramSize), header.count <= length else {
            throw TapeError("it holds a datagram of \(length) bytes, which is longer than any")
        }
        return Array(header) + [UInt8](repeating: 0, count: Int(length) - header.count)
    }

    private mutating func arrival() throws(TapeError) -> HostTime {
        try HostTime(taped: last.nanoseconds &- (try reader.signed()))
    }

    private mutating func source() throws(TapeError) -> TapeSource { TapeSource(number: try reader.take()) }
}

extension TapeEntry {
    fileprivate static func datagram(
        _ source: TapeSource, arrivedAt: HostTime, bytes: ArraySlice<UInt8>
    ) -> TapeEntry { .datagram(Array(bytes), from: source, arrivedAt: arrivedAt) }
}

extension TapePen {
    /// A datagram; of one that is repeated its length and header.
    fileprivate mutating func content(_ bytes: UnsafeRawBufferPointer, _ isRepeated: Bool) {
        guard isRepeated else { return self.bytes(bytes) }
        number(UInt64(bytes.count))
        self.bytes(UnsafeRawBufferPointer(rebasing: bytes.prefix(DatagramHeader.size)))
    }
}
