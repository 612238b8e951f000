internal import HeapModule

/// One direction of a bad network, between a sender and a receiver that do not know of it.
///
/// What goes in with `send` comes out of `deliver` later, changed, twice or never. The same seed, payloads and times
/// give the same fates. It is a value without a clock: a test moves its time by hand, a relay reads a real one.
///
/// ```swift
/// var link = ImpairedLink<[UInt8]>(try NetworkConditions(parsing: "loss=5%,delay=20±10ms"), seed: 7)
/// let fate = link.send(datagram, at: now)
/// for arrival in link.deliver(until: now) { receive(arrival.payload, at: arrival.at) }
/// ```
public struct ImpairedLink<Payload: EmulatedPayload> {
    /// A datagram that reached the other end.
    public struct Arrival {
        public var payload: Payload
        /// When, in nanoseconds on the clock that `send` was given.
        public var at: Int64
        /// The datagram's place among all that were sent, from 0.
        public var serial: Int
        /// One of its bits was flipped.
        public var isCorrupted: Bool
    }

    public private(set) var counters = LinkCounters()
    /// A link that is down swallows what is sent; what was already on the way still arrives.
    public var isUp = true
    private var impairments: Impairments
    private var flights = Heap<Flight<Payload>>()
    /// When the next datagram arrives; `nil` when none is on its way.
    public private(set) var nextDeadline: Int64?
    private var launches = 0
    private var highestWhole: Int?
    /// When the bottleneck will have passed on everything that waits there, in nanoseconds.
    private var idleAt = Int64.min

    public init(_ conditions: NetworkConditions, seed: UInt64) { impairments = Impairments(conditions, seed: seed) }

    /// What the network is like; may change at any time.
    public var conditions: NetworkConditions {
        get { impairments.conditions }
        set { impairments.conditions = newValue }
    }

    /// Takes a datagram and says what becomes of it.
    ///
    /// - Parameter now: nanoseconds; must not decrease from call to call.
    public mutating func send(_ payload: Payload, at now: Int64) -> Fate {
        let serial = counters.sent
        counters.sent += 1
        let draw = impairments.draw()
        guard isUp else {
            counters.down += 1
            return .down
        }
        guard !draw.isLost else {
            counters.lost += 1
            return .lost
        }
        guard let leaves = passBottleneck(payload.byteCount, at: now) else {
            counters.lost += 1
            counters.overflowed += 1
            return .lost
        }
        let (first, second) = (draw.first, draw.second)
        guard draw.isDuplicated else {
            return .carried(launch(payload, serial, first, leaves, isRepeat: false), duplicate: nil)
        }
        counters.duplicated += 1
        let secondLeads = second.isWhole && second.delay < first.delay
        let firstLeads = first.isWhole && first.delay <= second.delay
        return .carried(
            launch(payload, serial, first, leaves, isRepeat: secondLeads),
            duplicate: launch(payload, serial, second, leaves, isRepeat: firstLeads))
    }

    /// Hands out what has arrived up to and including `now`, in order of arrival.
    public mutating func deliver(until now: Int64) -> [Arrival] {
        var arrivals: [Arrival] = []
        while let next = nextDeadline, next <= now {
            let flight = flights.removeMin()
            nextDeadline = flights.min?.at
            count(flight)
            arrivals.append(
                Arrival(
                    payload: flight.payload, at: flight.at, serial: flight.serial, isCorrupted: flight.isCorrupted))
        }
        return arrivals
    }

    private mutating func launch(
        _ payload: Payload, _ serial: Int, _ passage: Impairments.Passage, _ leaves: Int64, isRepeat: Bool
    ) -> Fate.Copy {
        var payload = payload
        if let bit = passage.flippedBit { payload.flipBit(bit) }
        let flight = Flight(
            payload: payload, at: leaves + passage.delay, serial: serial, order: launches,
            isCorrupted: !passage.isWhole, isRepeat: isRepeat)
        flights.insert(flight)
        nextDeadline = min(nextDeadline ?? flight.at, flight.at)
        launches += 1
        counters.inFlight += 1
        return Fate.Copy(at: flight.at, isCorrupted: flight.isCorrupted, isHeldBack: passage.isHeldBack)
    }

    /// When the datagram leaves the narrow place; `nil` when it finds the queue full.
    private mutating func passBottleneck(_ bytes: Int, at now: Int64) -> Int64? {
        guard let bottleneck = conditions.bottleneck else { return now }
        let begins = max(now, idleAt)
        let waiting = Double(begins - now) / 8e9 * bottleneck.rate
        guard waiting + Double(bytes) <= Double(bottleneck.queue) else { return nil }
        idleAt = begins + Int64((Double(bytes) * 8e9 / bottleneck.rate).rounded(.up))
        return idleAt
    }

    private mutating func count(_ flight: Flight<Payload>) {
        counters.inFlight -= 1
        counters.delivered += 1
        if flight.isCorrupted {
            counters.corrupted += 1
        } else if flight.isRepeat {
            counters.repeated += 1
        } else {
            counters.unique += 1
            if let highestWhole, flight.serial < highestWhole { counters.reordered += 1 }
            highestWhole = max(highestWhole ?? 0, flight.serial)
        }
    }
}

/// One copy on its way.
private struct Flight<Payload>: Comparable {
    var payload: Payload
    var at: Int64
    var serial: Int
    /// Which of those that arrive at the same moment comes first.
    var order: Int
    var isCorrupted: Bool
    /// A whole copy of the same datagram arrives before.
    var isRepeat: Bool

    static func == (a: Flight, b: Flight) -> Bool { a.order == b.order }
    static func < (a: Flight, b: Flight) -> Bool { (a.at, a.order) < (b.at, b.order) }
}

extension ImpairedLink: Sendable where Payload: Sendable {}
extension ImpairedLink.Arrival: Sendable where Payload: Sendable {}
extension Flight: Sendable where Payload: Sendable {}
