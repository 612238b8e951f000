public import WireProtocol

extension ControllerLink {
    /// When what was sent last, in nanoseconds on the link's own time: what the next datagram's time follows from.
    ///
    /// The link's time is the device's clock, but never decreases: where that is set back, it goes on from where it was.
    struct Timing: Sendable {
        /// The latest time that the shell named.
        private(set) var now: Int64
        /// By how much the device's clock was set back in all: the link's time runs ahead of it by as much.
        private(set) var setBack: Int64 = 0
        /// Times that the shell names may run back by as much without a meaning: 10 ms.
        private static let slack: Int64 = 10_000_000
        /// Nanoseconds between datagrams with fresh samples, smoothed.
        private(set) var sendingInterval: Int64
        /// The last datagram of this link epoch.
        private(set) var sentAt: Int64?
        /// The last datagram with fresh samples.
        private(set) var freshSentAt: Int64?
        /// When fresh samples may leave again. One datagram is always in hand: a sample whose forerunner left late, as its
        /// program was woken late, does not wait for that. (A leaky bucket, ITU-T I.371's generic cell rate algorithm.)
        private(set) var freshFreeAt: Int64
        /// When the host was told last how much was sent in all.
        var talliedAt: Int64?
        /// The last datagram with samples.
        private(set) var samplesSentAt: Int64?
        /// Fresh samples did not fit: the next datagram follows at once.
        var leavesFresh = false
        /// Urgent repeats did not fit: the next datagram follows soon.
        var leavesUrgent = false
        /// How often samples were repeated since anything new was sent or heard.
        var lonelyRepeats = 0

        init(now: Int64, sendingInterval: Int64) {
            self.now = now
            freshFreeAt = now
            self.sendingInterval = sendingInterval
        }

        /// Moves the time on to what the device's clock shows.
        ///
        /// - Returns: whether that clock was set back.
        mutating func advance(to clock: Int64) -> Bool {
            let time = clock.saturatingAdd(setBack)
            let isSetBack = time < now.saturatingSubtract(Self.slack)
            if isSetBack { setBack = setBack.saturatingAdd(now.saturatingSubtract(time)) }
            now = max(now, time)
            return isSetBack
        }

        /// A moment of the device's clock on the link's time: not later than now.
        func own(_ time: DeviceTime) -> Int64 { min(time.nanoseconds.saturatingAdd(setBack), now) }
        /// A moment of the link's time on the device's clock.
        func device(_ time: Int64) -> DeviceTime { DeviceTime(nanoseconds: time.saturatingSubtract(setBack)) }

        mutating func beginEpoch() {
            (sentAt, freshSentAt, samplesSentAt, talliedAt) = (nil, nil, nil, nil)
            freshFreeAt = now
            (leavesFresh, leavesUrgent, lonelyRepeats) = (false, false, 0)
        }

        /// A datagram left, with or without samples, some of them fresh or not.
        mutating func sent(hasSamples: Bool, hasFresh: Bool, pace: Pace) {
            sentAt = now
            if hasSamples { samplesSentAt = now }
            guard hasFresh else {
                if hasSamples { lonelyRepeats += 1 }
                return
            }
            lonelyRepeats = 0
            if !leavesFresh, let freshSentAt {
                let interval = max(pace.minimumSendInterval, min(Pace.longestInterval, now - freshSentAt))
                sendingInterval += (interval - sendingInterval) / 8
            }
            freshSentAt = now
            // What had to leave at once, as it filled datagrams, is no debt: nothing waits for more than an interval.
            let interval = pace.minimumSendInterval
            freshFreeAt = min(max(freshFreeAt.saturatingAdd(interval), now), now.saturatingAdd(interval))
        }

        /// A sample is not repeated on suspicion within this time: two sending intervals, and half of one for jitter.
        var repeatInterval: Int64 { min(sendingInterval * 5 / 2, Pace.longestInterval) }
    }

    /// When to call `nextDatagram` again, if nothing else happens before.
    ///
    /// `nil` when there is nothing to wait for. May lie in the past: then a datagram is due now.
    public var nextDeadline: DeviceTime? {
        var deadline = datagramDue
        if case .open(let opened) = phase, !opened.isQuiet {
            deadline = earlier(deadline, opened.heardAt.saturatingAdd(silence.limit))
        }
        return deadline.map(timing.device)
    }

    /// When the next datagram is due.
    var datagramDue: Int64? {
        switch phase {
        case .closed, .paused, .ended: return nil
        case .leaving(_, _, _, let nextAt): return nextAt
        case .open(let opened):
            guard opened.nextNumber < .max else { return nil }
            guard let sentAt = timing.sentAt else { return opened.heardAt }
            var due = sentAt.saturatingAdd(pace.heartbeat)
            if let owesSince { due = min(due, owesSince.saturatingAdd(pace.answerDelay)) }
            if let messageDue = outbox.nextDue(retryAfter: messageRetry) {
                due = min(due, max(messageDue, sentAt.saturatingAdd(pace.minimumSendInterval)))
            }
            if data.isWaiting { due = min(due, sentAt.saturatingAdd(pace.minimumSendInterval)) }
            return earlier(due, samplesDue(sentAt))
        }
    }

    /// When the next datagram with samples is due.
    private func samplesDue(_ sentAt: Int64) -> Int64? {
        var (fresh, freshBytes, hasUrgent, hasHeld) = (0, 0, false, false)
        for stream in streams {
            fresh += stream.freshCount
            freshBytes += stream.freshCount * stream.codec.size
            hasUrgent = hasUrgent || stream.hasUrgent
            hasHeld = hasHeld || !stream.buffer.isEmpty
        }
        var due: Int64?
        if fresh > 0 {
            guard !timing.leavesFresh, freshBytes < WireFormat.maximumPayloadSize else { return timing.now }
            due = timing.freshFreeAt
        }
        if hasUrgent {
            // Rather with the next fresh samples than alone, if those come as expected.
            let wait = min(timing.sendingInterval * 3 / 2, Pace.longestInterval / 2)
            due = earlier(due, sentAt.saturatingAdd(timing.leavesUrgent ? pace.minimumSendInterval : wait))
        }
        if hasHeld, fresh == 0, let last = timing.samplesSentAt {
            let wait = timing.repeatInterval << Int64(min(timing.lonelyRepeats, 8))
            due = earlier(due, last.saturatingAdd(min(wait, Pace.slowestRepeat)))
        }
        return due
    }

    /// How long a message waits for its receipt before it is sent again.
    var messageRetry: Duration {
        .nanoseconds(max(50_000_000, min(500_000_000, roundTrip.patience(interval: 0))))
    }

    private func earlier(_ a: Int64?, _ b: Int64?) -> Int64? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }
}
