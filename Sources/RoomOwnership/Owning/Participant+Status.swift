package import WireProtocol

/// What operators see of it.
extension Participant {
    /// What the log did that no log may do.
    package var trouble: LogTrouble? { view.trouble }
    /// Who owns the room, by the newest record that was read; the epoch is 0 and the owner `nil` before the first claim.
    package var ownership: (epoch: OwnershipEpoch, owner: OwnerID?, policy: CutPolicy) {
        (view.epoch, view.owner, view.policy)
    }
    package var lastEvent: UInt64 { view.lastEvent }
    package var lastSequence: UInt64 { view.last }
    /// Whether no host has written the log yet, as far as it was read.
    package var isUnclaimed: Bool { view.newest == .nothing }
    /// Whether an operator vouches that no other host acts, and nothing that a host wrote is left in the log: there is nothing
    /// to go on with, and nobody who has it.
    package var beginsAnew: Bool { isVouched && view.isCurrent && (view.newest == .nothing || view.newest == .lost) }
    /// Whether it waits for an operator, as the log has discarded what its owners wrote before it was read here.
    package var hasLostOwner: Bool { view.newest == .lost && view.isCurrent }
    /// Records in the log that none of its owners had written.
    package var strangers: UInt64 { view.strangers }

    /// Sealed bytes that wait, or are on their way.
    package var uncommittedBytes: Int {
        guard case .owning(let tenure) = state, let flight = tenure.flight else { return buffer.bytes }
        return buffer.bytes + flight.items.reduce(0) { $0 + $1.item.sealed.count }
    }

    /// How old the owner's newest proof is: it acts without the log's answer until this reaches the fence. `nil` for
    /// everyone who does not own the room.
    package func proofAge(_ now: HostTime) -> Duration? {
        if case .owning(let tenure) = state { now - tenure.provenAt } else { nil }
    }

    /// Whether it was asked to stop, and has not stopped yet, or its stop has not reached the log.
    package var isDeparting: Bool {
        if case .owning(let tenure) = state { tenure.departure != nil } else { false }
    }

    /// Whether it owns the room by an operator's word, and lets whoever that may have deposed stop first.
    package var isWaitingToBegin: Bool {
        if case .owning(let tenure) = state { tenure.actsFrom != nil } else { false }
    }

    /// Whether the log surely says that a silent owner may be replaced.
    package var isOpenToTakeover: Bool {
        if case .owning(let tenure) = state { tenure.policy == .yield } else { false }
    }

    package func isFollowing(_ last: UInt64) -> Bool {
        if case .following = state { view.isCurrent && view.last + 20 >= last && view.trouble == nil } else { false }
    }
}
