import Roomful
import WireProtocol

/// The host's books beside the truth, line by line.
struct BookComparison: Sendable, Encodable {
    /// One counter over the whole fleet.
    struct Line: Sendable, Encodable {
        var counter: String
        var host: Int
        var truth: Int
        /// Controllers of which it differs.
        var differing: Int
        /// Controllers of which no witness knows it.
        var unknown: Int
    }

    private(set) var lines = BookCounter.all.map {
        Line(counter: $0.name, host: 0, truth: 0, differing: 0, unknown: 0)
    }
    /// Each difference in words.
    private(set) var differences: [String] = []
    private(set) var controllers = 0
    /// Controllers that came back to their seat, and so have more than one link epoch.
    private(set) var returned = 0
    /// Datagrams that came after their controller's books were closed: the host must have called them unknown.
    private(set) var afterwards = 0

    var isEqual: Bool { differences.isEmpty }

    /// Compares one controller's line; returns the truth that was found.
    @discardableResult
    mutating func compare(_ status: PeerStatus?, with witness: FleetWitness) -> BookTruth? {
        controllers += 1
        guard let status else {
            differences.append("\(witness.name): the host has no books of it")
            return nil
        }
        if witness.epochs.count > 1 { returned += 1 }
        let truth = BookTruth.best(of: witness, for: status)
        for (place, counter) in BookCounter.all.enumerated() {
            let (said, known) = (counter.host(status), counter.truth(truth))
            lines[place].host += said ?? 0
            guard let known else {
                lines[place].unknown += 1
                continue
            }
            lines[place].truth += known
            guard said != known else { continue }
            lines[place].differing += 1
            differences.append("\(witness.name): \(counter.name) \(said.map(String.init) ?? "not said"), in truth \(known)")
        }
        afterwards += truth.afterwards
        return truth
    }

    /// Compares a figure of the whole room.
    mutating func compare(_ name: String, host: Int, truth: Int) {
        lines.append(Line(counter: name, host: host, truth: truth, differing: host == truth ? 0 : 1, unknown: 0))
        if host != truth { differences.append("\(name): \(host), in truth \(truth)") }
    }
}

extension BookTruth {
    /// A goodbye on the control connection is on its way from here on, this long before the last datagram was logged, in
    /// nanoseconds: the relay notes when it looked at the clock, and passes on a moment later.
    private static let margin: Int64 = 50_000_000

    /// The truth that fits, of those that the witnesses leave open: they do not see when a goodbye on the control
    /// connection was faster than the one on the link, nor when a seat was given anew. Usually there is one only.
    static func best(of witness: FleetWitness, for status: PeerStatus) -> BookTruth {
        let cuts = cuts(of: witness, for: status)
        let usual = BookTruth(witness, cuts: cuts, closing: .link)
        guard let last = witness.epochs.last, let lastSent = last.log.last, !usual.fits(status) else { return usual }
        let earliest = lastSent.sentAt.nanoseconds - margin
        let places = last.delivered.indices.filter { last.delivered[$0].at >= earliest } + [last.delivered.endIndex]
        for place in places.prefix(64) {
            let other = BookTruth(witness, cuts: cuts, closing: .control(after: place))
            if other.fits(status) { return other }
        }
        return usual
    }

    private func fits(_ status: PeerStatus) -> Bool {
        BookCounter.all.allSatisfy { counter in counter.truth(self).map { $0 == counter.host(status) } ?? true }
    }

    /// Where the old link epoch of a controller that came back once ended, by the host's own sum: one number taken on
    /// trust, against which all others are held. Who came back more often is compared as if nothing had been cut.
    private static func cuts(of witness: FleetWitness, for status: PeerStatus) -> [Int] {
        guard witness.epochs.count == 2 else { return [] }
        let uncut = BookTruth(witness, closing: .link)
        let excess = uncut.unique + uncut.duplicate + uncut.tooOld - status.datagrams.authenticated
        return [max(0, witness.epochs[0].delivered.count - max(0, excess))]
    }
}

extension BookComparison {
    /// What the controllers were told, each with its name; `nil` where one was told nothing.
    init(told: [(name: String, account: ToldAccount?)]) {
        var (said, truth, differing, unknown) = (0, 0, 0, 0)
        for (name, account) in told {
            controllers += 1
            guard let account else {
                unknown += 1
                continue
            }
            said += account.said
            truth += account.isTrue ? account.said : account.allowed.upperBound
            guard !account.isTrue else { continue }
            differing += 1
            differences.append("\(name): was told of \(account.said) datagrams, in truth \(account.allowed)")
        }
        lines = [Line(counter: "unique, as told", host: said, truth: truth, differing: differing, unknown: unknown)]
    }
}
