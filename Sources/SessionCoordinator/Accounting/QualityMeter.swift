/// A link's quality over the last complete 5 seconds, as GameNetworkingSockets words it.
///
/// `(unique - reordered - duplicate) / (unique + duplicate + missing)`, on datagrams, from the differences of two
/// readings of the same ledger.
public struct QualityMeter: Hashable, Sendable {
    /// Length of a reading in nanoseconds.
    public static let period: Int64 = 5_000_000_000

    private var beganAt: Int64?
    private var reading = DatagramLedger()
    /// 0 to 1; `nil` before the first complete period with datagrams in it.
    public private(set) var quality: Double?

    public init() {}

    /// Compares the ledger with its last reading, if that is 5 s old.
    public mutating func read(_ ledger: DatagramLedger, now: Int64) {
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
        quality = whole == 0 ? nil : Double(max(0, unique - reordered - duplicate)) / Double(whole)
        beganAt = now
        reading = ledger
    }
}
