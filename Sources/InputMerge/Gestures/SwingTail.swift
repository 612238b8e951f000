import WireProtocol

/// How the device turned of late, so that a swing's start can be found by walking back from its fastest moment.
///
/// Allocates when it is made, and never again: moments for twice the rate that was declared, at least for 60 Hz, as
/// declarations may be wrong, and at most 256. A sensor that is faster has every other moment remembered, or fewer.
struct SwingTail: Sendable {
    private struct Moment: Sendable {
        var at = DeviceTime(nanoseconds: 0)
        /// In rad/s: about whatever axis, and about the vertical.
        var rate: Float = 0
        var along: Float = 0
    }

    private static let counts = 138.0...256.0
    /// How far back it reaches at the least, in s.
    private static let span = 1.15
    /// No swing is longer, up to its fastest moment, in s.
    private static let longest = 1.0
    /// It began where the turn stays below this, in rad/s, …
    private static let still: Float = 1
    /// … or, for strokes over the head, which hardly turn about the vertical, below this, …
    private static let stillOverhead: Float = 1.5
    /// … for so long, in s.
    private static let rest = 0.05
    /// What turned less, or more, or for a shorter time is no swing's beginning: in rad and s.
    private static let turns = (20 * Double.pi / 180)...(400 * Double.pi / 180)
    private static let shortest = 0.08

    private var moments: [Moment]
    /// Moments closer than this add nothing, in ns.
    private let spacing: Int64
    /// How many were ever added; the newest lies before it.
    private var count = 0

    /// - Parameter rate: at which samples are said to come, in Hz.
    init(rate: Double) {
        let capacity = min(max(2 * Self.span * rate, Self.counts.lowerBound), Self.counts.upperBound).rounded(.up)
        moments = Array(repeating: Moment(), count: Int(capacity))
        spacing = Int64(Self.span / capacity * 1e9)
    }

    mutating func add(rate: Double, along: Double, at now: DeviceTime) {
        if count > 0 {
            let elapsed = now.nanoseconds.saturatingSubtract(self[count - 1].at.nanoseconds)
            if elapsed < 0 { count = 0 } else if elapsed < spacing { return }
        }
        moments[count % moments.count] = Moment(at: now, rate: Float(rate), along: Float(along))
        count += 1
    }

    mutating func forget() { count = 0 }

    /// In rad/s.
    func fastest(since start: DeviceTime) -> Double {
        var (fastest, place) = (0.0, count - 1)
        while place >= max(0, count - moments.count), self[place].at >= start {
            fastest = max(fastest, Double(self[place].rate))
            place -= 1
        }
        return fastest
    }

    /// Where the turn began that is under way at `peak`; `nil` where that cannot be told.
    func start(before peak: DeviceTime) -> DeviceTime? {
        let oldest = max(0, count - moments.count)
        var place = count - 1
        while place > oldest, self[place].at > peak { place -= 1 }
        guard place > oldest else { return nil }
        let top = self[place]
        let isOverhead = abs(top.along) < 0.5 * top.rate
        let sign: Float = top.along < 0 ? -1 : 1
        var (turn, start, turnSinceStart) = (0.0, top.at, 0.0)
        while place > oldest, top.at.seconds(since: self[place].at) <= Self.longest {
            let (moment, earlier) = (self[place], self[place - 1])
            let isCalm = isOverhead ? moment.rate < Self.stillOverhead : sign * moment.along < Self.still
            if isCalm {
                if start.seconds(since: moment.at) >= Self.rest { return checked(start, top.at, turnSinceStart) }
            } else {
                (start, turnSinceStart) = (moment.at, turn)
            }
            turn += Double(moment.rate) * moment.at.seconds(since: earlier.at)
            place -= 1
        }
        return nil
    }

    private func checked(_ start: DeviceTime, _ peak: DeviceTime, _ turn: Double) -> DeviceTime? {
        Self.turns.contains(turn) && peak.seconds(since: start) >= Self.shortest ? start : nil
    }

    private subscript(place: Int) -> Moment { moments[place % moments.count] }
}
