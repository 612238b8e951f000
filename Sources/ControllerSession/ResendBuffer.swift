import WireProtocol

/// Holds one stream's samples until the host has them, so that none is lost while the link lives.
///
/// ```
///        floor                                 next
///          v                                     v
///   ... |held| - |held|held| - | - |held|held|held|        - acknowledged, held no more
/// ```
///
/// A ring that grows up to its capacity: an index's place is its lowest bits. What does not fit any more, or grows too
/// old, falls off at the floor and is abandoned.
struct ResendBuffer: Sendable {
    struct Slot: Sendable {
        var sample: Sample
        /// When the sample came in, in nanoseconds on the device's clock; ``longAgo`` if it was too old then.
        var appendedAt: Int64
        /// When it was sent last in this link epoch; ``never`` before that.
        var sentAt = never
        /// The number of the datagram that carried it last.
        var sentIn: UInt32 = 0
        var isHeld = true
        /// It was sent before, in this link epoch or another.
        var wasSent = false
    }

    /// Stands for "not sent in this link epoch".
    static let never = Int64.min
    /// Stands for "before any limit".
    static let longAgo = Int64.min

    /// The oldest index still held, or the next one when none is.
    private(set) var floor: UInt32 = 0
    /// The index that the next sample gets.
    private(set) var next: UInt32 = 0
    /// Samples held: sent or not, the host has not said that it has them.
    private(set) var heldCount = 0
    private var slots: [Slot] = []
    private let capacity: Int

    /// - Parameters:
    ///   - capacity: samples between floor and next at most; a power of two.
    ///   - first: the index that the first sample gets.
    init(capacity: Int, from first: UInt32 = 0) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity must be a power of two")
        self.capacity = capacity
        (floor, next) = (first, first)
    }

    var isEmpty: Bool { heldCount == 0 }

    /// Whether the index is held. Must lie in `floor ..< next`.
    func holds(_ index: UInt32) -> Bool { slots[place(index)].isHeld }

    subscript(index: UInt32) -> Slot {
        slots[place(index)]
    }

    /// Takes a sample.
    ///
    /// - Returns: how many samples had to fall off for it: 0 or 1.
    mutating func append(_ sample: Sample, at now: Int64) -> Int {
        var abandoned = 0
        if next - floor == UInt32(capacity) {
            release(floor)
            abandoned = 1
        }
        let slot = Slot(sample: sample, appendedAt: now)
        if next - floor == UInt32(slots.count) { grow(filling: slot) }
        slots[place(next)] = slot
        next += 1
        heldCount += 1
        return abandoned
    }

    /// Lets go of a sample that the host has.
    ///
    /// - Returns: whether it was held until now.
    @discardableResult
    mutating func release(_ index: UInt32) -> Bool {
        guard index >= floor, index < next, slots[place(index)].isHeld else { return false }
        slots[place(index)].isHeld = false
        heldCount -= 1
        while floor < next, !slots[place(floor)].isHeld { floor += 1 }
        return true
    }

    /// Lets fall off what came in before the given moment.
    ///
    /// - Returns: how many samples are abandoned by it.
    mutating func abandon(before limit: Int64) -> Int {
        var abandoned = 0
        while floor < next, slots[place(floor)].appendedAt < limit {
            release(floor)
            abandoned += 1
        }
        return abandoned
    }

    /// - Returns: whether the sample had been sent before.
    mutating func markSent(_ index: UInt32, at now: Int64, in number: UInt32) -> Bool {
        defer { slots[place(index)].wasSent = true }
        slots[place(index)].sentAt = now
        slots[place(index)].sentIn = number
        return slots[place(index)].wasSent
    }

    /// Begins a link epoch: nothing was sent in it yet.
    mutating func forgetSending() {
        for place in slots.indices { slots[place].sentAt = Self.never }
    }

    /// Begins a stream epoch: what is held gets the indexes from 0, in the same order.
    mutating func renumber() {
        var renumbered = ResendBuffer(capacity: capacity)
        var index = floor
        while index < next {
            let slot = self[index]
            if slot.isHeld {
                _ = renumbered.append(slot.sample, at: slot.appendedAt)
                renumbered.slots[renumbered.place(renumbered.next - 1)].wasSent = slot.wasSent
            }
            index += 1
        }
        self = renumbered
    }

    private func place(_ index: UInt32) -> Int { Int(index) & (slots.count - 1) }

    /// Doubles the ring; each index moves to its new place.
    private mutating func grow(filling filler: Slot) {
        var larger = [Slot](repeating: filler, count: max(min(64, capacity), slots.count * 2))
        var index = floor
        while index < next {
            larger[Int(index) & (larger.count - 1)] = slots[place(index)]
            index += 1
        }
        slots = larger
    }
}
