import InputMerge
import WireProtocol

/// How well gestures are taught and recognised from the stream itself: cut out by their rests, under the orientation
/// filter, as a room does it.
///
/// A player shows each gesture until the lesson has its three examples, six times at most; then all the others are made,
/// one after another. Each recording is followed by half a second of rest as it ended, and a hole. *Right* counts those
/// whose own name was told and no other.
struct GesturesLive {
    private static let key = StreamKey(peer: 0, stream: 0)
    private static let examples = 3
    static let patience = 6
    private static let hold = 0.5
    private static let pause: Int64 = 1_000_000_000

    private let set: GestureSet
    private var merge: Merge
    private var index: UInt32 = 0
    private var now: Int64 = 1_000_000_000

    static func lines(of set: GestureSet) -> [ScoreLine] {
        var (lessons, shown): ([Resampling.Part], [Double]) = ([], [])
        let nothing = [Resampling.Part](repeating: Resampling.Part(0, of: 0), count: set.items.count)
        var (right, wrong, early, sure) = (nothing, nothing, nothing, nothing)
        let splits = GestureSplit.drawn(patience, of: set, times: 10)
        if splits.isEmpty { return [] }
        for split in splits {
            var live = GesturesLive(set)
            var trials = split.tried
            for label in set.labels {
                let places = split.taught.filter { set.items[$0].label == label }
                guard !places.isEmpty else { continue }
                let used = live.teach(label, places)
                lessons.append(Resampling.Part(used.isFinished ? 1 : 0, of: 1))
                shown.append(Double(used.shown))
                trials += places.dropFirst(used.shown)
            }
            for place in trials {
                let (label, seen) = (set.items[place].label, live.perform(set.items[place]))
                right[place].count(seen.told == [label])
                wrong[place].count(seen.told.contains { $0 != label })
                early[place].count(seen.halfway == label)
                for gesture in seen.sure { sure[place].count(gesture == label) }
            }
        }
        let name = "\(set.name), taught and tried in a room"
        return [
            ScoreLine("\(name): lessons finished within \(patience)", shareOf: lessons),
            ScoreLine("\(name): shown in a lesson", meanOf: shown, "times"),
            ScoreLine("\(name): right", shareOf: right, target: 80),
            ScoreLine("\(name): another one told", shareOf: wrong, target: 3, isCost: true),
            ScoreLine("\(name): likeliest, and right, when half of it was done", shareOf: early),
            ScoreLine("\(name): right where a likelihood of 0.8 and more was told", shareOf: sure),
        ]
    }

    private init(_ set: GestureSet) {
        self.set = set
        merge = Merge(MergeConfiguration(gestures: []), of: Self.key, StreamDeclaration(nominalRate: set.rate))
    }

    /// How many of these performances the lesson took; if they were not enough, it is called off.
    private mutating func teach(_ label: String, _ places: [Int]) -> (shown: Int, isFinished: Bool) {
        merge.teach(GestureKind(rawValue: label), times: Self.examples, to: 1)
        for (count, place) in places.enumerated() where perform(set.items[place]).isFinished {
            return (count + 1, true)
        }
        // Who stops has taught what was shown as often as was asked.
        merge.cancelLesson(of: 1)
        _ = merge.advance(to: HostTime(nanoseconds: now))
        return (places.count, merge.taught(of: 1).contains { $0.kind.rawValue == label })
    }

    /// What a room told of one performance.
    private struct Seen {
        var told: [String] = []
        var isFinished = false
        /// The likeliest gesture when half of it was done; `nil` where none was told by then.
        var halfway: String?
        /// Whatever was told to be likely by 0.8 and more while it was made.
        var sure: [String] = []
    }

    private mutating func perform(_ item: GestureSet.Item) -> Seen {
        var seen = Seen()
        let start = now + Self.pause
        let half = start + Int64(item.trace.duration * 1e9 / 2)
        for moment in item.moments + item.rest(Self.hold, every: 1 / set.rate) {
            now = start + Int64((moment.time - item.moments[0].time) * 1e9)
            _ = merge.accept(
                Sample(
                    sampledAt: DeviceTime(nanoseconds: now), acceleration: moment.force * Float(standardGravity),
                    rotationRate: moment.rotationRate),
                index: index, of: Self.key, arrivedAt: HostTime(nanoseconds: now))
            index += 1
            for event in merge.advance(to: HostTime(nanoseconds: now)) {
                switch event {
                case .gesture(let gesture) where gesture.phase == .began: seen.told.append(gesture.gesture.rawValue)
                case .shaping(let shaping):
                    let likeliest = shaping.candidates.first
                    if shaping.occurredAt.nanoseconds <= half { seen.halfway = likeliest?.gesture.rawValue }
                    if let likeliest, likeliest.likelihood >= 0.8 { seen.sure.append(likeliest.gesture.rawValue) }
                case .teaching(let progress):
                    if case .finished = progress.step { seen.isFinished = true }
                default: break
                }
            }
        }
        return seen
    }
}

extension GestureSet.Item {
    /// What would come next if the device were held still as it was at last.
    fileprivate func rest(_ seconds: Double, every interval: Double) -> [MotionTrace.Moment] {
        let last = moments.suffix(5)
        let force = last.reduce(SIMD3<Float>.zero) { $0 + $1.force } / Float(last.count)
        return (1...max(1, Int(seconds / interval))).map { step in
            MotionTrace.Moment(
                time: moments[moments.count - 1].time + Double(step) * interval, force: force, rotationRate: .zero)
        }
    }
}
