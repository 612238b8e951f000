import WireProtocol

/// How long the host's word about a datagram takes: the round trip, and the host's wait before it answers.
///
/// The host's account names the highest number that it has; the time since that number was sent is one reading. Smoothed
/// as RFC 6298 does it.
struct RoundTripEstimate: Sendable {
    /// Nanoseconds; `nil` before the first reading.
    private(set) var smoothed: Int64?
    private(set) var variation: Int64 = 0
    /// The least reading of the link epoch: the nearest to the round trip alone.
    private(set) var least: Int64?
    private var highestAnswered: UInt32?
    /// When the latest datagrams were sent, by their numbers' lowest bits.
    private var sentAt = [Int64](repeating: 0, count: memory)
    private static let memory = 256

    mutating func sent(_ number: UInt32, at now: Int64) { sentAt[Int(number) % Self.memory] = now }

    /// The host had `highest` when it wrote what arrived now; `sent` datagrams have left so far.
    mutating func answered(highest: UInt32, sent: UInt32, at now: Int64) {
        if let highestAnswered, highest <= highestAnswered { return }
        highestAnswered = highest
        guard sent - highest <= UInt32(Self.memory) else { return }
        let reading = max(0, now.saturatingSubtract(sentAt[Int(highest) % Self.memory]))
        least = min(least ?? reading, reading)
        guard let smoothed else {
            smoothed = reading
            variation = reading / 2
            return
        }
        variation += (abs(smoothed - reading) - variation) / 4
        self.smoothed = smoothed + (reading - smoothed) / 8
    }

    /// How long to wait for an answer that takes the host `interval` to give, before it counts as overdue.
    func patience(interval: Int64) -> Int64 {
        guard let smoothed else { return interval + 50_000_000 }
        return interval + smoothed + max(4 * variation, 10_000_000)
    }
}

/// How many datagrams each sample is repeated in from the start: more when more are lost.
///
/// Reads the host's accounts in pieces of at least 50 datagrams. A redundancy of R brings a sample within R sending
/// intervals unless R + 1 datagrams in a row are lost: at 20 % loss, R = 2 misses 0.8 % and R = 3 0.16 %.
struct LossEstimate: Sendable {
    /// Datagrams that repeat a sample after the first: 1 to 3.
    private(set) var redundancy = 2
    /// The part lost in the latest piece, 0 to 1; `nil` before the first.
    private(set) var loss: Double?
    private var base: (highest: UInt32, unique: UInt32)?
    private var calmPieces = 0
    private static let piece: UInt32 = 50

    mutating func account(highest: UInt32, unique: UInt32) {
        guard let base, unique >= base.unique else {
            base = (highest, unique)
            return
        }
        guard highest > base.highest, highest - base.highest >= Self.piece else { return }
        let (sent, arrived) = (highest - base.highest, unique - base.unique)
        self.base = (highest, unique)
        let loss = Double(sent - min(arrived, sent)) / Double(sent)
        self.loss = loss
        calmPieces = loss < 0.01 ? calmPieces + 1 : 0
        redundancy = loss >= 0.08 ? 3 : calmPieces >= 8 ? 1 : max(2, redundancy - (loss < 0.04 ? 1 : 0))
    }

    /// A new link epoch counts from 0 again; what was learned about the network stays.
    mutating func restart() { base = nil }
}
