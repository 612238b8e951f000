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
    private static let patience = 6
    private static let hold = 0.5
    private static let pause: Int64 = 1_000_000_000

    private let set: GestureSet
    private var merge: Merge
    private var index: UInt32 = 0
    private var now: Int64 = 1_000_000_000

    static func lines(of set: GestureSet) -> [ScoreLine] {
        var (lessons, finished, shown, tried, right, wrong) = (0, 0, 0, 0, 0, 0)
        for split in GestureSplit.drawn(patience, of: set, times: 10) {
            var live = GesturesLive(set)
            var trials = split.tried
            for label in set.labels {
                let places = split.taught.filter { set.items[$0].label == label }
                let used = live.teach(label, places)
                lessons += 1
                shown += used.shown
                if used.isFinished { finished += 1 }
                trials += places.dropFirst(used.shown)
            }
            for place in trials {
                let told = live.perform(set.items[place]).told
                tried += 1
                if told == [set.items[place].label] { right += 1 }
                if told.contains(where: { $0 != set.items[place].label }) { wrong += 1 }
            }
        }
        let share = { (part: Int, whole: Int) in 100 * Double(part) / Double(max(1, whole)) }
        let name = "\(set.name), taught and tried in a room"
        return [
            ScoreLine("\(name): lessons finished within \(patience)", share(finished, lessons), "%"),
            ScoreLine("\(name): shown in a lesson", Double(shown) / Double(max(1, lessons)), "times", isCost: true),
            ScoreLine("\(name): right", share(right, tried), "%"),
            ScoreLine("\(name): another one told", share(wrong, tried), "%", isCost: true),
        ]
    }

    private init(_ set: GestureSet) {
        self.set = set
        merge = Merge(configuration: MergeConfiguration(gestures: []))
        merge.assign(peer: 0, to: [1])
        merge.connect(
            Self.key, declaration: StreamDeclaration(nominalRate: set.rate), now: HostTime(nanoseconds: 0))
        merge.updateClock(
            of: 0,
            ClockMapping(
                state: .locked, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: HostTime(nanoseconds: 0),
                uncertaintyNanoseconds: 0))
    }

    /// How many of these performances the lesson took; if they were not enough, it is called off.
    private mutating func teach(_ label: String, _ places: [Int]) -> (shown: Int, isFinished: Bool) {
        merge.teach(GestureKind(rawValue: label), times: Self.examples, to: 1)
        for (count, place) in places.enumerated() where perform(set.items[place]).isFinished {
            return (count + 1, true)
        }
        merge.cancelLesson(of: 1)
        return (places.count, false)
    }

    private mutating func perform(_ item: GestureSet.Item) -> (told: [String], isFinished: Bool) {
        var (told, isFinished): ([String], Bool) = ([], false)
        let start = now + Self.pause
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
                case .gesture(let gesture) where gesture.phase == .began: told.append(gesture.gesture.rawValue)
                case .teaching(let progress):
                    if case .finished = progress.step { isFinished = true }
                default: break
                }
            }
        }
        return (told, isFinished)
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
