/// Remembers which of a peer's datagram numbers have arrived, so that none is counted twice.
///
/// A sliding bitmap in the manner of RFC 6479, 1,024 numbers wide, kept as a ring of words: sliding clears what
/// leaves and moves nothing.
public struct ReplayWindow: Hashable, Sendable {
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

    private var words = WordRing()
    /// The highest number seen; `nil` before the first.
    public private(set) var highest: UInt32?

    /// A window that has seen nothing: any number is the newest.
    public init() {}

    /// One that goes on from where it stood.
    ///
    /// - Parameter held: whether each of the last ``width`` numbers up to `highest` arrived, the highest last; fewer where
    ///   fewer were sent.
    package init?(highest: UInt32, held: [Bool]) {
        guard held.count == Int(min(highest, Self.width - 1)) + 1, held.last == true else { return nil }
        self.highest = highest
        for (offset, isHeld) in held.reversed().enumerated() where isHeld { set(highest - UInt32(offset)) }
    }

    /// Whether each number that it holds arrived, the highest last.
    package var held: [Bool] {
        var held: [Bool] = []
        forEachHeld { isHeld, _ in held.append(isHeld) }
        return held
    }

    /// Numbers that it holds and that have not arrived.
    var missing: Int { held.count { !$0 } }

    /// Judges a number, and remembers it.
    ///
    /// - Parameter settle: told of the numbers whose fate is final because they leave the window, in their order: whether
    ///   they arrived, and how many did alike.
    public mutating func admit(_ number: UInt32, settle: (Bool, UInt64) -> Void = { _, _ in }) -> Verdict {
        guard let top = highest else {
            // Numbers start at 0: the window before them holds none.
            if number >= Self.width { settle(false, UInt64(number - Self.width) + 1) }
            highest = number
            set(number)
            return .newest
        }
        if number > top {
            slide(from: top, to: number, settle: settle)
            highest = number
            set(number)
            return .newest
        }
        if top - number >= Self.width { return .tooOld }
        if isSet(number) { return .duplicate }
        set(number)
        return .reordered
    }

    /// Tells what is known of the numbers in the window, in their order.
    func forEachHeld(_ body: (Bool, UInt64) -> Void) {
        guard let top = highest else { return }
        var number = top < Self.width ? 0 : top - Self.width + 1
        while number < top {
            body(isSet(number), 1)
            number += 1
        }
        body(true, 1)
    }

    private mutating func slide(from top: UInt32, to number: UInt32, settle: (Bool, UInt64) -> Void) {
        // What leaves is the oldest: as many as come, but no more than the window holds. A word at a time, as a peer may
        // skip as many numbers as it likes.
        var left = UInt64(min(number - top, Self.width))
        var next = UInt64(top) + 1
        while left > 0 {
            let (place, offset) = (Int(next / 64) % WordRing.count, next % 64)
            let count = min(64 - offset, left)
            let mask = (UInt64.max >> (64 - count)) << offset
            let word = words[place]
            if next >= UInt64(Self.width) { Self.tell((word & mask) >> offset, count: count, to: settle) }
            words[place] = word & ~mask
            next += count
            left -= count
        }
        if number - top > Self.width { settle(false, UInt64(number - top - Self.width)) }
    }

    /// Tells the runs of equal bits, the lowest first.
    private static func tell(_ bits: UInt64, count: UInt64, to settle: (Bool, UInt64) -> Void) {
        var (bits, left) = (bits, count)
        while left > 0 {
            let isSet = bits & 1 == 1
            let run = min(left, UInt64((isSet ? ~bits : bits).trailingZeroBitCount))
            settle(isSet, run)
            bits >>= run
            left -= run
        }
    }

    private func word(_ number: UInt32) -> Int { Int(number / 64 % (Self.width / 64)) }
    private func bit(_ number: UInt32) -> UInt64 { 1 << UInt64(number % 64) }
    private func isSet(_ number: UInt32) -> Bool { words[word(number)] & bit(number) != 0 }
    private mutating func set(_ number: UInt32) { words[word(number)] |= bit(number) }
}

/// The 1,024 bits of a ``ReplayWindow``, where the window lies: an array would be another place in memory for each
/// datagram to visit. (`InlineArray` asks for newer systems than Roomful does.)
private struct WordRing: Hashable, Sendable {
    static let count = 16

    private typealias Eight = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
    private var words: (Eight, Eight) = ((0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0))

    static func == (a: Self, b: Self) -> Bool { (0..<count).allSatisfy { a[$0] == b[$0] } }
    func hash(into hasher: inout Hasher) { for place in 0..<Self.count { hasher.combine(self[place]) } }

    subscript(place: Int) -> UInt64 {
        get { withUnsafeBytes(of: words) { $0.load(fromByteOffset: place % Self.count * 8, as: UInt64.self) } }
        set {
            withUnsafeMutableBytes(of: &words) {
                $0.storeBytes(of: newValue, toByteOffset: place % Self.count * 8, as: UInt64.self)
            }
        }
    }
}
