import ArgumentParser
import Connections
import Foundation
import Synchronization
import WireProtocol

/// Reads standard input on while its controller waits for a seat, and leaves out what comes: a feeder that had to wait until
/// there is one would make up for it then, and be sent away as one that sends too much.
///
/// A file stays where it is, and is played from the seat on.
final class FeedDrain: Sendable {
    /// What was read of standard input beforehand, and who reads on.
    struct Feed: Sendable {
        var opening: SampleSource.Opening
        var rest: LineSamples
    }

    /// It is seen so soon that there is a seat.
    private static let glance: Duration = .milliseconds(100)

    private let hasBegun = Atomic(false)
    private let isSeated = Atomic(false)
    private let wasInVain = Atomic(false)
    private let drained = Watched<Feed?>(nil)

    /// There is no seat yet; may be called again and again. What somebody types is no feed, and may be an answer.
    func begin(_ feed: Feed) {
        guard !isSeated.load(ordering: .relaxed), isatty(STDIN_FILENO) == 0,
            !hasBegun.exchange(true, ordering: .relaxed)
        else { return }
        let thread = Thread { [self] in
            var feed = feed
            if feed.rest.readsFile(from: feed.opening.first, readAt: feed.opening.readAt) {
                feed.opening.isFile = true
            } else {
                drain(&feed)
            }
            let left = feed
            drained.change { $0 = left }
        }
        thread.name = "roomful-drain"
        thread.start()
    }

    /// There is a seat: the feed from now on, once the line that is being read has come.
    func end(_ feed: Feed) async throws -> Feed {
        isSeated.store(true, ordering: .relaxed)
        guard hasBegun.load(ordering: .relaxed) else { return feed }
        guard let left = await drained.first(where: { $0 != nil }) ?? nil else { throw CancellationError() }
        return left
    }

    /// The newest sample counts as the first.
    private func drain(_ feed: inout Feed) {
        var (samples, marks) = (0, feed.opening.marks.count)
        feed.opening.marks = []
        while !isSeated.load(ordering: .relaxed) {
            guard feed.rest.hasNext(within: Self.glance) else { continue }
            switch feed.rest.next() {
            case .mark: marks += 1
            case .sample(let sample):
                samples += 1
                feed.opening.first = sample
                feed.opening.readAt = feed.rest.lastReadAt ?? sample.sampledAt
            case nil: return leave()
            }
        }
        guard samples > 0 else { return }
        let others = marks > 0 ? " and \(plural(marks, "mark"))" : ""
        Failure.say("what was fed before there was a seat is left out: \(plural(samples, "sample"))\(others)")
    }

    /// Throws where the input ended before there was a seat.
    func check() throws(ExitCode) {
        if wasInVain.load(ordering: .relaxed) { throw Failure.refused }
    }

    /// The input has ended. Whoever waits in a queue has nothing to give back.
    private func leave() {
        Failure.say("the input ended before there was a seat")
        wasInVain.store(true, ordering: .relaxed)
        if EndSignals.areAwaited { kill(getpid(), SIGTERM) } else { exit(Failure.refused.rawValue) }
    }
}

extension SampleSource {
    /// There is no seat yet, and it may be long until there is one.
    func waitForSeat() {
        guard case .lines(let opening, let rest) = self else { return }
        opening.drain.begin(FeedDrain.Feed(opening: opening, rest: rest))
    }

    /// Throws where what was to be sent ended before there was a seat.
    func checkSeat() throws {
        if case .lines(let opening, _) = self { try opening.drain.check() }
    }

    /// The same without what came before there was a seat.
    func fromSeatOn() async throws -> SampleSource {
        guard case .lines(let opening, let rest) = self else { return self }
        let feed = try await opening.drain.end(FeedDrain.Feed(opening: opening, rest: rest))
        return .lines(feed.opening, rest: feed.rest)
    }
}
