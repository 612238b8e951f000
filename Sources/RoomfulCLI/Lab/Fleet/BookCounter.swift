import Roomful

/// One line of the host's books, and what it must say.
struct BookCounter: Sendable {
    let name: String
    /// What the host says; `nil` where it does not.
    let host: @Sendable (PeerStatus) -> Int?
    /// What the witnesses know; `nil` where no witness can.
    let truth: @Sendable (BookTruth) -> Int?
    /// What they know in another way, which is as good.
    let otherTruth: @Sendable (BookTruth) -> Int?
    /// A datagram that is lost behind the witnesses' backs can make it less.
    let mayFall: Bool
    /// Or more.
    let mayRise: Bool
    /// The host may know of so many more than the witnesses.
    let surplus: @Sendable (BookTruth) -> Int

    private init(
        _ name: String, falls: Bool = true, rises: Bool = false, _ host: @escaping @Sendable (PeerStatus) -> Int?,
        _ truth: @escaping @Sendable (BookTruth) -> Int?,
        or otherTruth: @escaping @Sendable (BookTruth) -> Int? = { _ in nil },
        upTo surplus: @escaping @Sendable (BookTruth) -> Int = { _ in 0 }
    ) {
        (self.name, mayFall, mayRise) = (name, falls, rises)
        (self.host, self.truth, self.otherTruth, self.surplus) = (host, truth, otherTruth, surplus)
    }

    static let all = [
        BookCounter("link epochs", falls: false, { $0.datagrams.epochs }, { $0.epochs }, upTo: { $0.unheardLinks }),
        // What the controller says in the last datagram that came through, or on its control connection.
        BookCounter(
            "datagrams sent", { $0.witness?.isFinal == true ? $0.witness?.datagrams : nil }, { $0.sent },
            or: { $0.sentByControl }),
        BookCounter("authenticated", { $0.datagrams.authenticated }, { $0.arrived }),
        BookCounter("expected", { $0.datagrams.expected }, { $0.expected }),
        BookCounter("unique", { $0.datagrams.unique }, { $0.unique }),
        BookCounter("missing", rises: true, { $0.datagrams.missing }, { $0.expected - $0.unique }),
        BookCounter(
            "missing at the end", rises: true, { $0.datagrams.tailMissing }, { $0.tailMissing },
            or: { $0.tailByControl }),
        BookCounter("duplicate", { $0.datagrams.duplicate }, { $0.duplicate }),
        BookCounter("too old", rises: true, { $0.datagrams.tooOld }, { $0.tooOld }),
        BookCounter("reordered", rises: true, { $0.datagrams.reordered }, { $0.reordered }),
        BookCounter("unreadable", falls: false, { $0.datagrams.unreadable }, { _ in 0 }),
        // Who sends as it declared is never limited.
        BookCounter("rate limited", falls: false, { $0.datagrams.rateLimited }, { _ in 0 }),
        BookCounter("bytes", { $0.datagrams.bytes }, { $0.bytes }),
        BookCounter("stream epochs", { $0.samples.epochs }, { $0.samples.count }),
        BookCounter("samples expected", { $0.samples.expected }, { $0.expectedSamples }),
        // Which of them came too late to be fed depends on the merge's clock: no witness saw it.
        BookCounter("samples delivered or late", { $0.samples.delivered + $0.samples.late }, { $0.arrivedSamples }),
        BookCounter(
            "samples missing or abandoned", rises: true,
            { status in status.samples.missing.map { $0 + status.samples.abandoned } },
            { $0.expectedSamples - $0.arrivedSamples }),
        BookCounter("samples repeated", { $0.samples.redundant }, { $0.redundant }),
    ]
}
