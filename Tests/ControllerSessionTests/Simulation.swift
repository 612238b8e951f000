import ControllerSession
import LinkEmulation
import WireProtocol

/// A controller and a host with a bad network between them; time jumps from one event to the next.
struct Simulation {
    var controller: Controller
    var host: HostDouble
    var up: ImpairedLink<[UInt8]>
    var down: ImpairedLink<[UInt8]>
    var now = DeviceTime.ms(0)
    /// When each sample was given to the controller, by index.
    private(set) var appendedAt: [DeviceTime] = []
    private(set) var sentBytes = 0
    private let interval: Duration
    private let batch: Int
    private var nextSample = DeviceTime.ms(0)

    /// - Parameters:
    ///   - network: as `roomful lab fleet --network` takes it; both directions are like that.
    ///   - interval: between samples.
    ///   - batch: samples that the sensor hands over at once.
    init(
        _ network: String, seed: UInt64, interval: Duration = .milliseconds(10), batch: Int = 1,
        configuration: ControllerLink.Configuration = .init()
    ) throws {
        let conditions = try NetworkConditions(parsing: network)
        let declaration = StreamDeclaration(nominalRate: 1e9 / Double(interval.wholeNanoseconds))
        controller = Controller(streams: [declaration], configuration: configuration)
        host = HostDouble([declaration], epoch: controller.epoch)
        up = ImpairedLink(conditions, seed: seed)
        down = ImpairedLink(conditions, seed: seed &+ 1)
        self.interval = interval
        self.batch = batch
    }

    var isUp: Bool {
        get { up.isUp }
        set { (up.isUp, down.isUp) = (newValue, newValue) }
    }

    /// Lets time pass until `end`, in milliseconds, with samples coming all the while or not.
    mutating func run(until end: Double, sampling: Bool = true) throws {
        let end = DeviceTime.ms(end)
        nextSample = max(nextSample, now)
        while true {
            let deadlines = [
                sampling ? nextSample : nil, controller.link.nextDeadline, host.nextDeadline,
                up.nextDeadline.map { DeviceTime(nanoseconds: $0) },
                down.nextDeadline.map { DeviceTime(nanoseconds: $0) },
            ]
            guard let next = deadlines.compactMap({ $0 }).min(), next < end else { break }
            now = max(now, next)
            try step(sampling: sampling)
        }
        now = end
    }

    private mutating func step(sampling: Bool) throws {
        for arrival in up.deliver(until: now.nanoseconds) { host.receive(arrival.payload, at: now) }
        for arrival in down.deliver(until: now.nanoseconds) { _ = controller.receive(arrival.payload, at: now) }
        if sampling, nextSample <= now {
            for age in (0..<batch).reversed() {
                let sample = Sample(sampledAt: now - interval * age, acceleration: SIMD3(0, 1, 9))
                try controller.link.append(sample, to: 0, now: now)
                appendedAt.append(now)
            }
            nextSample = nextSample + interval * batch
        }
        for (sent, bytes) in controller.sendBytes(at: now) {
            sentBytes += sent.size
            _ = up.send(bytes, at: now.nanoseconds)
        }
        if let feedback = host.nextFeedback(now: now) { _ = down.send(feedback, at: now.nanoseconds) }
    }

    /// How long each sample took from the controller's hands to the host's, in milliseconds; `nil` for those missing.
    ///
    /// Only for a run in which the stream epoch never changed.
    var delays: [Double?] {
        appendedAt.enumerated().map { index, time in
            host.streams[0]?.arrivals[UInt32(index)].map { ($0 - time).milliseconds }
        }
    }

    var missing: Int { delays.count { $0 == nil } }
}

extension [Double] {
    /// The smallest value that the given part of all does not exceed: the nearest-rank method.
    func percentile(_ part: Double) -> Double {
        sorted()[Swift.max(0, Int((Double(count) * part).rounded(.up)) - 1)]
    }
}
