package import SessionCoordinator
package import WireProtocol

/// What one lease's ledgers must say, worked out naively from what its controller sent and what the network's injector
/// let through: sets and loops only, no window, no bitmap, no code of the coordinator.
package struct LeaseBooks: Sendable {
    /// What a datagram was to a lease: none of it, or comes too late; booked; or new, on the link that is open, and so a
    /// sign of life.
    package enum Booking: Sendable { case notMine, booked, heard }

    /// A sample that had not come before.
    package struct Fresh: Hashable, Sendable {
        package var stream: StreamID
        package var index: UInt32
        package var lateness: Lateness
    }

    /// How a datagram's samples came.
    struct Arrival {
        let at: HostTime
        let now: HostTime
        let isDoubtful: Bool
        let admittedAt: HostTime
        let rule: LatenessRule
    }

    private let rule: LatenessRule
    private let admittedAt: HostTime
    private var links: [LinkBooks] = []
    private var streams: [StreamBooks] = []
    /// Runs of the program that spoke under this lease.
    package private(set) var programs = 0
    /// The goodbye for good has come.
    package private(set) var hasSaidGoodbye = false
    /// Its player has left: what comes now is late.
    private var isOver = false

    /// How long a link that has ended drains (WIRE-FORMAT.md, section 9).
    package static let drainTime: Duration = .seconds(3)

    package init(_ rule: LatenessRule, admittedAt: HostTime) { (self.rule, self.admittedAt) = (rule, admittedAt) }

    /// Of the link that is open, or was the last.
    package var connection: ConnectionID? { links.last?.connection }
    package var linkCount: Int { links.count }
    /// Samples that came, each once.
    package var sampleCount: UInt64 { streams.reduce(0) { $0 + UInt64($1.arrived.count) } }
    /// Those that were surely late.
    package var late: UInt64 { streams.reduce(0) { $0 + $1.late } }
    /// Those of which nobody can tell without the merge.
    package var unknown: UInt64 { streams.reduce(0) { $0 + $1.unknown } }

    // MARK: What happens to it

    package mutating func open(_ connection: ConnectionID, _ key: LinkKey, continues: Bool, now: HostTime) {
        endLink(now)
        programs += continues ? 0 : 1
        links.append(LinkBooks(connection: connection, key: key, program: programs))
        guard !continues else { return }
        for place in streams.indices { streams[place].isClosed = true }
    }

    /// The seat is given up; what was under way is booked still.
    package mutating func close(now: HostTime) {
        endLink(now)
        isOver = true
    }

    private mutating func endLink(_ now: HostTime) {
        guard let last = links.indices.last, links[last].until == nil else { return }
        links[last].until = now + Self.drainTime
    }

    /// Whether a datagram under this id and key is booked here now.
    package func knows(_ connection: ConnectionID, _ key: LinkKey, now: HostTime) -> Bool {
        place(connection, key, now: now) != nil
    }

    private func place(_ connection: ConnectionID, _ key: LinkKey, now: HostTime) -> Int? {
        links.lastIndex { $0.connection == connection && $0.key == key && now < $0.until ?? .distantFuture }
    }

    /// A datagram reached the host whole.
    ///
    /// - Parameters:
    ///   - at: when it came; `now`, when it was looked at.
    ///   - isLimited: the host did not read it, since its peer sends more than it declared.
    ///   - isDoubtful: what its device's clock shows may be misunderstood, as it was set of late.
    ///   - fresh: takes the samples that are new.
    package mutating func arrived(
        _ sent: SentRecord, from source: PeerAddress?, at: HostTime, now: HostTime, isLimited: Bool = false,
        isDoubtful: Bool = false, into fresh: inout [Fresh]
    ) -> Booking {
        guard let place = place(sent.connection, sent.key, now: now) else { return .notMine }
        let isOpen = links[place].until == nil
        guard links[place].arrived(sent, from: source) else { return .booked }
        // What else it holds still counts.
        defer { if sent.isFarewell, isOpen { close(now: now) } }
        guard !isLimited else {
            links[place].limited += 1
            return .booked
        }
        // A program that is gone speaks for nobody: its datagrams count, its samples do not.
        guard links[place].program == programs else { return .booked }
        let arrival = Arrival(at: at, now: now, isDoubtful: isDoubtful, admittedAt: admittedAt, rule: rule)
        for block in sent.blocks { take(block, arrival, into: &fresh) }
        hasSaidGoodbye = hasSaidGoodbye || sent.isFarewell
        return isOpen ? .heard : .booked
    }

    private mutating func take(_ block: SentRecord.Block, _ arrival: Arrival, into fresh: inout [Fresh]) {
        let known = streams.lastIndex { $0.stream == block.stream && !$0.isClosed }
        if let known {
            let steps = block.epoch &- streams[known].epoch
            if steps >= 128 { return }
            if steps == 0 { return streams[known].take(block, arrival, isOver: isOver, into: &fresh) }
            streams[known].isClosed = true
        }
        streams.append(StreamBooks(stream: block.stream, epoch: block.epoch))
        streams[streams.count - 1].take(block, arrival, isOver: isOver, into: &fresh)
    }

    // MARK: What the host's books must say

    /// In the order of ``SessionCoordinator/PeerReport/counters``. What is unknown counts as delivered.
    package var counts: [UInt64] {
        func links(_ count: (LinkBooks) -> UInt64) -> UInt64 { self.links.reduce(0) { $0 + count($1) } }
        func streams(_ count: (StreamBooks) -> UInt64) -> UInt64 { self.streams.reduce(0) { $0 + count($1) } }
        return [
            UInt64(self.links.count), links { UInt64($0.numbers.count) }, links(\.duplicate), links(\.tooOld),
            links(\.reordered), links(\.missing), links(\.tailMissing), links(\.bytes), 0, links(\.limited),
            self.links.last?.moves ?? 0,
            UInt64(self.streams.count), streams { UInt64($0.arrived.count) - $0.late }, streams(\.late),
            streams { UInt64($0.abandoned.count) }, streams(\.missing), streams(\.redundant),
        ]
    }

    /// Everything in which the host's report differs, in words.
    package func differences(_ report: PeerReport) -> [String] {
        // Of what nobody can tell the host's word is taken; only what it cannot be is wrong.
        let judged = min(unknown, report.samples.late - min(report.samples.late, late))
        var all = zip(PeerReport.counters, counts).compactMap { counter, count in
            let (found, truth) = (report[keyPath: counter.path], expected(count, counter.path, judged))
            return found == truth ? nil : "\(report.name): \(counter.name) is \(found), in truth \(truth)"
        }
        if !report.epoch.isBalanced { all.append("\(report.name): the datagram ledger's law is broken") }
        return all
    }

    private func expected(_ count: UInt64, _ path: KeyPath<PeerReport, UInt64>, _ judgedLate: UInt64) -> UInt64 {
        switch path {
        case \.samples.delivered: count - judgedLate
        case \.samples.late: count + judgedLate
        default: count
        }
    }
}

extension PeerReport {
    /// Every counter that counts what arrived.
    package static var counters: [(name: String, path: WritableKeyPath<PeerReport, UInt64>)] {
        [
            ("link epochs", \.datagrams.epochs), ("unique", \.datagrams.unique),
            ("duplicate", \.datagrams.duplicate), ("tooOld", \.datagrams.tooOld),
            ("reordered", \.datagrams.reordered), ("missing", \.datagrams.missing),
            ("tailMissing", \.datagrams.tailMissing), ("bytes", \.datagrams.bytes),
            ("unreadable", \.datagrams.unreadable), ("rateLimited", \.datagrams.rateLimited),
            ("path changes", \.pathChanges),
            ("stream epochs", \.samples.epochs), ("delivered", \.samples.delivered), ("late", \.samples.late),
            ("abandoned", \.samples.abandoned), ("samples missing", \.samples.missing),
            ("redundant", \.samples.redundant),
        ]
    }
}
