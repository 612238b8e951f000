import WireProtocol

/// The time from sample to sample by the device's clock, in s.
struct SampleInterval: Sendable {
    private var previous: DeviceTime?

    /// 0 for the first sample, after a hole, and when the clock was set back.
    mutating func step(to now: DeviceTime) -> Double {
        defer { previous = now }
        return previous.map { max(0, now.seconds(since: $0)) } ?? 0
    }

    mutating func interrupt() { previous = nil }
}

/// Tells a gesture that is over when it is seen: `began`, and `ended` with the next sample.
struct Pulse: Sendable {
    private let refractory: Duration
    private var open: Recognition?
    private(set) var firedAt: DeviceTime?

    init(refractory: Duration) { self.refractory = refractory }

    /// To be asked first with every sample.
    mutating func end(at now: DeviceTime) -> Recognition? {
        guard var end = open else { return nil }
        open = nil
        end.phase = .ended
        end.trace = nil
        if let firedAt, let before = end.measures.sinceStart {
            // A clock that was set back meanwhile says nothing of how much longer that is.
            end.measures.sinceStart = before + max(0, now.seconds(since: firedAt))
        }
        return end
    }

    func isTired(at now: DeviceTime) -> Bool { firedAt.map { now.isWithin(refractory, after: $0) } ?? false }

    /// `nil` when the last one is too short ago.
    mutating func fire(_ recognition: Recognition, at now: DeviceTime) -> Recognition? {
        guard !isTired(at: now) else { return nil }
        firedAt = now
        open = recognition
        return recognition
    }
}
