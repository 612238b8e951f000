/// One record of a room's log: who owns the room as of now, and what must outlive its host.
///
/// Every record states the whole of the ownership, so that the newest one alone tells a newcomer who owns the room, by
/// which policy, and which event was the last. Documentation/SITE.md has the bytes.
package struct SiteLogRecord: Hashable, Sendable {
    package var epoch: OwnershipEpoch
    package var owner: OwnerID
    package var policy: CutPolicy
    /// The number of the last event up to and with this record; 0 before the first.
    package var lastEvent: UInt64
    /// The log up to the record before this one, as its writer read it; `nil` when it does not say.
    package var chain: LogChain?
    package var body: Body

    package enum Body: Hashable, Sendable {
        /// The owner begins its epoch.
        case claim(ClaimCause)
        /// The owner is there, and has nothing else to say.
        case beat
        case batch(CommitBatch)
        /// The owner has stopped, and wants that host to claim the room at once; its own, where its program ends.
        case handover(to: UInt64)
        /// The owner has stopped and closed the room: nobody claims it before somebody opens it again.
        case released
        /// Of a later version, and without a bearing on who owns the room.
        case skipped(kind: UInt8)
    }

    package init(
        epoch: OwnershipEpoch, owner: OwnerID, policy: CutPolicy, lastEvent: UInt64, chain: LogChain?, body: Body
    ) {
        (self.epoch, self.owner, self.policy) = (epoch, owner, policy)
        (self.lastEvent, self.chain, self.body) = (lastEvent, chain, body)
    }

    package var isClaim: Bool { if case .claim = body { true } else { false } }

    /// The numbers of the events that it holds.
    package var events: Range<UInt64> {
        guard case .batch(let batch) = body else { return lastEvent + 1..<lastEvent + 1 }
        return lastEvent + 1 - UInt64(batch.events)..<lastEvent + 1
    }
}

/// Why a host claimed a room.
package enum ClaimCause: UInt8, Hashable, Sendable {
    /// The log was empty, or the room had been closed.
    case opening = 0
    /// Its owner was silent for as long as a standby waits.
    case silence = 1
    case handover = 2
    /// An earlier run of the same host's program owned it, and is gone for certain.
    case restart = 3
    /// An operator vouched that no other host acts.
    case operatorWord = 4
}

/// What must outlive the host, in the order in which it happened.
package struct CommitBatch: Hashable, Sendable {
    /// Items that had no place any more while the log could not be reached, and came before these.
    package var dropped: UInt32
    package var items: [SiteItem]

    package init(dropped: UInt32 = 0, items: [SiteItem]) { (self.dropped, self.items) = (dropped, items) }

    var events: Int { items.count(where: \.isEvent) }
}

/// One thing that must outlive the host, sealed by whoever offered it: nothing here looks into it.
package struct SiteItem: Hashable, Sendable {
    /// 0 is an event, which gets the room's next number; every other one a change of what a successor must know (a seat, a
    /// taught gesture, a verdict), by a number of the shell's own.
    package var kind: UInt8
    package var sealed: [UInt8]

    package init(kind: UInt8, sealed: [UInt8]) { (self.kind, self.sealed) = (kind, sealed) }

    package static func event(_ sealed: [UInt8]) -> SiteItem { SiteItem(kind: 0, sealed: sealed) }

    package var isEvent: Bool { kind == 0 }
}
