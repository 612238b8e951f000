import Roomful

/// One line of the host's books, and what it must say.
struct BookCounter: Sendable {
    let name: String
    /// What the host says; `nil` where it does not.
    let host: @Sendable (PeerStatus) -> Int?
    /// What the witnesses know; `nil` where no witness can.
    let truth: @Sendable (BookTruth) -> Int?

    private init(
        _ name: String, _ host: @escaping @Sendable (PeerStatus) -> Int?,
        _ truth: @escaping @Sendable (BookTruth) -> Int?
    ) {
        (self.name, self.host, self.truth) = (name, host, truth)
    }

    static let all = [
        BookCounter("link epochs", { $0.datagrams.epochs }, { $0.epochs }),
        BookCounter("datagrams sent", { $0.datagrams.sent }, { $0.sent }),
        BookCounter("authenticated", { $0.datagrams.authenticated }, { $0.unique + $0.duplicate + $0.tooOld }),
        BookCounter("expected", { $0.datagrams.expected }, { $0.expected }),
        BookCounter("unique", { $0.datagrams.unique }, { $0.unique }),
        BookCounter("missing", { $0.datagrams.missing }, { $0.expected - $0.unique }),
        BookCounter("missing at the end", { $0.datagrams.tailMissing }, { $0.tailMissing }),
        BookCounter("duplicate", { $0.datagrams.duplicate }, { $0.duplicate }),
        BookCounter("too old", { $0.datagrams.tooOld }, { $0.tooOld }),
        BookCounter("reordered", { $0.datagrams.reordered }, { $0.reordered }),
        BookCounter("unreadable", { $0.datagrams.unreadable }, { _ in 0 }),
        // Who sends as it declared is never limited.
        BookCounter("rate limited", { $0.datagrams.rateLimited }, { _ in 0 }),
        BookCounter("bytes", { $0.datagrams.bytes }, { $0.bytes }),
        BookCounter("stream epochs", { $0.samples.epochs }, { $0.samples.count }),
        BookCounter("samples expected", { $0.samples.expected }, { $0.expectedSamples }),
        // Which of them came too late to be fed depends on the merge's clock: no witness saw it.
        BookCounter("samples delivered or late", { $0.samples.delivered + $0.samples.late }, { $0.arrivedSamples }),
        BookCounter(
            "samples missing or abandoned", { status in status.samples.missing.map { $0 + status.samples.abandoned } },
            { $0.expectedSamples - $0.arrivedSamples }),
        BookCounter("samples repeated", { $0.samples.redundant }, { $0.redundant }),
    ]
}
