package import WireProtocol

/// Learns how a controller's clock stands to the host's from probes and their answers.
///
/// With t0 and t3 on the host's clock, t1 and t2 on the device's (RFC 5905, section 8):
/// `delta = (t3 - t0) - (t2 - t1)`, `theta = ((t1 - t0) + (t2 - t3)) / 2`, and the true offset lies in theta ± delta/2,
/// however asymmetric the way; of a clock that moves in steps within theta ± (delta/2 + its grain), as each of its stamps may
/// be so much too early. Each answer is such an interval; the one that is narrowest now wins, where age widens it by what is
/// not known of the drift: at first that two quartz clocks drift apart by at most 200 ppm, later what ``DriftEstimate`` makes
/// of 15 minutes of answers.
package struct ClockEstimator: Sendable {
    /// The most that a quartz runs fast or slow against the host's: 200 ppm, which counts until answers prove more.
    static let driftBound = 0.0002
    /// Answers that count as recent, in nanoseconds.
    private static let recent: Int64 = 10_000_000_000
    private static let lockedWithin: Int64 = 10_000_000
    /// No clock moves in longer steps, nor is off by more than two of them: 2 × 100 ms. An answer of one that claims to says
    /// nothing of it.
    static let coarsest: Int64 = 200_000_000
    private static let mostProbesOut = 32
    private static let mostRemembered = 256
    /// Stamps may run backwards, or ahead of their arrival, by as much without a meaning: 10 ms.
    private static let stampSlack: Int64 = 10_000_000
    /// A datagram that was under way for longer is odd: 1 s.
    private static let suspicious: Int64 = 1_000_000_000
    /// So many probes in a row leave quickly.
    private static let wave = 8

    // What every datagram asks comes first.

    /// The send stamp of the datagram with the highest number.
    private var newestSentAt: Int64?
    /// Whether there are answers: asked for each datagram, and they lie elsewhere.
    private var hasAnswers = false
    private(set) var probesSent = 0
    /// How often the device's clock turned out to be another one than was thought: set, or stopped while it slept. What was
    /// measured by its stamps before says nothing of those that follow.
    package private(set) var changes: UInt64 = 0
    /// How many had been sent when the clock was last in doubt: the next ones follow quickly.
    private var waveBegan = 0
    private var lastProbeAt: Int64?

    private var firstContact: (device: Int64, host: Int64)?
    /// Since when stamps are of the clock as it is known now: stamps of before it was set say nothing beside them.
    private(set) var begunAt = HostTime(nanoseconds: .min)
    private var probes: [(id: UInt16, place: Int, sentAt: Int64)] = []
    /// Ids that were sent, answered and forgotten ones too.
    private var remembered: [UInt16] = []
    private var answers: [ClockAnswer] = [] {
        didSet { (hasAnswers, sureUntil) = (!answers.isEmpty, .min) }
    }
    /// Until when the mapping that was asked about last surely keeps its state; asked at each look, and answers lie
    /// elsewhere.
    private var sureUntil = Int64.min
    private var drift = DriftEstimate()
    /// How often an answer contradicted what was known, so that it was forgotten: the clock was set, or is another one.
    package private(set) var timesSet: UInt64 = 0
    /// Round trip of the last answer, without the time the device held it, in nanoseconds.
    package private(set) var roundTrip: Int64?

    package init() {}

    /// Forgets what the device's clock showed so far: it was set, or may have stood still. Answers to probes that are out
    /// are not taken: the device may have held them meanwhile, and would count that time by two clocks.
    mutating func restart() {
        answers.removeAll()
        probes.removeAll()
        // How fast it may run is its system's, and was proven.
        drift = DriftEstimate(bound: drift.bound)
        firstContact = nil
        newestSentAt = nil
        waveBegan = probesSent
        changes += 1
    }

    /// Notes a datagram's send stamp: until a probe is answered, arrival stands in for the truth.
    ///
    /// A program's stamps never run backwards, and nothing arrives before it was sent: where they seem to, its clock was
    /// set, and is learnt anew. What seems to have been under way for more than a second may have been, or its clock
    /// stood still: quick probes will tell.
    ///
    /// - Parameters:
    ///   - seenAt: when it was looked at. The kernel stamps arrivals with the wall clock, which somebody may set, so that
    ///     they seem earlier than they are; but nothing is looked at before it was sent.
    ///   - isNewest: whether its number is the highest of its link so far.
    ///   - known: the mapping that counts until now.
    /// - Returns: whether this changed the mapping.
    mutating func noteArrival(
        sentAt: Int64, arrivedAt: HostTime, seenAt: HostTime? = nil, isNewest: Bool = true, known: ClockMapping? = nil
    ) -> Bool {
        if isNewest {
            let wentBack = newestSentAt.map { sentAt < $0.saturatingSubtract(Self.stampSlack) } ?? false
            let sent = known?.hostTime(of: DeviceTime(nanoseconds: sentAt)) ?? arrivedAt
            let seen = max(arrivedAt, seenAt ?? arrivedAt)
            if wentBack || Self.isSure(sent, after: seen, by: Self.stampSlack, at: seen, known) {
                restart()
            } else if probesSent - waveBegan >= Self.wave,
                Self.isSure(arrivedAt, after: sent, by: Self.suspicious, at: arrivedAt, known)
            {
                waveBegan = probesSent
            }
            newestSentAt = sentAt
        }
        // One that was overtaken may bear a stamp of the clock as it was before it was set.
        guard !hasAnswers, isNewest || sentAt <= newestSentAt ?? .max else { return false }
        guard let first = firstContact else {
            firstContact = (sentAt, arrivedAt.nanoseconds)
            begunAt = arrivedAt
            return true
        }
        // The shortest trip so far is the nearest to the truth.
        let transit = arrivedAt.nanoseconds.saturatingSubtract(sentAt)
        guard transit < first.host.saturatingSubtract(first.device) else { return false }
        firstContact = (sentAt, arrivedAt.nanoseconds)
        return true
    }

    /// Whether one of two moments surely lies more than so many ns after the other, by what a mapping knew at some moment.
    private static func isSure(
        _ later: HostTime, after earlier: HostTime, by least: Int64, at moment: HostTime, _ known: ClockMapping?
    ) -> Bool {
        let gap = later.nanoseconds.saturatingSubtract(earlier.nanoseconds)
        // What is not known can only make the gap smaller: mostly there is nothing to work out.
        guard gap > least, let uncertainty = known?.uncertaintyNanoseconds(at: moment) else { return false }
        return gap.saturatingSubtract(uncertainty) > least
    }

    /// A probe leaves now under this id; one of the same id that was still out is forgotten.
    package mutating func probe(_ id: UInt16, sentAt: HostTime) {
        lastProbeAt = sentAt.nanoseconds
        probes.removeAll { $0.id == id }
        if probes.count >= Self.mostProbesOut { probes.removeFirst() }
        probes.append((id, probesSent, sentAt.nanoseconds))
        probesSent += 1
        if remembered.isEmpty { remembered.reserveCapacity(Self.mostRemembered) }
        if remembered.count >= Self.mostRemembered { remembered.removeFirst() }
        remembered.append(id)
    }

    /// The place of the probe that is out under this id, among all that were sent, from 0.
    func place(of id: UInt16) -> Int? { probes.first { $0.id == id }?.place }

    /// Whether a probe had this id, though nobody waits for its answer any more: a late echo is no guess.
    func remembers(_ id: UInt16) -> Bool { remembered.contains(id) }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - seenAt: when it was looked at: where its arrival's stamp contradicts what is known, it is believed to have come
    ///     by then only.
    ///   - grain: within so many nanoseconds the device's readings of one moment may lie apart.
    /// - Returns: the place of its probe among all that were sent, from 0; `nil` when no such probe is out, or when the
    ///   answer's times cannot be true.
    package mutating func answer(
        id: UInt16, receivedAt: DeviceTime, sentAt: Int64, arrivedAt: HostTime, seenAt: HostTime? = nil,
        grain: Int64 = 0
    ) -> Int? {
        guard let probe = probes.first(where: { $0.id == id }) else { return nil }
        probes.removeAll { $0.id == id }
        guard grain <= Self.coarsest else { return nil }
        guard
            let (found, delta) = judge(
                probe.sentAt, receivedAt.nanoseconds, sentAt, arrivedAt.nanoseconds, grain)
        else { return nil }
        // The kernel's clock may have been set while the answer waited: whatever its stamp, it came before it was seen.
        let seen = max(arrivedAt, seenAt ?? arrivedAt).nanoseconds
        let safe = judge(probe.sentAt, receivedAt.nanoseconds, sentAt, seen, grain)
        if let safe, let last = answers.last, !found.agrees(with: last, driftingBy: drift.bound),
            safe.answer.agrees(with: last, driftingBy: drift.bound)
        {
            take(safe.answer)
        } else {
            take(found)
        }
        roundTrip = delta
        return probe.place
    }

    /// What a probe and its answer tell, and the trip that they measured; `nil` when the times cannot be true.
    private func judge(
        _ t0: Int64, _ t1: Int64, _ t2: Int64, _ t3: Int64, _ grain: Int64
    ) -> (answer: ClockAnswer, delta: Int64)? {
        let held = t2.saturatingSubtract(t1)
        let whole = t3.saturatingSubtract(t0)
        let measured = whole.saturatingSubtract(held)
        // A device whose clock is fast seems to hold the answer for longer than it does: then no trip looks negative. Where
        // one looks shorter than its clock was known to make it, that runs faster.
        func allowed(by bound: Double) -> Int64 { 1 + Int64(Double(max(0, whole)) * bound) + grain }
        let isKnown = measured >= -allowed(by: drift.bound)
        let slack = allowed(by: isKnown ? drift.bound : DriftEstimate.fastest)
        guard held >= 0, measured >= -slack, measured < 60_000_000_000 else { return nil }
        let delta = max(0, measured)
        let there = t1.saturatingSubtract(t0)
        let back = t2.saturatingSubtract(t3)
        let offset = there / 2 + back / 2 + (there % 2 + back % 2) / 2
        return (ClockAnswer(at: t3, offset: offset, halfWidth: delta / 2 + slack), delta)
    }

    private mutating func take(_ answer: ClockAnswer) {
        // A device whose clock was set, or that slept, has a new offset: what was learned before is void.
        if let last = answers.last, !answer.agrees(with: last, driftingBy: drift.bound) {
            // Or it runs faster than a quartz does: else each answer would seem to be one of a clock that was set.
            let isFast = answer.agrees(with: last, driftingBy: DriftEstimate.fastest)
            answers.removeAll()
            drift = DriftEstimate(bound: isFast ? DriftEstimate.fastest : Self.driftBound)
            timesSet += 1
            changes += 1
            begunAt = HostTime(nanoseconds: answer.at)
        }
        answers.removeAll { answer.at - $0.at > Self.recent }
        if answers.count >= 64 { answers.removeFirst() }
        answers.append(answer)
        drift.take(answer)
    }

    /// How the clocks stand now.
    package func mapping(now: HostTime) -> ClockMapping? {
        guard let last = answers.last, let best = best(at: now.nanoseconds) else {
            return firstContact.map {
                ClockMapping(
                    state: .none, deviceAnchor: DeviceTime(nanoseconds: $0.device),
                    hostAnchor: HostTime(nanoseconds: $0.host))
            }
        }
        let uncertainty = width(of: best, at: now.nanoseconds)
        let recent = answers.count { now.nanoseconds - $0.at <= Self.recent }
        let state: ClockMapping.State =
            now.nanoseconds - last.at > Self.recent
            ? .stale : recent >= 6 && uncertainty <= Self.lockedWithin ? .locked : .coarse
        return ClockMapping(
            state: state, deviceAnchor: DeviceTime(nanoseconds: best.at.saturatingAdd(best.offset)),
            hostAnchor: HostTime(nanoseconds: best.at), rateOffset: -drift.rate / (1 + drift.rate),
            uncertaintyNanoseconds: uncertainty, measuredAt: now, uncertaintyGrowth: drift.uncertainty)
    }

    /// Whether a mapping that was worked out since the last answer, and was locked or coarse, still is: cheaper to tell than
    /// to work out another, and mostly so. Where that does not show it says no.
    mutating func surelyKeeps(_ known: ClockMapping, at now: HostTime) -> Bool {
        if now.nanoseconds <= sureUntil { return true }
        sureUntil = surelyKept(known, from: now)
        return now.nanoseconds <= sureUntil
    }

    /// Until when it surely is, in nanoseconds: until an answer that it needs is no longer recent.
    private func surelyKept(_ known: ClockMapping, from now: HostTime) -> Int64 {
        guard let last = answers.last else { return .min }
        switch known.state {
        // What is coarse comes nearer to nothing by time alone.
        case .coarse: return last.at.saturatingAdd(Self.recent)
        case .locked:
            guard answers.count >= 6 else { return .min }
            let until = answers.suffix(6).reduce(last.at) { min($0, $1.at) }.saturatingAdd(Self.recent)
            // The interval of the answer that it rests on, a rounding wider; the narrowest now is no wider. It grows.
            func isNarrow(at time: Int64) -> Bool {
                known.uncertaintyNanoseconds(at: HostTime(nanoseconds: time)).map { $0 < Self.lockedWithin - 1 }
                    ?? false
            }
            return isNarrow(at: until) ? until : isNarrow(at: now.nanoseconds) ? min(now.nanoseconds, until) : .min
        case .none, .stale: return .min
        }
    }

    /// The narrowest of all answers that are kept, the recent and the old.
    private func best(at now: Int64) -> ClockAnswer? {
        var best: ClockAnswer?
        var least = Int64.max
        for answer in answers {
            let width = width(of: answer, at: now)
            if width < least { (best, least) = (answer, width) }
        }
        for answer in drift.kept {
            let width = width(of: answer, at: now)
            if width < least { (best, least) = (answer, width) }
        }
        return best
    }

    /// Half the width of an answer's interval once it has aged, in nanoseconds.
    private func width(of answer: ClockAnswer, at now: Int64) -> Int64 {
        answer.halfWidth + Int64(Double(max(0, now - answer.at)) * drift.uncertainty)
    }

    /// When the next probe is worth sending: eight 64 ms apart, then one a second; and again when the clock is in doubt.
    package func nextProbeDue() -> Int64 {
        guard let lastProbeAt else { return .min }
        return lastProbeAt + (probesSent - waveBegan < Self.wave ? 64_000_000 : 1_000_000_000)
    }
}
