import LinkEmulation
import RoomOwnership
import WireProtocol

/// How one host reaches the log and the other hosts.
struct LineConditions: Hashable, Sendable {
    /// Nanoseconds, one way.
    var delay: Moment
    /// The mean of what comes on top, exponentially.
    var jitter: Moment
    var loss = 0.0
    var doubling = 0.0
    /// How often something takes up to 3 s.
    var straggling = 0.0

    /// Nothing is lost, and all is there within some milliseconds.
    var isClean: Bool { loss == 0 && straggling == 0 && delay <= 20_000_000 }

    /// What a straggler takes at most.
    static let longest: Moment = 3_000_000_000

    func draw(_ random: inout SeededGenerator) -> Moment {
        if random.chance(straggling) { return Moment(random.fraction() * Double(Self.longest)) }
        // Ten means at most: the rest is what stragglers are for.
        return delay + min(jitter * 10, Moment(Double(jitter) * -Logarithm.natural(1 - random.fraction())))
    }
}

/// What an evening of a site is to be like, drawn from its seed.
struct SitePlan: Sendable {
    /// Faults come until then; all is well for the rest.
    let calmAt: Moment
    let end: Moment
    let hosts: Int
    let whenCut: CutPolicy
    let lines: [LineConditions]
    let clocks: [SimulatedHostClock]
    /// Between two things that an acting host wants to keep.
    let offerEvery: Moment
    /// Between two faults.
    let deedEvery: Moment
    /// Records that the log keeps.
    let keeps: Int
    let buffer: CommitBounds
    let hasStranger: Bool
    /// Somebody has the log filled with what is no record, faster than hosts read.
    let hasFloods: Bool
    /// What the broker needs to write a record down.
    let writing: Moment

    /// - Parameter fault: what is planted; the evening is one in which it can show.
    init(seed: UInt64, planting fault: PlantedFault?) {
        var random = SeededGenerator(seed: seed ^ 0x517E_0000)
        func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }
        let drawnHosts = pick([1, 2, 2, 2, 3, 3])
        let isYielding = random.chance(0.75)
        // Only where two standbys claim at once can they be taken for one; only who plays on can an operator be wrong about.
        hosts = fault == nil ? drawnHosts : fault == .rule(.ownerlessDeduplication) ? 3 : max(2, drawnHosts)
        whenCut = fault == .mistakenOperator ? .play : isYielding ? .yield : .play
        calmAt = Moment(25 + random.next() % 40) * 1_000_000_000
        end = calmAt + 20_000_000_000
        let isClean = random.chance(0.6)
        let skew = pick([0.0002, 0.0002, 0.01, 0.1])
        (lines, clocks) = (0..<hosts).reduce(into: ([], [])) { all, _ in
            var line = LineConditions(
                delay: pick([100_000, 500_000, 5_000_000]), jitter: pick([50_000, 500_000, 3_000_000]))
            if !isClean {
                line.loss = pick([0, 0.01, 0.1, 0.3])
                line.doubling = pick([0, 0.05])
                line.straggling = pick([0, 0.01, 0.1])
            }
            all.0.append(line)
            let origin = Moment(random.next() % 1_000_000) * 1_000_000_000
            all.1.append(SimulatedHostClock(origin: origin, rate: 1 + skew * (2 * random.fraction() - 1)))
        }
        offerEvery = pick([10_000_000, 50_000_000, 300_000_000])
        deedEvery = pick([800_000_000, 2_500_000_000, 8_000_000_000])
        keeps = random.chance(0.2) ? 64 : .max
        var bounds = CommitBounds()
        if random.chance(0.3) { (bounds.items, bounds.bytes, bounds.age) = (20, 2_000, .seconds(4)) }
        buffer = bounds
        hasStranger = random.chance(0.1)
        writing = pick([200_000, 1_000_000, 30_000_000])
        hasFloods = keeps < .max && random.chance(0.5)
    }
}

/// A host's clock: it stands anywhere, and runs fast or slow.
struct SimulatedHostClock: Hashable, Sendable {
    /// What it showed when the evening began, in nanoseconds.
    var origin: Moment
    /// 1.1 gains 100 ms a second.
    var rate: Double
    /// True time during which it stood still.
    var missed: Moment = 0

    func shows(_ moment: Moment) -> HostTime {
        HostTime(nanoseconds: origin + Moment(Double(moment - missed) * rate))
    }

    /// The first moment at which it shows this or more; to the nanosecond upwards.
    func moment(of time: HostTime) -> Moment {
        guard time < .distantFuture else { return .max }
        var guess = Moment(Double(time.nanoseconds - origin) / rate) + missed
        while shows(guess) < time { guess += 1 }
        return guess
    }
}

/// The logarithm, as no Foundation is here: `ln(x) = k ln 2 + ln(m)`, the latter by the series of its area tangent.
enum Logarithm {
    static func natural(_ value: Double) -> Double {
        guard value > 0 else { return -.infinity }
        let ratio = (value.significand - 1) / (value.significand + 1)
        var (term, sum, power) = (ratio, 0.0, 1.0)
        while abs(term) > 1e-17 {
            sum += term / power
            term *= ratio * ratio
            power += 2
        }
        return Double(value.exponent) * 0.693_147_180_559_945_3 + 2 * sum
    }
}
