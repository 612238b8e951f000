import Roomful
import WireProtocol

/// Moves samples with times of their own onto this program's clock, and says how long each is to wait for its time.
///
/// What comes as it is sampled never waits: the first sample was taken when it was read, which was before joining, and joining
/// can take seconds. A line that had to be waited for holds nothing that is still to come; the quickest of late came as it was
/// sampled. So such a clock is followed, whether it runs ahead, falls behind or is set ahead: by the lines of the last 10 to
/// 20 s. A file's first sample is taken now, and each of the others waits until it is due; what leaps ahead by more than a
/// second, as a gap does, goes on as of now, and so does what was due more than a second ago, as this program stood still.
/// So does, of either, what comes after a clock was set back by a second or more.
struct FeedPace {
    /// From no sensor comes so much more motion than time has passed.
    static let mostAhead = Duration.seconds(1)
    /// Whoever plays a file by so much too late stood still, and plays on instead of sending all of it at once.
    private static let mostBehind = Duration.seconds(1)
    /// A clock that goes back by as much was set.
    private static let clockStep = Duration.seconds(1)
    private static let window = Duration.seconds(10)
    /// By the times of so many samples their rate is known.
    static let enoughForRate = 20
    /// By fewer than so many nothing is.
    private static let leastForRate = 10

    private let isFile: Bool
    private var shift: Duration
    private var previous: DeviceTime
    private var since: DeviceTime
    /// By how much the clock lags behind ours: the least since then, and that of the window before.
    private var least: Duration
    private var leastBefore: Duration

    init(of first: Sample, readAt: DeviceTime) { self.init(first, at: readAt, isFile: false) }

    init(ofFileFrom first: Sample, now: DeviceTime) { self.init(first, at: now, isFile: true) }

    private init(_ first: Sample, at time: DeviceTime, isFile: Bool) {
        self.isFile = isFile
        shift = time - first.sampledAt
        previous = first.sampledAt
        since = time
        (least, leastBefore) = (shift, shift)
    }

    /// - Parameter waited: whether the line was not there yet when it was asked for.
    mutating func move(_ sample: inout Sample, now: DeviceTime, waited: Bool) -> Duration {
        let step = sample.sampledAt - previous
        previous = sample.sampledAt
        var ahead = sample.sampledAt + shift - now
        let isLeap = step > Self.mostAhead && ahead > Self.mostAhead
        let isBehind = ahead < .zero - Self.mostBehind
        if step <= .zero - Self.clockStep || isFile && (isLeap || isBehind) {
            goOn(now - sample.sampledAt, now: now)
            ahead = .zero
        } else if !isFile, waited || ahead > Self.mostAhead {
            follow(now - sample.sampledAt, now: now)
        }
        sample.sampledAt = sample.sampledAt + shift
        return isFile ? max(.zero, ahead) : .zero
    }

    /// When a recording that is so far began, if it began then: later, where this program has stood still.
    static func begin(_ start: DeviceTime, of offset: Duration, now: DeviceTime) -> DeviceTime {
        now - (start + offset) > mostBehind ? now - offset : start
    }

    /// How many samples a second these times speak of; `nil` where they are too few, or closer together than a sensor's are, as
    /// of samples that came together and were stamped only then.
    static func rate(of times: [DeviceTime]) -> Double? {
        guard times.count >= leastForRate else { return nil }
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
        // Neither a pause counts nor a clock that is set; and of whole milliseconds none is the rate's, but their mean.
        let middle = steps.dropFirst(steps.count / 4).dropLast(steps.count / 4)
        let span = middle.reduce(Duration.zero, +)
        let rate = Double(middle.count) / (span / .seconds(1))
        return (0.1...4_000).contains(rate) ? (rate * 10).rounded() / 10 : nil
    }

    /// Of a clock that stands elsewhere now nothing is known but what this line says.
    private mutating func goOn(_ lag: Duration, now: DeviceTime) {
        (shift, least, leastBefore, since) = (lag, lag, lag, now)
    }

    /// A line came whose time lies so far behind ours.
    private mutating func follow(_ lag: Duration, now: DeviceTime) {
        if now - since < Self.window {
            least = min(least, lag)
        } else {
            // One window at a time: what comes after a long silence is held against what came before it.
            (leastBefore, least, since) = (least, lag, now)
        }
        shift = min(least, leastBefore)
    }
}
