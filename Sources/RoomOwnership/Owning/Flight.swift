import WireProtocol

/// A record that was sent, and of which nobody knows yet whether the log took it.
///
/// One at a time: until it is known to be in the log, or never to come into it, nothing else is written for its place, and
/// what is sent again are the same bytes under the same id.
struct Flight: Sendable {
    let request: AppendRequest
    let record: SiteLogRecord
    /// The offered items in it.
    let items: [CommitBuffer.Waiting]
    /// Counting from the first sending is what makes the fence true: whichever copy the log took, it was sent no earlier.
    let firstSentAt: HostTime
    var lastSentAt: HostTime
    /// The log took something else in its place, or its own first copy: only reading tells.
    var isRefused = false

    var sequence: UInt64 { request.expected + 1 }

    func isRecord(_ entry: LogEntry) -> Bool {
        entry.isPlaced && entry.sequence == sequence && entry.bytes == request.bytes
    }
}
