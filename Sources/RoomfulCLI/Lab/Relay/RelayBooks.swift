/// Where a relay notes what it does: sums, and a journal for who wants the fate of each datagram.
struct RelayBooks: ~Copyable {
    var report = RelayReport()
    private var journal: FateJournal?

    init(_ journal: consuming FateJournal?) { self.journal = journal }

    /// A datagram came from a controller, and this was decided for it.
    mutating func took(_ label: RelayedDatagram.Label?, _ fate: FateRecord.Fate, at now: Int64) {
        guard let label else { return report.unreadable += 1 }
        report.taken += 1
        if fate == .lost { report.lost += 1 }
        if fate == .doubled { report.doubled += 1 }
        journal?.note(label, fate, at: now)
    }

    /// A copy was passed on to the room.
    mutating func passedOn(_ label: RelayedDatagram.Label?, isWhole: Bool, at now: Int64) {
        guard let label else { return }
        if isWhole { report.delivered += 1 } else { report.corrupted += 1 }
        journal?.note(label, isWhole ? .delivered : .corrupted, at: now)
    }

    /// The end: everything is written.
    mutating func close() -> RelayReport {
        journal?.flush()
        return report
    }
}
