import InputMerge
import SessionCoordinator
import WireProtocol

/// Writes down what reaches the merge, and plays one that has no patience: what comes more than 20 samples behind the
/// newest is late. Or it leads on to a real one.
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
    private(set) var samples: [Sample] = []
    var sampledAt: [DeviceTime] { samples.map(\.sampledAt) }
    private(set) var arrivedAt: [HostTime] = []
    private(set) var clocks: [PeerIndex: ClockMapping] = [:]
    private(set) var epochs: [StreamKey: [UInt8]] = [:]
    /// Each stream epoch's beginning, and how many samples had been taken before.
    private(set) var beginnings: [(key: StreamKey, at: Int)] = []
    private var newest: [StreamKey: UInt32] = [:]
    /// Takes the samples as a room's merge does, and says which are late; `nil` where a test is not about gestures.
    var merge: Merge?
    private(set) var gestures: [GestureEvent] = []

    mutating func streamBegan(
        _ key: StreamKey, epoch: UInt8, _ declaration: StreamDeclaration, at now: HostTime, admittedAt: HostTime?
    ) {
        merge?.connect(key, declaration: declaration, admittedAt: admittedAt, now: now)
        epochs[key, default: []].append(epoch)
        beginnings.append((key, taken.count))
        newest[key] = nil
    }

    mutating func accept(
        _ sample: Sample, index: UInt32, of key: StreamKey, arrivedAt time: HostTime, now: HostTime
    ) -> ArrivalVerdict {
        let isLate = index + Self.patience < newest[key] ?? 0
        let verdict =
            merge?.accept(sample, index: index, of: key, arrivedAt: time, now: now) ?? (isLate ? .late : .delivered)
        newest[key] = max(newest[key] ?? 0, index)
        taken.append(Taken(key: key, index: index, verdict: verdict))
        samples.append(sample)
        arrivedAt.append(time)
        return verdict
    }

    mutating func streamAbandoned(_ key: StreamKey, below floor: UInt32) { merge?.abandon(below: floor, of: key) }

    mutating func clockChanged(of peer: PeerIndex, to mapping: ClockMapping) {
        clocks[peer] = mapping
        merge?.updateClock(of: peer, mapping)
    }

    mutating func assign(_ peer: PeerIndex, to players: [PlayerNumber]) {
        if players.isEmpty { merge?.disconnect(peer: peer) } else { merge?.assign(peer: peer, to: players) }
    }

    mutating func unassign(_ peer: PeerIndex) { merge?.assign(peer: peer, to: []) }

    mutating func restart(_ peer: PeerIndex) {
        clocks[peer] = nil
        merge?.restart(peer: peer)
    }

    mutating func advance(to now: HostTime) {
        for event in merge?.advance(to: now) ?? [] {
            if case .gesture(let gesture) = event { gestures.append(gesture) }
        }
    }

    mutating func noteDelay(of _: PeerIndex, _: FrameStamps, queueing _: Int64, oneWay _: Int64?) {}
}
