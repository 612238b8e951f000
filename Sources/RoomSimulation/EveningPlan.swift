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
    /// When samples are late, in the words of the configuration.
    var timeline: TimelineRule
    /// Whether somebody with a seat, and strangers, try to break the room.
    var isHostile: Bool
    /// Whether a source of unsealed frames asks, too.
    var hasLegacy: Bool
    /// Whether hands tap their controllers, which look for that themselves.
    var hasTaps: Bool

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
        let mode: RoomConfiguration.Mode = random.chance(0.15) ? .collaborative : .competitive
        let room = RoomConfiguration(
            seats: seats, policy: policy, mode: mode, code: policy == .code ? Self.code : nil,
            idleTimeout: pick([.seconds(3), .seconds(10)]),
            graceTimeout: pick([.seconds(5), .seconds(30)]), linkPort: 7_777)
        let isDrawn = random.chance(0.3)
        let isContest = isDrawn || size.hasContests
        let merge = MergeConfiguration(
            holdback: .milliseconds(250), gestures: GestureDefinition.all,
            fusion: pick([.any, .any, .all(within: .milliseconds(200))]),
            contests: ContestRules(
                gestures: isContest ? [.keepCalmJump] : [], ties: pick([.share, .replay, .draw]),
                cap: .milliseconds(600), seed: seed))
        configuration = EngineConfiguration(
            room: room, merge: merge, answersGesturesWithHaptics: random.chance(0.5))
        // Drawn apart, as is what follows: an evening without them stays the one that its seed has always been.
        var apart = SeededGenerator(seed: seed ^ 0x0000_7A95)
        hasTaps = apart.chance(0.3)
        if hasTaps { configuration.localGestures = [.tap] }
        let hasDivers = apart.chance(0.3)
        duration = size.duration ?? .seconds(Int64(40 + random.next() % 80))
        isHostile = random.chance(0.4)
        hasLegacy = random.chance(0.25)
        let drawn = Int(random.next() % 3)
        var extra = size.guests ?? drawn
        let rate = size.rate ?? pick([50, 50, 100])
        timeline = TimelineRule(merge, rate: rate)
        controllers = []
        // Drawn apart, so that an evening without a queue stays the one that its seed has always been.
        var patience = SeededGenerator(seed: seed ^ 0x0000_9E0E)
        let isCrowded = patience.chance(0.4)
        // As is that some clocks move in steps of a millisecond, as browsers' do.
        var coarse = SeededGenerator(seed: seed ^ 0x0000_57E9)
        if isCrowded, size.guests == nil { extra += 2 + Int(patience.next() % 4) }
        for number in 1...(seats + extra) {
            let conditions = (try? NetworkConditions(parsing: pick(Self.networks))) ?? NetworkConditions()
            let isBrowser = random.chance(0.35)
            controllers.append(
                SimulatedController(
                    number, over: !isBrowser ? .udp : random.chance(0.3) ? .post : .wss,
                    isBrowser ? Self.reliable(conditions) : conditions,
                    rate: rate, presses: number % 3 == 0, dive: hasDivers && number % 2 == 0 ? Dive() : nil,
                    clockStep: coarse.chance(0.3) ? 1_000_000 : 1, seed: random.next(), now: now))
            controllers[number - 1].isPatient = isCrowded && patience.chance(0.8)
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
    /// Controllers beyond the seats.
    public var guests: Int?
    /// Whether somebody listens to the players' motion, 60 times a second.
    public var tellsMotion = false
    /// Whether contests are judged, whatever the seed says.
    public var hasContests = false

    /// Twenty seconds, for what is looked at in many evenings.
    public static let short = EveningSize(rate: 50, duration: .seconds(20))
    /// A room of 21 controllers for an hour.
    public static let hour = EveningSize(seats: 20, rate: 20, duration: .seconds(3_600), guests: 1)

    public init(seats: Int? = nil, rate: Double? = nil, duration: Duration? = nil, guests: Int? = nil) {
        self.seats = seats
        self.rate = rate
        self.duration = duration
        self.guests = guests
    }
}
