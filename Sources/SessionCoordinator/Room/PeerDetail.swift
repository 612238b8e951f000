public import WireProtocol

/// What is told of a peer only when somebody asks for this one: how its losses lie, and its last minute.
public struct PeerDetail: Hashable, Sendable {
    /// The last complete 5 s of the present link epoch; `nil` before their end.
    public var interval: IntervalReport?
    /// How losses lie in the present link epoch; `nil` where nothing is numbered.
    public var losses: LossReport?
    /// Nanoseconds from one of its numbers to the next, on average; `nil` before the second.
    package var pace: Double?
    /// The newest holes in it that were not filled, oldest first, at most 64.
    public var holes: [Hole]
    /// The streams of the present stream epochs, and those that were declared and say nothing though it is time.
    public var streams: [StreamReport]
    /// The complete seconds of the last minute, oldest first.
    public var minute: [SecondReport]
    /// One-way delay of the last datagram, nanoseconds; `nil` while the clocks are not known.
    public var oneWay: Int64?
}

/// What whoever watches a whole room wants to know of each peer beside its report: cheap enough for all, every second.
public struct PeerGlance: Hashable, Sendable {
    /// The last complete 5 s of the present link epoch; `nil` before their end.
    public var interval: IntervalReport?
    /// Each stream, how long ago new samples came, and whether that is too long; one that was declared and says nothing is
    /// among them once it is time.
    public var streams: [Stream]
    /// The complete seconds of the last minute, oldest first.
    public var minute: [SecondReport]
    /// One-way delay of the last datagram, nanoseconds; `nil` while the clocks are not known.
    public var oneWay: Int64?

    /// The freshness of one of the peer's streams.
    public struct Stream: Hashable, Sendable {
        /// The stream's number within its controller.
        public var stream: Int
        /// Nanoseconds; `nil` before the first.
        public var age: Int64?
        /// Nothing new came for 50 ms, or two samples' time if that is longer: what is shown of it is not fresh.
        public var isStale: Bool
    }
}

/// What is known of one stream at one moment.
public struct StreamReport: Hashable, Sendable {
    /// What its controller said of it when it joined.
    public var declaration: StreamDeclaration
    /// The numbering of its samples that the ledger is about.
    public var epoch: UInt8
    /// The samples of this stream epoch.
    public var ledger: SampleLedger
    /// How long ago new samples came, in nanoseconds; `nil` before the first.
    public var age: Int64?
    /// Nothing new came for 50 ms, or two samples' time if that is longer: what is shown of it is not fresh.
    public var isStale: Bool

    init(_ stream: StreamReceiver, now: HostTime) {
        declaration = stream.declaration
        epoch = stream.epoch
        ledger = stream.ledger
        age = stream.newestArrivedAt.map { max(0, now.nanoseconds - $0) }
        let limit = max(50_000_000, Int64(2e9 / declaration.nominalRate)) + declaration.batch.wholeNanoseconds
        isStale = age.map { $0 > limit } ?? true
    }
}

extension Coordinator {
    /// A peer's last minute, in brief.
    public func glance(at index: PeerIndex, now: HostTime) -> PeerGlance? {
        peers.read(index) { peer in
            let link = peer.link
            return PeerGlance(
                interval: link?.quality.interval,
                streams: peer.streams(now: now).map {
                    .init(stream: Int($0.declaration.stream), age: $0.age, isStale: $0.isStale)
                },
                minute: peer.minute.report, oneWay: link?.oneWay)
        }
    }

    /// Everything about one peer that its report does not hold; looks at a thousand numbers.
    public func detail(of index: PeerIndex, now: HostTime) -> PeerDetail? {
        peers.read(index) { peer in
            let link = peer.link
            return PeerDetail(
                interval: link?.quality.interval, losses: link?.losses,
                pace: link.flatMap { $0.holes.pace(upTo: $0.ledger.highest) }, holes: link?.holes.holes ?? [],
                streams: peer.streams(now: now), minute: peer.minute.report,
                oneWay: link?.oneWay)
        }
    }
}

extension Peer {
    fileprivate func streams(now: HostTime) -> [StreamReport] {
        let declared = attachment.readLink { $0.program.declarations } ?? []
        let silent = declared.filter { motion.isOverdue($0, at: now) }
        return (motion.streams + silent.map { StreamReceiver(declaration: $0, epoch: 0) }).map {
            StreamReport($0, now: now)
        }
    }
}
