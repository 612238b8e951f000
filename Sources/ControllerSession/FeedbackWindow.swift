/// Remembers which of the host's datagram numbers have arrived, so that none is acted on twice.
///
/// A bitmap that slides with the highest number, in the manner of RFC 6479: a number's bit is found by its lowest bits,
/// and moving on clears whole words.
struct FeedbackWindow: Sendable {
    /// How an arriving number stands to those already seen.
    enum Verdict: Sendable, Equatable { case fresh, duplicate, stale }

    /// Numbers that the window can tell apart at least.
    static let size: UInt32 = 1_024
    /// One word more than the size needs, so that the highest number's word may be cleared at once.
    private static let words = Int(size) / 64 + 1

    private(set) var highest: UInt32?
    private var seen = [UInt64](repeating: 0, count: words)

    /// Says how the number stands, and remembers it. Only for numbers of datagrams that opened.
    mutating func admit(_ number: UInt32) -> Verdict {
        if let highest, number <= highest {
            guard highest - number < Self.size else { return .stale }
            guard seen[word(of: number)] & bit(of: number) == 0 else { return .duplicate }
        } else {
            clearWords(upTo: number)
            highest = number
        }
        seen[word(of: number)] |= bit(of: number)
        return .fresh
    }

    private mutating func clearWords(upTo number: UInt32) {
        guard let highest else { return }
        let steps = min(Int(number / 64 - highest / 64), Self.words)
        for step in 0..<steps { seen[(Int(number / 64) - step) % Self.words] = 0 }
    }

    private func word(of number: UInt32) -> Int { Int(number / 64) % Self.words }
    private func bit(of number: UInt32) -> UInt64 { 1 << UInt64(number % 64) }
}
