public import WireProtocol

/// Learns how a controller's clock stands to the host's from probes and their answers.
///
/// With t0 and t3 on the host's clock, t1 and t2 on the device's (RFC 5905, section 8):
/// `delta = (t3 - t0) - (t2 - t1)`, `theta = ((t1 - t0) + (t2 - t3)) / 2`, and the true offset lies in theta ± delta/2,
/// however asymmetric the way. Of the answers of the last 10 s the one with the narrowest interval wins, where age
/// widens an interval by the drift that two quartz clocks may have.
public struct ClockEstimator: Sendable {
    private struct Answer: Sendable {
        /// When the probe left: since then the clocks may have drifted apart.
        var probedAt: Int64
        var at: Int64
        var offset: Int64
        var delta: Int64
    }

    /// The most that a device's clock may run fast or slow against the host's: 200 ppm.
    static let driftBound = 0.0002
    private static let memory: Int64 = 10_000_000_000
    private static let lockedWithin: Int64 = 10_000_000

    private var probes: [(id: UInt16, sentAt: Int64)] = []
    private var answers: [Answer] = []
    private var nextProbeID: UInt16 = 0
    private var lastProbeAt: Int64?
    private var firstContact: (device: Int64, host: Int64)?
    private(set) var probesSent = 0
    private(set) var answersTaken: UInt64 = 0
    /// Round trip of the last answer, without the time the device held it, in nanoseconds.
    public private(set) var roundTrip: Int64?

    public init() {}

    /// Notes a datagram's send stamp: until a probe is answered, arrival stands in for the truth.
    ///
    /// Returns true when this changed the mapping.
    mutating func noteArrival(sentAt: Int64, arrivedAt: HostTime) -> Bool {
        guard answers.isEmpty, answersTaken == 0 else { return false }
        guard let first = firstContact else {
            firstContact = (sentAt, arrivedAt.nanoseconds)
            return true
        }
        // The shortest trip so far is the nearest to the truth.
        let transit = arrivedAt.nanoseconds.saturatingSubtract(sentAt)
        guard transit < first.host.saturatingSubtract(first.device) else { return false }
        firstContact = (sentAt, arrivedAt.nanoseconds)
        return true
    }

    /// The id for a probe that leaves now.
    mutating func probe(sentAt: HostTime) -> UInt16 {
        let id = nextProbeID
        nextProbeID &+= 1
        probesSent += 1
        lastProbeAt = sentAt.nanoseconds
        if probes.count >= 32 { probes.removeFirst() }
        probes.append((id, sentAt.nanoseconds))
        return id
    }

    /// The id that the next probe will have.
    var upcomingProbe: UInt16 { nextProbeID }

    /// Takes an answer; false when no such probe is out, or when its times cannot be true.
    mutating func answer(id: UInt16, receivedAt: DeviceTime, sentAt: Int64, arrivedAt: HostTime) -> Bool {
        guard let place = probes.firstIndex(where: { $0.id == id }) else { return false }
        let t0 = probes.remove(at: place).sentAt
        let (t1, t2, t3) = (receivedAt.nanoseconds, sentAt, arrivedAt.nanoseconds)
        let held = t2.saturatingSubtract(t1)
        let whole = t3.saturatingSubtract(t0)
        let measured = whole.saturatingSubtract(held)
        // A device whose clock is fast seems to hold the answer for longer than it does: then no trip looks negative.
        let drift = 1 + Int64(Double(max(0, whole)) * Self.driftBound)
        guard held >= 0, measured >= -drift, measured < 60_000_000_000 else { return false }
        let delta = max(0, measured)
        let there = t1.saturatingSubtract(t0)
        let back = t2.saturatingSubtract(t3)
        let offset = there / 2 + back / 2 + (there % 2 + back % 2) / 2
        // A device whose clock was set, or that slept, has a new offset: what was learned before is void.
        if let last = answers.last {
            let widest = (last.delta + delta) / 2 + 1 + drift + Self.drift(from: last.probedAt, to: t3)
            if offset.saturatingSubtract(last.offset).magnitude > UInt64(widest) { answers.removeAll() }
        }
        answers.append(Answer(probedAt: t0, at: t3, offset: offset, delta: delta))
        if answers.count > 64 { answers.removeFirst() }
        answersTaken += 1
        roundTrip = delta
        return true
    }

    /// How the clocks stand now.
    public func mapping(now: HostTime) -> ClockMapping? {
        var best: (answer: Answer, uncertainty: Int64)?
        var recent = 0
        for answer in answers {
            if now.nanoseconds - answer.at <= Self.memory { recent += 1 }
            let uncertainty = answer.delta / 2 + 1 + Self.drift(from: answer.probedAt, to: now.nanoseconds)
            if best.map({ uncertainty < $0.uncertainty }) ?? true { best = (answer, uncertainty) }
        }
        guard let best else {
            return firstContact.map {
                ClockMapping(
                    state: .none, deviceAnchor: DeviceTime(nanoseconds: $0.device),
                    hostAnchor: HostTime(nanoseconds: $0.host))
            }
        }
        let state: ClockMapping.State =
            recent == 0 ? .stale : recent >= 6 && best.uncertainty <= Self.lockedWithin ? .locked : .coarse
        return ClockMapping(
            state: state,
            deviceAnchor: DeviceTime(nanoseconds: best.answer.at.saturatingAdd(best.answer.offset)),
            hostAnchor: HostTime(nanoseconds: best.answer.at), uncertaintyNanoseconds: best.uncertainty)
    }

    /// When the next probe is worth sending: eight 64 ms apart, then one a second.
    func nextProbeDue() -> Int64 {
        guard let lastProbeAt else { return .min }
        return lastProbeAt + (probesSent < 8 ? 64_000_000 : 1_000_000_000)
    }

    /// How far the clocks may have drifted apart in that time, in nanoseconds.
    private static func drift(from start: Int64, to end: Int64) -> Int64 {
        Int64(Double(max(0, end - start)) * driftBound)
    }
}
