public import WireProtocol

/// How a sensor's motion is pushed to whoever asked for it.
public enum MotionDelivery: Hashable, Sendable {
    /// Not at all; it can still be pulled.
    case none
    /// Each sample as soon as none before it is missing.
    case each
    /// Collected by the device's clock for so long, 10 ms to 10 s, or until 4,096 are together, or its controller leaves.
    case batches(every: Duration)
}

/// Motion of one sensor in the order of sampling; nothing is left out, nothing comes twice.
public struct MotionBatch: Hashable, Sendable {
    /// Whose motion it is.
    public var sensor: StreamKey
    /// In the order of sampling; at least one.
    public var motions: [DeviceMotion]
    /// What else is known of each of ``motions``, in their order.
    package var stamps: [MotionStamp]

    /// What a sensor measured since the batch before.
    public init(sensor: StreamKey, motions: [DeviceMotion]) {
        self.init(sensor: sensor, motions: motions, stamps: motions.map { _ in MotionStamp() })
    }

    init(sensor: StreamKey, motions: [DeviceMotion], stamps: [MotionStamp]) {
        self.sensor = sensor
        self.motions = motions
        self.stamps = stamps
    }

    /// By whose motion it is, and what: one that a program makes equals one that it got.
    public static func == (a: MotionBatch, b: MotionBatch) -> Bool { a.sensor == b.sensor && a.motions == b.motions }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sensor)
        hasher.combine(motions)
    }
}

/// What is known of a sample beside the motion that it showed.
package struct MotionStamp: Sendable {
    /// How far ``DeviceMotion/occurredAt`` may be wrong either way, in ns, by the clock as it was known then; `nil` while
    /// that was not measured.
    package var uncertaintyNanoseconds: Int64?
    /// How often its sensor was re-zeroed before; 0 while ``DeviceMotion/attitude`` leads to the earth.
    package var rezeroes: UInt32 = 0
    /// Its index in its stream, which begins anew at 0.
    package var index: UInt64 = 0
}

extension StreamTrack {
    /// What is known of the sample that was fed last.
    func stamp(of motion: DeviceMotion, index: UInt64) -> MotionStamp {
        let uncertainty = lane.clock.uncertaintyNanoseconds(of: motion.sampledAt, toldAs: motion.occurredAt)
        return MotionStamp(uncertaintyNanoseconds: uncertainty, rezeroes: rezeroes, index: index)
    }
}

/// Collects what is to be pushed. Empty and of no cost unless somebody asked.
struct MotionOutbox: Sendable {
    private static let most = 4_096
    private static let range = Duration.milliseconds(10)...Duration.seconds(10)

    private var span: Int64?
    private var waiting: [DeviceMotion] = []
    /// Of each that waits.
    private var stamps: [MotionStamp] = []
    /// The leading ones, which may go.
    private(set) var ready = 0

    /// Whether somebody asked for it.
    var isWanted: Bool { span != nil }

    mutating func set(_ delivery: MotionDelivery) {
        switch delivery {
        case .none:
            span = nil
            waiting = []
            stamps = []
            ready = 0
        case .each: span = 0
        case .batches(let every):
            span = min(max(every, Self.range.lowerBound), Self.range.upperBound).wholeNanoseconds
        }
    }

    /// Takes motion when somebody asked for it.
    mutating func put(_ motion: DeviceMotion, _ stamp: MotionStamp) {
        guard let span else { return }
        // Nobody fetched anything for thousands of samples: the oldest go, so that memory stays bounded.
        if waiting.count >= 2 * Self.most {
            waiting.removeFirst(Self.most)
            stamps.removeFirst(Self.most)
            ready = max(ready - Self.most, 0)
        }
        waiting.append(motion)
        stamps.append(stamp)
        let first = waiting[min(ready, waiting.count - 1)].sampledAt.nanoseconds
        let elapsed = motion.sampledAt.nanoseconds.saturatingSubtract(first)
        if elapsed >= span || elapsed < 0 || waiting.count - ready >= Self.most {
            // The sample that closes a span begins the next one.
            ready = span == 0 ? waiting.count : waiting.count - 1
        }
    }

    /// No more comes: what waits may go as it is.
    mutating func finish() { ready = waiting.count }

    mutating func take(of sensor: StreamKey) -> MotionBatch {
        defer {
            waiting.removeFirst(ready)
            stamps.removeFirst(ready)
            ready = 0
        }
        return MotionBatch(
            sensor: sensor, motions: Array(waiting.prefix(ready)), stamps: Array(stamps.prefix(ready)))
    }
}
