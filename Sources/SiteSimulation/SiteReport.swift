/// What one evening of a site was, and which laws it broke.
package struct SiteReport: Hashable, Sendable {
    package var seed: UInt64
    /// Sentences, in the order in which they came to light; empty when every law held. At most 20.
    package internal(set) var violations: [String] = []
    /// How often each thing happened, by its name.
    package internal(set) var counts: [String: Int] = [:]
    /// From an owner's death, stop or cut to the first moment at which its successor acts, where a standby was healthy and
    /// nothing else was wrong until then.
    package internal(set) var takeovers: [Duration] = []
    /// From the last moment at which the old owner acted to the first of the new one, where nothing was wrong.
    package internal(set) var handovers: [Duration] = []
    /// Of the log and of who acted when: the same seed gives the same.
    package internal(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    package internal(set) var duration: Duration = .zero
    package internal(set) var hosts = 0

    mutating func note(_ what: String, _ count: Int = 1) { counts[what, default: 0] += count }

    mutating func broken(_ law: String, at now: Moment) {
        guard violations.count < 20 else { return }
        violations.append("at \(now / 1_000_000) ms: \(law)")
    }

    mutating func mix(_ value: UInt64) { digest = (digest ^ value) &* 0x100_0000_01B3 }
}

/// True time in nanoseconds, which no host knows.
typealias Moment = Int64
