/// Remembers which of a peer's datagram numbers have arrived, so that none is counted twice.
///
/// A sliding bitmap in the manner of RFC 6479, 1,024 numbers wide, kept as a ring of words: sliding clears whole words
/// and moves nothing.
public struct ReplayWindow: Sendable {
    /// How an arriving number stands to those already seen.
    public enum Verdict: Hashable, Sendable {
        /// Never seen, and above all that were.
        case newest
        /// Never seen, though a higher one was.
        case reordered
        /// Seen before.
        case duplicate
        /// Too far behind to tell.
        case tooOld
    }

    /// Numbers that the window holds.
    public static let width: UInt32 = 1_024

    private var words = [UInt64](repeating: 0, count: Int(Self.width / 64))
    /// The highest number seen; `nil` before the first.
    public private(set) var highest: UInt32?

    public init() {}

    /// Judges a number, and remembers it.
    public mutating func admit(_ number: UInt32) -> Verdict {
        guard let top = highest else {
            highest = number
            set(number)
            return .newest
        }
        if number > top {
            slide(from: top, to: number)
            highest = number
            set(number)
            return .newest
        }
        if top - number >= Self.width { return .tooOld }
        if isSet(number) { return .duplicate }
        set(number)
        return .reordered
    }

    private mutating func slide(from top: UInt32, to number: UInt32) {
        if number - top >= Self.width {
            for word in words.indices { words[word] = 0 }
            return
        }
        var next = top + 1
        while next <= number {
            if next % 64 == 0, number - next >= 63 {
                words[word(next)] = 0
                if UInt32.max - next < 64 { return }
                next += 64
            } else {
                words[word(next)] &= ~bit(next)
                if next == .max { return }
                next += 1
            }
        }
    }

    private func word(_ number: UInt32) -> Int { Int(number / 64 % (Self.width / 64)) }
    private func bit(_ number: UInt32) -> UInt64 { 1 << UInt64(number % 64) }
    private func isSet(_ number: UInt32) -> Bool { words[word(number)] & bit(number) != 0 }
    private mutating func set(_ number: UInt32) { words[word(number)] |= bit(number) }
}
