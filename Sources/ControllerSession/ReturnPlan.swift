public import WireProtocol

/// When a controller that does not hear its host any more asks for its seat again, how long it waits for each answer, and
/// when it gives up.
///
/// It lives as long as the stay in the room, and remembers for a minute what returns came before. A host that is starved
/// of processor time answers late; sixty controllers that each took that for its end, and came back at once, would keep
/// it so busy with their returns that the next silence followed from the last. So each return that follows another waits
/// longer, for a time drawn at random, and each answer that came too late makes the next attempt more patient.
///
/// ```swift
/// var wait = plan.begin(at: now)
/// while true {
///     sleep(wait)                       // unless the link is heard again meanwhile
///     if ask(within: plan.stretched(.seconds(5))) { break plan.concluded(at: now) }
///     guard case .wait(let next) = plan.failed(at: now, cause) else { return giveUp() }
///     wait = next
/// }
/// ```
public struct ReturnPlan: Hashable, Sendable {
    /// What follows an attempt that brought no seat.
    public enum Step: Hashable, Sendable {
        /// Ask again after this.
        case wait(Duration)
        /// The host would have given the seat away, and was asked once more since.
        case giveUp
    }

    /// Why an attempt brought no seat.
    public enum Failure: Hashable, Sendable {
        /// Nobody was there, or it was another host.
        case unreachable
        /// A host took the connection, and did not answer in time: it has the work all the same.
        case tooSlow
        /// It said no, and how long it wants to be left alone, if it said so.
        case refused(retryAfter: Duration?)
    }

    /// How long the host keeps the seat of a controller that it does not hear.
    public var patience: Duration
    private var random: SplitMix64
    private var beganAt: DeviceTime?
    private var backoff = shortestWait
    /// Returns and unanswered attempts, each within ``memory`` of the next: what they cost a host.
    private var recent = 0
    private var lastAt: DeviceTime?
    /// Attempts in a row that the host took and did not answer in time.
    private var slowAnswers = 0
    /// Since when links were given, and the host was heard on none of them.
    private var unheardSince: DeviceTime?

    /// The first wait after a failure, and the longest before a first return.
    static let shortestWait = Duration.milliseconds(250)
    /// The longest wait after a failure.
    static let longestWait = Duration.seconds(5)
    /// The longest wait after a failure, while nobody is there and the silence is younger than ``freshness``: then a host starts
    /// again, or another goes on with the room, and asking where nobody is costs little.
    static let longestFreshWait = Duration.seconds(1)
    static let freshness = Duration.seconds(15)
    /// However long a host asks to be left alone, it is not longer than this.
    static let longestRefusal = Duration.seconds(60)
    /// Who has not come back for so long begins as if for the first time.
    static let memory = Duration.seconds(60)

    /// - Parameter seed: from which waits are drawn; each controller's own, so that those who were lost together do not
    ///   come back together.
    public init(patience: Duration, seed: UInt64) {
        self.patience = patience
        random = SplitMix64(seed: seed)
    }

    /// The link is not heard any more: how long to wait before the seat is asked for, from nothing to 0.25 s, to twice as
    /// much with each return or unanswered attempt of late, to 16 s or half the host's patience at most.
    public mutating func begin(at now: DeviceTime) -> Duration {
        if let lastAt, now - lastAt > Self.memory { (recent, slowAnswers) = (0, 0) }
        beganAt = now
        backoff = Self.shortestWait
        return min(Self.shortestWait * (1 << recent), patience / 2) * random.fraction()
    }

    /// What follows an attempt that brought no seat: 0.25 s, then twice as long each time, to 5 s (where nobody is there, to
    /// 1 s in the first 15 s), and a quarter more or less. When the host would have given the seat away, it is asked once more.
    public mutating func failed(at now: DeviceTime, _ failure: Failure) -> Step {
        let elapsed = beganAt.map { now - $0 } ?? .zero
        var (least, most) = (Duration.zero, Self.longestWait)
        switch failure {
        case .unreachable:
            slowAnswers = 0
            if elapsed < Self.freshness { most = Self.longestFreshWait }
        case .tooSlow:
            slowAnswers = min(slowAnswers + 1, 2)
            note(at: now)
        case .refused(let retryAfter):
            slowAnswers = 0
            least = min(max(.zero, retryAfter ?? .zero), Self.longestRefusal)
        }
        guard elapsed < patience else { return .giveUp }
        let wait = min(min(backoff, most) * (0.75 + random.fraction() / 2), patience - elapsed)
        backoff = min(backoff * 2, Self.longestWait)
        return .wait(max(wait, least))
    }

    /// Another link is silent: whether the host was heard on none for as long as it keeps a seat. Each return has it keep
    /// one anew, for somebody who cannot play and beside those who could.
    ///
    /// - Parameter wasHeard: on the link that is silent now.
    package mutating func isHopeless(wasHeard: Bool, at now: DeviceTime) -> Bool {
        guard !wasHeard else {
            unheardSince = nil
            return false
        }
        let since = unheardSince ?? now
        unheardSince = since
        return now - since >= patience
    }

    /// Another host has the seat from now on.
    package mutating func moved() { unheardSince = nil }

    /// The seat was asked for while the link lived, and nobody waits for that answer any more: the host has the work.
    package mutating func abandoned(at now: DeviceTime) { note(at: now) }

    /// The host gave the seat again.
    ///
    /// - Parameter continues: whether it still knew the link (`Seated.continues`). One that did not was started
    ///   again, or goes on with the room for another: it was not starved, and what came before says nothing of it. A host that
    ///   was never heard on that link does not know it either, and may be the same: then this is `true`.
    public mutating func concluded(at now: DeviceTime, continues: Bool = true) {
        beganAt = nil
        guard continues else {
            (recent, slowAnswers) = (0, 0)
            return
        }
        note(at: now)
    }

    /// How long to wait for something that a host usually says within `usual`: twice, then four times as long for one that
    /// was too slow the times before.
    public func stretched(_ usual: Duration) -> Duration { usual * (1 << slowAnswers) }

    private mutating func note(at now: DeviceTime) {
        recent = min(recent + 1, 6)
        lastAt = now
    }
}
