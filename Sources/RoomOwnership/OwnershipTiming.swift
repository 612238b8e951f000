/// How long owners and standbys wait, each by its own clock: no two clocks are ever compared.
///
/// What must hold is `fence / slowest clock < take / fastest clock`, with a turn's length to spare: 1,500 and 2,000 ms
/// bear clocks that run up to 1/7 too slow or too fast (chrony slews by 1/12 at most, `maxslewrate`). The clock must go on
/// while the machine sleeps (`CLOCK_BOOTTIME`).
package struct OwnershipTiming: Hashable, Sendable {
    /// An owner that has nothing else to write says so often that it is there. Three fit into a fence.
    package var beat: Duration = .milliseconds(500)
    /// An owner acts only while its newest acknowledged record was sent less than this ago.
    package var fence: Duration = .milliseconds(1_500)
    /// A standby claims the room after this long without learning of a record.
    package var take: Duration = .milliseconds(2_000)
    /// Without an answer, the same record is sent again. A commit took 0.7 ms in the median, 30 ms at the 99th percentile
    /// with three replicas (nats-server 2.9.10, 2026-11-22): five tries fit into a fence.
    package var resend: Duration = .milliseconds(300)
    /// Without an answer, the log is asked again; and a follower that hears nothing asks as often, should its feed have died.
    package var ask: Duration = .milliseconds(500)
    /// A standby says so often that it is there.
    package var announce: Duration = .seconds(1)
    /// A standby that was not heard for so long is none: the owner writes `play`, and needs no log from then on.
    package var gone: Duration = .seconds(5)

    package init() {}
}

/// What one host brings to the question of who owns a room.
package struct OwnershipConfiguration: Sendable {
    /// What the host is there for.
    package enum Ambition: Hashable, Sendable {
        /// To open the room: it also claims one that is closed, or that nobody has opened yet; until it has seen another
        /// host own it.
        case host
        /// To take over a room that another host opened.
        case standby
    }

    package var me: OwnerID
    package var ambition: Ambition
    /// What an owner does that cannot reach the log. `.yield` counts only where a standby is healthy: without one, nobody
    /// could act in its place.
    package var whenCut = CutPolicy.yield
    /// Whether an earlier run of this host's program is gone for certain, as the kernel's lock on the room's folder says.
    package var isFormerLifeGone = true
    package var timing = OwnershipTiming()
    package var buffer = CommitBounds()
    var rejected: Set<RejectedRule> = []

    package init(me: OwnerID, ambition: Ambition) { (self.me, self.ambition) = (me, ambition) }
}

/// What a participant could do instead, and must not: kept so that simulated evenings show which law each would break.
package enum RejectedRule: Hashable, Sendable, CaseIterable {
    /// Act without asking whether the newest acknowledged record is too old.
    case noFence
    /// Count the fence from the acknowledgement's arrival. It may have been on its way for seconds.
    case fenceFromAnswer
    /// Count the fence from the last time that the record was sent. An earlier copy may be what the log took.
    case fenceFromResend
    /// Count the silence of the feed alone, and learn the log's end by reading: a feed may be dead while the owner is not.
    case silenceOfFeed
    /// Go by the policy that is wanted as soon as it is wanted, before the log holds it.
    case policyWithoutLog
    /// A deduplication id without the owner: two claims are one to the log.
    case ownerlessDeduplication
    /// Write something else for a place in the log while an earlier record for it has no answer yet.
    case rewriteUnanswered
}

extension OwnershipConfiguration {
    /// For the simulator alone.
    package mutating func plant(_ rule: RejectedRule) { rejected.insert(rule) }
    func follows(_ rule: RejectedRule) -> Bool { rejected.contains(rule) }
}
