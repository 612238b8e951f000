import SessionCoordinator
import WireProtocol

/// Writes down what reaches the merge, and plays one that has no patience: what comes more than 20 samples behind the
/// newest is late.
struct RecordingSink: MotionSink {
    /// How far behind the newest of its stream a sample may come, in samples.
    static let patience: UInt32 = 20

    struct Taken: Hashable {
        var key: StreamKey
        var index: UInt32
        var verdict: ArrivalVerdict
    }

    /// In order of arrival.
    private(set) var taken: [Taken] = []
    private(set) var sampledAt: [DeviceTime] = []
    private(set) var arrivedAt: [HostTime] = []
    private(set) var clocks: [PeerIndex: ClockMapping] = [:]
    private(set) var epochs: [StreamKey: [UInt8]] = [:]
    /// Each stream epoch's beginning, and how many samples had been taken before.
    private(set) var beginnings: [(key: StreamKey, at: Int)] = []
    private var newest: [StreamKey: UInt32] = [:]

    mutating func streamBegan(_ key: StreamKey, epoch: UInt8, _: StreamDeclaration, at _: HostTime) {
        epochs[key, default: []].append(epoch)
        beginnings.append((key, taken.count))
        newest[key] = nil
    }

    mutating func accept(
        _ sample: Sample, index: UInt32, of key: StreamKey, arrivedAt time: HostTime, now _: HostTime
    ) -> ArrivalVerdict {
        let verdict: ArrivalVerdict = index + Self.patience < newest[key] ?? 0 ? .late : .delivered
        newest[key] = max(newest[key] ?? 0, index)
        taken.append(Taken(key: key, index: index, verdict: verdict))
        sampledAt.append(sample.sampledAt)
        arrivedAt.append(time)
        return verdict
    }

    mutating func streamAbandoned(_: StreamKey, below _: UInt32) {}
    mutating func clockChanged(of peer: PeerIndex, to mapping: ClockMapping) { clocks[peer] = mapping }
    mutating func noteDelay(of _: PeerIndex, queueing _: Int64, oneWay _: Int64?) {}
}
