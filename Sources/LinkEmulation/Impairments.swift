import WireProtocol

/// Draws what happens to each datagram, one sequence of random numbers for each impairment.
///
/// Every sequence moves on by the same steps for each datagram, needed or not. So switching one impairment on or off
/// leaves the fates by all others as they were: a run with duplicates can be compared with the same run without.
struct Impairments: Sendable {
    var conditions: NetworkConditions
    private var losses: SeededGenerator
    private var bursts: SeededGenerator
    private var delays: SeededGenerator
    private var reorderings: SeededGenerator
    private var duplications: SeededGenerator
    private var corruptions: SeededGenerator
    private var isInBurst = false

    /// The draws for one datagram.
    struct Draw {
        var isLost: Bool
        var isDuplicated: Bool
        var first: Passage
        var second: Passage
    }

    /// The draws for one copy of it.
    struct Passage {
        /// Nanoseconds on the way.
        var delay: Int64
        var isHeldBack: Bool
        /// Picks the bit to flip, if one is to be.
        var flippedBit: UInt64?
        var isWhole: Bool { flippedBit == nil }
    }

    init(_ conditions: NetworkConditions, seed: UInt64) {
        self.conditions = conditions
        var seeds = SplitMix64(seed: seed)
        losses = SeededGenerator(seed: seeds.next())
        bursts = SeededGenerator(seed: seeds.next())
        delays = SeededGenerator(seed: seeds.next())
        reorderings = SeededGenerator(seed: seeds.next())
        duplications = SeededGenerator(seed: seeds.next())
        corruptions = SeededGenerator(seed: seeds.next())
    }

    mutating func draw() -> Draw {
        let isLostAlone = losses.chance(conditions.loss)
        let isLostInBurst = drawBurst()
        return Draw(
            isLost: isLostAlone || isLostInBurst, isDuplicated: duplications.chance(conditions.duplication),
            first: drawPassage(), second: drawPassage())
    }

    /// One step of the Gilbert model: first the state changes, then it decides.
    private mutating func drawBurst() -> Bool {
        let chance = bursts.fraction()
        guard let burst = conditions.burst else {
            isInBurst = false
            return false
        }
        isInBurst = isInBurst ? chance >= burst.exit : chance < burst.entry
        return isInBurst
    }

    private mutating func drawPassage() -> Passage {
        let jitter = Double(conditions.jitter.wholeNanoseconds) * (delays.fraction() * 2 - 1)
        let isHeldBack = reorderings.chance(conditions.reorder)
        let isCorrupted = corruptions.chance(conditions.corruption)
        let bit = corruptions.next()
        let extra = isHeldBack ? conditions.reorderDelay.wholeNanoseconds : 0
        return Passage(
            delay: max(0, conditions.delay.wholeNanoseconds + Int64(jitter.rounded()) + extra), isHeldBack: isHeldBack,
            flippedBit: isCorrupted ? bit : nil)
    }
}
