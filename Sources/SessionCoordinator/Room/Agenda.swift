import WireProtocol

/// When each peer is to be looked at next, so that a room of thousands costs no more than those with whom something
/// happened.
///
/// Whoever is touched is worked out anew when the time is asked for; for all others the time stands in a flat list.
struct Agenda: Sendable {
    /// In nanoseconds, by ``PeerIndex``; `.max` where nobody sits.
    private var due: [Int64] = []
    private var isTouched: [Bool] = []
    private(set) var touched: [PeerIndex] = []

    /// Something about this peer changed.
    mutating func touch(_ index: PeerIndex) {
        while due.count <= index {
            due.append(.max)
            isTouched.append(false)
        }
        guard !isTouched[index] else { return }
        isTouched[index] = true
        touched.append(index)
    }

    /// Notes when those who were touched are due.
    mutating func settle(_ dueOf: (PeerIndex) -> Int64) {
        for index in touched {
            isTouched[index] = false
            due[index] = dueOf(index)
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// Whether this peer is due, of those who were settled.
    func isDue(_ index: PeerIndex, at now: Int64) -> Bool { index < due.count && due[index] <= now }

    /// The earliest time of those who are not touched.
    var earliestSettled: Int64 {
        var earliest = Int64.max
        for index in due.indices where !isTouched[index] { earliest = min(earliest, due[index]) }
        return earliest
    }
}
