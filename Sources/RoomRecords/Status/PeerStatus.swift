import Identity
import SessionCoordinator
package import WireProtocol

/// Everything about one peer as an operator sees it: `roomful peers --json` prints these, one object a peer.
///
/// Times are milliseconds, and each name says which: `…Ms`. What is not known is `null`, never 0.
package struct PeerStatus: Hashable, Sendable, Codable {
    package var name: String
    /// 32 hexadecimal digits.
    package var controller: String
    package var seat: Int
    package var player: Int
    /// `#rrggbb`.
    package var color: String
    /// `reserved`, `active`, `lost` or `released`.
    package var state: String
    /// `good`, `poor` or `silent`: also one of which no datagram has come yet.
    package var link: String
    /// `udp`; `wss` or `post`, a browser's, where a loss shows as delay; `legacy`: unsealed frames without numbers.
    package var transport: String
    /// Where its datagrams come from.
    package var address: String?
    /// How long ago anything authenticated came.
    package var lastHeardMs: Double
    package var datagrams: Datagrams
    package var samples: Samples
    /// What its controller says that it sent, and whether that agrees; `nil` of a host that does not tell.
    package var witness: Witness? = nil
    /// RFC 3550's interarrival jitter.
    package var jitterMs: Double
    /// Of the last probe.
    package var roundTripMs: Double?
    /// One way, of the datagrams of its present stay; `null` while the clocks are not known.
    package var delay: Percentiles?
    /// How far the least sure of these delays may be wrong.
    package var delayUncertaintyMs: Double?
    /// Above the least delay of the last half minute; needs no synchronised clocks.
    package var queueing: Percentiles?
    /// (unique - reordered - duplicate) / (unique + duplicate + missing), over the last complete 5 s.
    package var quality: Double?
    package var clock: Clock
    /// What a browser's page says of its own sensor.
    package var sensor: SensorReport? = nil
    /// How deep it is under water, where a sensor of it measures that: as its newest event would tell it.
    package var submersion: EventRecord.Submersion? = nil
    /// What befell the network of the host's own machine, where its silence may come of that.
    package var hostNetwork: RoomStatus.Network? = nil
    /// Only where it was asked for.
    package var recent: Recent? = nil
    /// Only where one peer alone was asked for.
    package var detail: Detail?

    /// The account of the present and past link epochs. `expected = unique + missing`.
    package struct Datagrams: Hashable, Sendable, Codable {
        /// What the sender says it sent, where it has said so and the link had one epoch only.
        package var sent: Int?
        /// Those that opened under the peer's key. A `legacy` peer has none: there, sound frames from its address.
        package var authenticated: Int
        /// `null` where nothing is numbered, like what follows from it.
        @ExplicitNull package var expected: Int?
        package var unique: Int
        @ExplicitNull package var missing: Int?
        /// Sent after the last that arrived.
        @ExplicitNull package var tailMissing: Int?
        package var duplicate: Int
        package var tooOld: Int
        package var reordered: Int
        package var unreadable: Int
        /// Beside the law: those whose content was neither taken nor acknowledged, as the peer sent too many.
        package var rateLimited: Int
        package var bytes: Int
        package var epochs: Int
        /// Those of the authenticated ones that came on the present link epoch; `nil` of a host that does not tell.
        package var inEpoch: Int? = nil
    }

    /// The account of the present and past stream epochs. `expected = delivered + late + abandoned + missing`.
    package struct Samples: Hashable, Sendable, Codable {
        /// `null` where nothing is numbered, like `missing`.
        @ExplicitNull package var expected: Int?
        package var delivered: Int
        package var late: Int
        package var abandoned: Int
        @ExplicitNull package var missing: Int?
        package var redundant: Int
        package var epochs: Int
        /// Those of the late ones that were sampled before the seat was given; `nil` of a host that does not tell.
        package var beforeSeat: Int?
        /// What a slow network shows in; `nil` of a host that does not tell.
        package var lastMinute: LastMinute?
    }

    /// Samples of the last minute, but for what a peer held back while nobody heard it, and what came while the host itself
    /// was late.
    package struct LastMinute: Hashable, Sendable, Codable {
        /// Delivered or late.
        package var all: Int
        package var late: Int
        /// Those of the late ones that were old when they were sent; `nil` of a host that does not tell.
        package var old: Int? = nil
        /// Too late as the host itself stood still, or was behind; none of the others. `nil` of one that does not tell.
        package var missedByHost: Int? = nil
        /// Given up by their controller, since a minute passed without any; `nil` of a host that does not tell.
        package var abandoned: Int?
    }

    /// The controller's own word, held against the host's account: two witnesses, who count apart.
    package struct Witness: Hashable, Sendable, Codable {
        /// `confirmed`; `unconfirmed`, where one of them is missing or has not spoken to the end; `contradicted`.
        package var agreement: String
        /// Why it is not confirmed, or in what they contradict each other: sentences.
        package var reasons: [String]
        /// Datagrams that it says it sent, in all link epochs; `null` while it has said nothing.
        @ExplicitNull package var datagrams: Int?
        /// Samples that it says it made.
        @ExplicitNull package var samples: Int?
        /// Samples that it says the host confirmed.
        @ExplicitNull package var confirmed: Int?
        /// It said so with its goodbye: nothing is to come.
        package var isFinal: Bool
    }

    /// From an HDR histogram of two significant digits: the smallest value at or above the given share.
    package struct Percentiles: Hashable, Sendable, Codable {
        package var n: Int
        package var p50Ms: Double
        package var p95Ms: Double
        package var p99Ms: Double
        package var maxMs: Double

        package init(n: Int, p50Ms: Double, p95Ms: Double, p99Ms: Double, maxMs: Double) {
            self.n = n
            (self.p50Ms, self.p95Ms, self.p99Ms, self.maxMs) = (p50Ms, p95Ms, p99Ms, maxMs)
        }
    }

    package struct Clock: Hashable, Sendable, Codable {
        /// `none`, `coarse`, `locked` or `stale`.
        package var state: String
        /// Half the width of the interval that holds the truth.
        package var uncertaintyMs: Double?
    }
}
