import Foundation
import Roomful

/// How a room stood up to a fleet.
struct FleetReport: Sendable, Encodable {
    /// What was asked for.
    struct Plan: Sendable, Encodable {
        var controllers: Int
        /// Samples a second, each.
        var rate: Double
        var seconds: Double
        var network: String
        var seed: UInt64
    }

    struct Samples: Sendable, Encodable {
        var made = 0
        /// Of those: taken by their controllers; refused by them, as they had no seat; and never handed over, as a queue
        /// was full.
        var taken = 0
        var refused = 0
        var crowdedOut = 0
        /// In the host's hands; those among them that came too late to be fed.
        var delivered: Int?
        var late: Int?
        var missing: Int?
        var abandoned: Int?
        /// Taken, and above all that the host ever heard of.
        var unheard: Int?
        /// In the controllers' hands still: not confirmed when they left.
        var unconfirmed = 0
    }

    struct Delays: Sendable, Encodable {
        /// From the sample to its first arrival at the room's door, the network's own delay included.
        var age: PeerStatus.Percentiles?
        /// What losses added to it.
        var added: PeerStatus.Percentiles?
        /// How late the fleet itself made its samples: a machine that is too slow for the fleet shows here.
        var lateness: PeerStatus.Percentiles?
        /// The host's own measurement of one way: of the controllers' medians the middle one, of their p99 the worst.
        var hostMedianMs: Double?
        var hostWorstP99Ms: Double?
    }

    var room: String
    var plan: Plan
    /// The room's books were read; else only what controllers were told is known.
    var hasBooks: Bool
    var joining: PeerStatus.Percentiles?
    var joinedWithinMs: Double
    var relay: RelayReport
    var samples = Samples()
    var delays = Delays()
    var comparison = BookComparison()
    var host: [ProcessFigures] = []
    /// Of the fleet itself: before the first joining and after the last leaving.
    var ownDescriptors: [Int] = []
    /// Why controllers were silent for a while, or for good.
    var silences: [FleetSilences.Reason] = []
    /// What was wrong beside the books, in words.
    var troubles: [String] = []

    var isEqual: Bool { comparison.isEqual && troubles.isEmpty }

    var hasHeld: Bool {
        isEqual
            && (samples.missing ?? 0) + (samples.abandoned ?? 0) + (samples.unheard ?? 0) + samples.unconfirmed
                + samples.refused
                + samples.crowdedOut == 0
    }
}
