import WireProtocol

/// One host's time as a room's owner, from its claim's acknowledgement until another's is read.
struct Tenure: Sendable {
    enum Departure: Hashable, Sendable {
        case handover(to: UInt64)
        case release
    }

    let epoch: OwnershipEpoch
    /// An operator's word may be wrong: an owner whom the claim deposed unseen still acts for a fence.
    /// `nil` once that is over.
    var actsFrom: HostTime?
    /// When the newest acknowledged record was first sent. Nobody else can have claimed the room before that moment, nor
    /// does any standby before it has been silent for longer than the fence from there.
    var provenAt: HostTime
    /// The policy that the newest acknowledged record states.
    var policy: CutPolicy
    var flight: Flight?
    /// When a record was first sent last: the next beat counts from here.
    var wroteAt: HostTime
    /// An operator, or the host's end, wants it to stop.
    var departure: Departure?
    /// The stop itself is on its way to the log. From then on the owner does not act, whatever becomes of it.
    var hasStopped = false
    /// Batches written since the departure was asked for.
    var lastBatches = 0

    func mayBegin(_ now: HostTime) -> Bool { actsFrom.map { $0 <= now } ?? true }

    /// Whether the log says, and will go on saying, that silence is no reason to claim the room.
    var playsOn: Bool { policy == .play && flight?.record.policy != .yield }
}

/// What ended a tenure, or made a handover void, when the log had discarded records before its owner read them: another's
/// claim may have been there.
struct Interruption: Sendable {
    /// The last of them.
    var missedUpTo: UInt64
    /// As in the tenure: nobody had claimed the room before.
    let provenAt: HostTime

    init(_ missedUpTo: UInt64, provenAt: HostTime) { (self.missedUpTo, self.provenAt) = (missedUpTo, provenAt) }
}
