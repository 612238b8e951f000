/// A link's quality over the last complete 5 seconds, as GameNetworkingSockets words it.
///
/// `(unique - reordered - duplicate) / (unique + duplicate + missing)`, on datagrams, from the differences of two
/// readings of the same ledger.
package struct QualityMeter: Hashable, Sendable {
    /// Length of a reading in nanoseconds.
    package static let period: Int64 = 5_000_000_000

    private var beganAt: Int64?
    private var reading = DatagramLedger()
    /// 0 to 1; `nil` before the first complete period with datagrams in it.
    package private(set) var quality: Double?
    /// What the last complete period was like; `nil` before its end.
    package private(set) var interval: IntervalReport?

    package init() {}

    /// Compares the ledger with its last reading, if that is 5 s old.
    package mutating func read(_ ledger: DatagramLedger, now: Int64) {
        guard let began = beganAt else {
            beganAt = now
            reading = ledger
            return
        }
        guard now - began >= Self.period else { return }
        let unique = Int64(ledger.unique - reading.unique)
        let duplicate = Int64(ledger.duplicate - reading.duplicate)
        let reordered = Int64(ledger.reordered - reading.reordered)
        // What was missing may have come since: then it is a gain of this period, not a loss.
        let missing = max(0, Int64(ledger.missing) - Int64(reading.missing))
        let whole = unique + duplicate + missing
        interval = IntervalReport(
            length: now - began, authenticated: ledger.authenticated - reading.authenticated,
            bytes: ledger.bytes - reading.bytes, expected: ledger.expected - reading.expected,
            received: (ledger.unique + ledger.duplicate) - (reading.unique + reading.duplicate))
        quality = whole == 0 ? nil : Double(max(0, unique - reordered - duplicate)) / Double(whole)
        beganAt = now
        reading = ledger
    }
}

/// What came of a link in some seconds: the differences of two readings of its ledger.
public struct IntervalReport: Hashable, Sendable {
    /// Nanoseconds.
    public var length: Int64
    /// Datagrams that opened under the link's key, copies included.
    public var authenticated: UInt64
    /// UDP payload.
    public var bytes: UInt64
    /// RFC 3550's expected_interval and received_interval (copies count as received).
    public var expected: UInt64
    /// See ``expected``.
    public var received: UInt64

    /// RFC 3550's fraction lost, in 256ths: `(lost << 8) / expected`, 0 when copies outnumber losses (appendix A.3); `nil`
    /// where nothing was expected.
    public var fractionLost: UInt8? {
        guard expected > 0 else { return nil }
        guard expected > received else { return 0 }
        return UInt8(clamping: (expected - received) << 8 / expected)
    }

    /// ``authenticated`` over ``length``; 0 for no time at all.
    public var datagramsPerSecond: Double { length > 0 ? Double(authenticated) * 1e9 / Double(length) : 0 }
    /// UDP payload.
    public var bytesPerSecond: Double { length > 0 ? Double(bytes) * 1e9 / Double(length) : 0 }
}
