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

    /// What a sensor measured since the batch before.
    public init(sensor: StreamKey, motions: [DeviceMotion]) {
        self.sensor = sensor
        self.motions = motions
    }
}

/// Collects what is to be pushed. Empty and of no cost unless somebody asked.
struct MotionOutbox: Sendable {
    private static let most = 4_096
    private static let range = Duration.milliseconds(10)...Duration.seconds(10)

    private var span: Int64?
    private var waiting: [DeviceMotion] = []
    /// The leading ones, which may go.
    private(set) var ready = 0

    mutating func set(_ delivery: MotionDelivery) {
        switch delivery {
        case .none:
            span = nil
            waiting = []
            ready = 0
        case .each: span = 0
        case .batches(let every):
            span = min(max(every, Self.range.lowerBound), Self.range.upperBound).wholeNanoseconds
        }
    }

    /// Takes motion when somebody asked for it.
    mutating func put(_ motion: @autoclosure () -> DeviceMotion) {
        guard let span else { return }
        let motion = motion()
        // Nobody fetched anything for thousands of samples: the oldest go, so that memory stays bounded.
        if waiting.count >= 2 * Self.most {
            waiting.removeFirst(Self.most)
            ready = max(ready - Self.most, 0)
        }
        waiting.append(motion)
        let first = waiting[min(ready, waiting.count - 1)].sampledAt.nanoseconds
        let elapsed = motion.sampledAt.nanoseconds.saturatingSubtract(first)
        if elapsed >= span || elapsed < 0 || waiting.count - ready >= Self.most {
            // The sample that closes a span begins the next one.
            ready = span == 0 ? waiting.count : waiting.count - 1
        }
    }

    /// No more comes: what waits may go as it is.
    mutating func finish() { ready = waiting.count }

    mutating func take() -> [DeviceMotion] {
        defer {
            waiting.removeFirst(ready)
            ready = 0
        }
        return Array(waiting.prefix(ready))
    }
}
