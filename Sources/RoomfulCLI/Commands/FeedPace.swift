import Roomful
import WireProtocol

/// Moves samples with times of their own onto this program's clock, and says how long each is to wait for its time.
///
/// What comes as it is sampled never waits: the first sample was taken when it was read, which was before joining, and joining
/// can take seconds. Such a clock may run ahead; but a line that had to be waited for holds nothing that is still to come.
/// A file's first sample is taken now, and each of the others waits until it is due; what leaps ahead by more than a second,
/// as a gap does, goes on as of now.
struct FeedPace {
    /// From no sensor comes so much more motion than time has passed.
    static let mostAhead = Duration.seconds(1)

    private let isFile: Bool
    private var shift: Duration
    private var previous: DeviceTime

    init(of first: Sample, readAt: DeviceTime) {
        (isFile, shift, previous) = (false, readAt - first.sampledAt, first.sampledAt)
    }

    init(ofFileFrom first: Sample, now: DeviceTime) {
        (isFile, shift, previous) = (true, now - first.sampledAt, first.sampledAt)
    }

    /// - Parameter waited: whether the line was not there yet when it was asked for.
    mutating func move(_ sample: inout Sample, now: DeviceTime, waited: Bool) -> Duration {
        let step = sample.sampledAt - previous
        previous = sample.sampledAt
        var ahead = sample.sampledAt + shift - now
        let isNew = waited && !isFile
        let isLeap = step > Self.mostAhead && ahead > Self.mostAhead
        if ahead > .zero, isNew || isLeap {
            shift -= ahead
            ahead = .zero
        }
        sample.sampledAt = sample.sampledAt + shift
        return isFile ? max(.zero, ahead) : .zero
    }
}
