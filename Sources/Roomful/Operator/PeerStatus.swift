public import WireProtocol

/// Everything about one peer as an operator sees it: `roomful peers --json` prints these, one object a peer.
///
/// Times are milliseconds, and each name says which: `…Ms`. What is not known is `null`, never 0.
public struct PeerStatus: Hashable, Sendable, Codable {
    public var name: String
    /// 32 hexadecimal digits.
    public var controller: String
    public var seat: Int
    public var player: Int
    /// `#rrggbb`.
    public var color: String
    /// `reserved`, `active`, `lost` or `released`.
    public var state: String
    /// `good`, `poor` or `silent`.
    public var link: String
    /// `udp`; `wss` or `post`, a browser's, where a loss shows as delay; `legacy`: unsealed frames without numbers.
    public var transport: String
    /// Where its datagrams come from.
    public var address: String?
    /// How long ago anything authenticated came.
    public var lastHeardMs: Double
    public var datagrams: Datagrams
    public var samples: Samples
    /// RFC 3550's interarrival jitter.
    public var jitterMs: Double
    /// Of the last probe.
    public var roundTripMs: Double?
    /// One way, of the datagrams since the room opened; `null` while the clocks are not known.
    public var delay: Percentiles?
    /// Above the least delay of the last half minute; needs no synchronised clocks.
    public var queueing: Percentiles?
    /// (unique - reordered - duplicate) / (unique + duplicate + missing), over the last complete 5 s.
    public var quality: Double?
    public var clock: Clock
    /// What a browser's page says of its own sensor.
    public var sensor: SensorReport? = nil
    /// Only where it was asked for.
    public var recent: Recent? = nil
    /// Only where one peer alone was asked for.
    public var detail: Detail?

    /// The account of the present and past link epochs. `expected = unique + missing`.
    public struct Datagrams: Hashable, Sendable, Codable {
        /// What the sender says it sent, where it has said so and the link had one epoch only.
        public var sent: Int?
        /// Those that opened under the peer's key. A `legacy` peer has none: there, sound frames from its address.
        public var authenticated: Int
        /// `null` where nothing is numbered, like what follows from it.
        @ExplicitNull public var expected: Int?
        public var unique: Int
        @ExplicitNull public var missing: Int?
        /// Sent after the last that arrived.
        @ExplicitNull public var tailMissing: Int?
        public var duplicate: Int
        public var tooOld: Int
        public var reordered: Int
        public var unreadable: Int
        /// Beside the law: those whose content was neither taken nor acknowledged, as the peer sent too many.
        public var rateLimited: Int
        public var bytes: Int
        public var epochs: Int
    }

    /// The account of the present and past stream epochs. `expected = delivered + late + abandoned + missing`.
    public struct Samples: Hashable, Sendable, Codable {
        /// `null` where nothing is numbered, like `missing`.
        @ExplicitNull public var expected: Int?
        public var delivered: Int
        public var late: Int
        public var abandoned: Int
        @ExplicitNull public var missing: Int?
        public var redundant: Int
        public var epochs: Int
    }

    /// From an HDR histogram of two significant digits: the smallest value at or above the given share.
    public struct Percentiles: Hashable, Sendable, Codable {
        public var n: Int
        public var p50Ms: Double
        public var p95Ms: Double
        public var p99Ms: Double
        public var maxMs: Double
    }

    public struct Clock: Hashable, Sendable, Codable {
        /// `none`, `coarse`, `locked` or `stale`.
        public var state: String
        /// Half the width of the interval that holds the truth.
        public var uncertaintyMs: Double?
    }
}

/// One room as its operator sees it.
public struct RoomStatus: Hashable, Sendable, Codable {
    public var name: String
    /// 32 hexadecimal digits.
    public var room: String
    public var game: String?
    public var policy: String
    public var mode: String
    public var seats: Int
    public var freeSeats: Int
    public var isLocked: Bool
    /// The TCP and UDP port.
    public var port: Int
    /// What browsers are told instead of the room's own address (`--url`).
    public var url: String?
    /// The UDP port for unsealed frames, where one is open.
    public var legacyPort: Int?
    /// Plain HTTP on 127.0.0.1, where it is on.
    public var httpPort: Int?
    /// 64 hexadecimal digits: SHA-256 of the room authority's public key.
    public var pin: String
    /// What the advertisement says of itself: `published as "…"`, or why it is not.
    public var discovery: String
    /// `libsodium` or `swift-crypto`.
    public var sealing: String
    public var uptimeMs: Double
    /// The host's process on its machine.
    public var pid: Int?
    public var peers: [PeerStatus]
    /// Names of those who wait for the operator.
    public var waiting: [String]
    /// Arrivals that belong to nobody's ledger.
    public var strangers: Strangers

    public struct Strangers: Hashable, Sendable, Codable {
        public var badAuth: Int
        public var unknown: Int
        public var malformed: Int
        /// Thrown away by the kernel for want of room; `null` when it does not say.
        public var kernelDrops: Int?
    }
}
