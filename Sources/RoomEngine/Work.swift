/// What inputs cost, in units of about a quarter of a microsecond: counted, not measured, so that the same inputs cost the
/// same everywhere.
struct Work: Sendable {
    enum Kind: Int, Sendable {
        /// Made up between two others: looked at by the estimator alone.
        case bridgedSample = 1
        /// A button that is down: it may go up and down with each sample.
        case button = 2
        /// Opened, booked and read; what it holds is counted apart.
        case datagram = 4
        /// Looked at by the estimator and by all recognizers.
        case sample = 5
        /// A timeline and its recognizers are made.
        case streamEpoch = 256
    }

    /// About two milliseconds: what others may have to wait for, of all that a turn takes.
    static let mostPerTurn: UInt64 = 8_192

    /// Since the room was made.
    private(set) var done: UInt64 = 0
    private var turnBeganAt: UInt64 = 0

    /// Whether enough was done for one turn.
    var isTurnOver: Bool { done - turnBeganAt >= Self.mostPerTurn }

    mutating func spend(_ kind: Kind, _ count: Int = 1) { done &+= UInt64(kind.rawValue) &* UInt64(max(0, count)) }
    mutating func beginTurn() { turnBeganAt = done }
}
