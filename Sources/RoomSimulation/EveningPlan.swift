import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// What kind of evening a seed stands for: how many come, over what networks, under which rules.
struct EveningPlan: Sendable {
    var configuration: EngineConfiguration
    var controllers: [SimulatedController]
    var duration: Duration
    /// Whether somebody with a seat, and strangers, try to break the room.
    var isHostile: Bool

    static let networks = [
        "delay=1ms", "delay=5±3ms", "loss=1%,delay=10±5ms", "loss=5%,delay=20±15ms,dup=1%",
        "burst=0.01:0.25,delay=15±5ms", "loss=20%,delay=30±20ms,reorder=5%", "delay=60±30ms,reorder=10%,dup=10%",
        "loss=2%,delay=5ms,corrupt=2%",
    ]
    static let code = "2345-6789"

    init(seed: UInt64, size: EveningSize, now: HostTime) {
        var random = SeededGenerator(seed: seed)
        func pick<Element>(_ list: [Element]) -> Element { list[Int(random.next() % UInt64(list.count))] }
        let seats = size.seats ?? Int(2 + random.next() % 6)
        let policy = pick([RoomConfiguration.Policy.open, .open, .code, .ask])
        let room = RoomConfiguration(
            seats: seats, policy: policy, code: policy == .code ? Self.code : nil,
            idleTimeout: pick([.seconds(3), .seconds(10)]),
            graceTimeout: pick([.seconds(5), .seconds(30)]), linkPort: 7_777)
        let isContest = random.chance(0.3)
        let merge = MergeConfiguration(
            holdback: .milliseconds(250), fusion: pick([.any, .any, .all(within: .milliseconds(200))]),
            contests: ContestRules(
                gestures: isContest ? [.keepCalmJump] : [], ties: pick([.share, .replay, .draw]),
                cap: .milliseconds(600), seed: seed))
        configuration = EngineConfiguration(
            room: room, merge: merge, answersGesturesWithHaptics: random.chance(0.5))
        duration = size.duration ?? .seconds(Int64(40 + random.next() % 80))
        isHostile = random.chance(0.4)
        let extra = Int(random.next() % 3)
        let rate = size.rate ?? pick([50, 50, 100])
        controllers = []
        for number in 1...(seats + extra) {
            let conditions = (try? NetworkConditions(parsing: pick(Self.networks))) ?? NetworkConditions()
            let isBrowser = random.chance(0.35)
            controllers.append(
                SimulatedController(
                    number, over: isBrowser ? .wss : .udp, isBrowser ? Self.reliable(conditions) : conditions,
                    rate: rate, seed: random.next(), now: now))
        }
    }

    /// The same network under a stream: what is lost or overtaken on it shows as delay.
    static func reliable(_ conditions: NetworkConditions) -> NetworkConditions {
        var stream = NetworkConditions()
        stream.delay = conditions.delay
        return stream
    }
}

/// How large an evening is; what is not given follows from its seed.
public struct EveningSize: Hashable, Sendable {
    public var seats: Int?
    /// Samples a second of each controller.
    public var rate: Double?
    public var duration: Duration?

    public init(seats: Int? = nil, rate: Double? = nil, duration: Duration? = nil) {
        self.seats = seats
        self.rate = rate
        self.duration = duration
    }
}
