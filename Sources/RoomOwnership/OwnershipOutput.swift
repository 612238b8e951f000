/// What a participant's shell is to do, in this order.
package enum OwnershipOutput: Hashable, Sendable {
    /// Append if the log's last sequence is `expected`, else not at all.
    case append(AppendRequest)
    case read(LogQuestion)
    /// Tell the other hosts, past the log.
    case announce(StandbyPresence)
    /// A record of the log, each once and in its order, this host's own too: for the copy that a successor needs.
    case learned(LogEntry)
    /// The copy is void: every record is told again, from the first that is to be read.
    case readsAnew
    /// The log has discarded records that this host never read, up to that sequence: its copy must be made anew.
    case missed(upTo: UInt64)
    /// These offered items are in the log, by their numbers.
    case committed([UInt64])
    /// These will never be.
    case lost([UInt64], LossCause)
    /// The log names another owner (`nil`: in a record of another version): nothing that this one did since counts.
    case deposed(by: OwnerID?, epoch: OwnershipEpoch)
    case standing(Standing)
}

package struct AppendRequest: Hashable, Sendable {
    /// The log's last sequence, as the writer has read it: the one fence.
    package var expected: UInt64
    package var id: DeduplicationID
    package var bytes: [UInt8]
}

package enum LossCause: Hashable, Sendable {
    /// The buffer was full, or they grew too old in it.
    case noPlace
    /// Another host owns the room, or it was closed or handed over before their turn came.
    case notOwner
    /// More bytes than a record may hold.
    case tooLarge
}

/// How a host stands to the room.
package enum Standing: Hashable, Sendable {
    /// It does not know the log's end yet.
    case reading
    /// It claims the room once its owner is silent.
    case standingBy
    /// It does not claim, and why.
    case waiting(WaitingReason)
    case claiming
    /// It owns the room and acts.
    case acting(OwnershipEpoch)
    /// It owns the room as far as it knows, and does not act before the log has answered.
    case suspended(OwnershipEpoch)
    /// It closed the room, or left it to its next run.
    case closed
}

package enum WaitingReason: Hashable, Sendable {
    /// Nobody has opened the room.
    case neverOpened
    case closed
    /// Its owner plays on without the log: silence says nothing, only an operator can.
    case operatorDecides
    /// The newest record cannot be read here.
    case unreadable(SiteLogRecordError)
    case trouble(LogTrouble)
    /// What a successor needs has not been read whole, or cannot be opened here.
    case unfit
    /// The log has discarded what its owners wrote before it was read here. Who owned the room last goes on by itself once
    /// every standby that it knew says that it still stands by.
    case recordsLost
}

/// What no log may do that compares before it appends and keeps what it acknowledged.
package enum LogTrouble: Hashable, Sendable {
    /// It ended at `had`, and now ends at `has`.
    case wentBack(had: UInt64, has: UInt64)
    /// The record's writer had read another history than stands here.
    case diverged(at: UInt64)
    /// Events' numbers do not go on from the record before.
    case eventNumbers(at: UInt64)
}

extension LogTrouble: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wentBack(let had, let has):
            "the room's log had \(had) records and now has \(has): the broker lost what it had acknowledged"
        case .diverged(let sequence):
            "record \(sequence) of the room's log was written on another history than stands here: its replicas differ"
        case .eventNumbers(let sequence): "record \(sequence) of the room's log does not go on from the last event"
        }
    }
}
