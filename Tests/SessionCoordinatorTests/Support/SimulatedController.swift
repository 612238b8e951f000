import ControllerSession
import LinkEmulation
import RoomSimulation
import WireProtocol

/// A datagram on its way, with what its sender's log calls it.
struct Packet: EmulatedPayload {
    var bytes: [UInt8]
    /// Where it was sent from.
    var source: PeerAddress
    /// Its entry in the log; `nil` for what the host sent.
    var entry: Int?

    var byteCount: Int { bytes.count }
    mutating func flipBit(_ choice: UInt64) { bytes.flipBit(choice) }
}

/// A native controller as a whole: the link, its sensor, its clock, and the bad network on both ways.
struct SimulatedController {
    var guest: Guest
    var link: ControllerLink
    var clock: SimulatedClock
    var up: ImpairedLink<Packet>
    var down: ImpairedLink<Packet>
    var address: PeerAddress
    var seated: Seated?
    /// What the present link is sealed with.
    var keys: Pad?
    /// Nanoseconds between samples.
    let interval: Int64
    /// Samples that the sensor collects before it hands them over.
    var batch = 1
    /// What the sensor reads: specific force in m/s² and rotation in rad/s, by the samples' numbers.
    var motion: @Sendable (Int) -> (SIMD3<Float>, SIMD3<Float>) = { _ in (SIMD3(0, 0, 9.81), .zero) }
    /// When the sensor reads next; `nil` while it is switched off.
    var nextSampleAt: HostTime?
    /// When each sample was taken, in the order of the samples.
    private(set) var appended: [(sampledAt: DeviceTime, at: HostTime)] = []
    /// The game's messages from the host, in the order in which they were handed out.
    private(set) var messages: [[UInt8]] = []
    /// Whether it joins again by itself when its link is quiet.
    var joinsAgain = true
    var triedAt: HostTime?

    init(
        _ number: UInt64, conditions: NetworkConditions, clock: SimulatedClock, interval: Int64, seed: UInt64,
        now: HostTime, batch: Int = 1
    ) {
        guest = Guest(number)
        guest.streams = [
            StreamDeclaration(
                nominalRate: 1e9 / Double(interval), batch: batch > 1 ? .nanoseconds(interval * Int64(batch)) : .zero)
        ]
        self.batch = batch
        self.clock = clock
        self.interval = interval
        var configuration = clock.configuration
        configuration.recordsRuns = true
        link = ControllerLink(streams: guest.streams, configuration: configuration, now: clock.device(now))
        up = ImpairedLink(conditions, seed: seed &* 2)
        down = ImpairedLink(conditions, seed: seed &* 2 + 1)
        address = .lan(UInt8(truncatingIfNeeded: number), port: 50_000)
    }

    /// The program dies and is started anew, on a device whose clock stands elsewhere now. It knows its seat's secret
    /// still, and nothing else; what it had on the way is on the way.
    mutating func startAnew(_ clock: SimulatedClock, now: HostTime) {
        self.clock = clock
        guest.process += 1
        link = ControllerLink(streams: guest.streams, configuration: link.configuration, now: clock.device(now))
        keys = nil
        triedAt = nil
        appended = []
    }

    /// Both ways at once.
    var conditions: NetworkConditions {
        get { up.conditions }
        set { (up.conditions, down.conditions) = (newValue, newValue) }
    }

    var isUp: Bool {
        get { up.isUp }
        set { (up.isUp, down.isUp) = (newValue, newValue) }
    }

    /// When something happens here, on the host's clock.
    var nextEvent: HostTime? {
        var next = nextSampleAt?.nanoseconds ?? .max
        if let due = link.nextDeadline { next = min(next, clock.host(due).nanoseconds) }
        next = min(next, up.nextDeadline ?? .max, down.nextDeadline ?? .max)
        return next == .max ? nil : HostTime(nanoseconds: next)
    }

    /// Every sample is stamped when it was taken, however long the sensor kept it.
    mutating func readSensor(now: HostTime) {
        while let at = nextSampleAt, at <= now {
            for place in 0..<batch { take(at + .nanoseconds(interval * Int64(place - batch + 1)), now: now) }
            nextSampleAt = at + .nanoseconds(interval * Int64(batch))
        }
    }

    private mutating func take(_ at: HostTime, now: HostTime) {
        let time = clock.device(at)
        let (force, rotation) = motion(appended.count)
        let sample = Sample(sampledAt: time, acceleration: force, rotationRate: rotation)
        guard (try? link.append(sample, to: 0, now: clock.device(now))) != nil else { return }
        appended.append((DeviceTime(nanoseconds: time.nanoseconds / 1_000 * 1_000), at))
    }

    mutating func hear(now: HostTime) {
        for arrival in down.deliver(until: now.nanoseconds) {
            var bytes = arrival.payload.bytes
            let at = clock.device(HostTime(nanoseconds: arrival.at))
            let events = bytes.withUnsafeMutableBytes {
                link.receive($0, cipher: TestCipher(), arrivedAt: at, now: clock.device(now))
            }
            for event in events {
                if case .message(.application(let body)) = event { messages.append(body) }
            }
        }
    }
}
