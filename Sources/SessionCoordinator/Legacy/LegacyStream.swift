import WireProtocol

/// The frames of one source that numbers nothing: their order, their books, and where its clock stands.
///
/// A frame without a number says only when it was made. So a copy and an older frame show, and a lost one never does:
/// nothing here counts what is missing. A leap of the sender's clock is believed once the next frame goes on from
/// there, as RFC 3550 (appendix A.1) believes a leap of sequence numbers: one wild frame ends no stream.
struct LegacyStream: Sendable {
    /// How a frame stands to those before it.
    enum Verdict: Sendable, Hashable {
        /// The next sample.
        case next
        /// The next sample, on a clock that was set: what was known of the clock is void.
        case restarted
        /// The time of the newest frame again.
        case duplicate
        /// An older time, or one that leapt and that nothing has confirmed yet.
        case tooOld
        /// More than ``PeerBudget/legacyFramesPerSecond``.
        case rateLimited
    }

    /// MAX_DROPOUT and MAX_MISORDER, scaled from packets at 50 a second to milliseconds.
    private static let longestLeap: UInt64 = 60_000
    private static let longestStepBack: UInt64 = 2_000

    let address: PeerAddress
    private(set) var unique: UInt64 = 0
    private(set) var duplicate: UInt64 = 0
    private(set) var tooOld: UInt64 = 0
    private(set) var rateLimited: UInt64 = 0
    private(set) var jitter = InterarrivalJitter()
    private(set) var queueing: Int64 = 0
    private var transit = TransitMeter()
    /// Since when its frames' times are of one clock.
    private(set) var begunAt = HostTime(nanoseconds: .min)

    private var newest: (milliseconds: UInt64, arrivedAt: HostTime)?
    private var leapt: UInt64?
    private var second: (beganAt: HostTime, frames: Int)?

    init(address: PeerAddress) { self.address = address }

    /// Judges a frame and books it.
    mutating func admit(_ milliseconds: UInt64, arrivedAt: HostTime) -> Verdict {
        let verdict = isTooMuch(at: arrivedAt) ? .rateLimited : judge(milliseconds, arrivedAt: arrivedAt)
        switch verdict {
        case .next, .restarted:
            unique += 1
            if verdict == .restarted {
                (jitter, transit) = (InterarrivalJitter(), TransitMeter())
                begunAt = arrivedAt
            }
            leapt = nil
            newest = (milliseconds, arrivedAt)
            let sentAt = Int64(milliseconds) * 1_000_000
            jitter.book(sentAt: sentAt, arrivedAt: arrivedAt)
            // Where its clock stands follows from this, and that is not to wander.
            queueing = transit.book(
                transit: arrivedAt.nanoseconds.saturatingSubtract(sentAt), arrivedAt: arrivedAt.nanoseconds, rise: 0)
        case .duplicate: duplicate += 1
        case .tooOld: tooOld += 1
        case .rateLimited: rateLimited += 1
        }
        return verdict
    }

    /// Where the sender's clock stands: its frames took as long as the quickest of the last half minute, which nobody
    /// measured. So the state is `none` for ever, and no event of it has an uncertainty.
    func mapping(sampledAt: DeviceTime, arrivedAt: HostTime) -> ClockMapping {
        ClockMapping(
            state: .none, deviceAnchor: sampledAt,
            hostAnchor: HostTime(nanoseconds: arrivedAt.nanoseconds.saturatingSubtract(queueing)))
    }

    private mutating func judge(_ milliseconds: UInt64, arrivedAt: HostTime) -> Verdict {
        guard let newest else { return .next }
        if milliseconds == newest.milliseconds { return .duplicate }
        let pause = UInt64(max(0, (arrivedAt - newest.arrivedAt).wholeNanoseconds) / 1_000_000)
        if milliseconds > newest.milliseconds, milliseconds - newest.milliseconds <= Self.longestLeap + pause {
            return .next
        }
        if milliseconds < newest.milliseconds, newest.milliseconds - milliseconds <= Self.longestStepBack {
            return .tooOld
        }
        if let leapt, milliseconds > leapt, milliseconds - leapt <= Self.longestLeap { return .restarted }
        leapt = milliseconds
        return .tooOld
    }

    private mutating func isTooMuch(at time: HostTime) -> Bool {
        if let began = second?.beganAt, time - began < .seconds(1) {
            second?.frames += 1
        } else {
            second = (time, 1)
        }
        return second.map { $0.frames > PeerBudget.legacyFramesPerSecond } ?? false
    }
}
