/// What can reach a participant: the log's answers, what others say, and what its own room and operator want.
package enum OwnershipInput: Hashable, Sendable {
    case answered(DeduplicationID, AppendAnswer)
    /// The feed brought a record. It may be an old one, come twice or leave some out.
    case heard(LogEntry)
    /// The log answered a question.
    case read(LogExtract)
    case standby(StandbyPresence)
    /// Whether this host could act in the room if it owned it: it has a whole copy of what a successor needs. Until it says
    /// otherwise it is taken to.
    case fit(Bool)
    /// The room wants this to outlive its host. Numbered as they come, from 1.
    case offered(SiteItem)
    case command(OwnershipCommand)
}

/// What an operator, or the host's end, asks for.
package enum OwnershipCommand: Hashable, Sendable {
    /// Stop, and let that host claim the room at once. This host's own number means its next run, as its program ends.
    case handOver(to: UInt64)
    /// Stop, and close the room.
    case release
    /// Claim the room now, whatever speaks against it, and act two seconds later. Whoever says so vouches that no host plays
    /// on in it without the log; one that yields has stopped by then.
    case takeOver
}

/// What became of an append.
package enum AppendAnswer: Hashable, Sendable {
    /// The log holds it at this place (it may have held it already, from an earlier sending).
    case accepted(sequence: UInt64)
    /// Another record stands where this one was to be. The log's last sequence, if the engine says it.
    case refused(last: UInt64?)
    /// Nobody knows whether the log took it: the connection broke, or the engine failed. Silence means the same.
    case unknown
}

/// One record as it stands in the log.
package struct LogEntry: Hashable, Sendable {
    /// From 1.
    package var sequence: UInt64
    package var bytes: [UInt8]
    /// Whether its writer had said that it would stand here, as every host does. What lies in the log without that is
    /// nobody's record, whatever its bytes: a broker also puts there what a consumer of another stream is to be sent.
    package var isPlaced: Bool

    package init(sequence: UInt64, bytes: [UInt8], isPlaced: Bool = true) {
        (self.sequence, self.bytes, self.isPlaced) = (sequence, bytes, isPlaced)
    }
}

/// What the log is to be asked: its records from a sequence on, as many as fit, and which is its last.
package struct LogQuestion: Hashable, Sendable {
    package var from: UInt64
    /// The last sequence that the asker knew of: an answer from a log that ends before it comes from another history.
    package var known: UInt64

    package init(from: UInt64, known: UInt64) { (self.from, self.known) = (from, known) }
}

/// The answer: records without a hole. Where the first is later than asked for, the log no longer holds older ones.
package struct LogExtract: Hashable, Sendable {
    package var question: LogQuestion
    package var entries: [LogEntry]
    /// The log's last sequence at that moment, 0 if it is empty.
    package var last: UInt64

    package init(question: LogQuestion, entries: [LogEntry], last: UInt64) {
        (self.question, self.entries, self.last) = (question, entries, last)
    }
}

/// What a standby says of itself once a second, past the log.
package struct StandbyPresence: Hashable, Sendable {
    package var host: UInt64
    /// Whether it would claim a silent room: it reads this version, and its copy of the log is whole.
    package var isReady: Bool
    /// The last record that it has read.
    package var follows: UInt64

    package init(host: UInt64, isReady: Bool, follows: UInt64) {
        (self.host, self.isReady, self.follows) = (host, isReady, follows)
    }
}
