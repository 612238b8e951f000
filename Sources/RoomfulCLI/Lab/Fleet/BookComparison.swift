import Roomful
import WireProtocol

/// The host's books beside the truth, line by line.
struct BookComparison: Sendable, Encodable {
    private enum CodingKeys: String, CodingKey { case lines, differences, controllers, returned, shortfall, explained }

    /// One counter over the whole fleet.
    struct Line: Sendable, Encodable {
        var counter: String
        /// Both of those controllers alone of which a witness knows it.
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
    /// Datagrams that the relay passed on and no account of the host's holds.
    private(set) var shortfall = 0
    /// What is accounted for though it differs, in words.
    private(set) var explained: [String] = []

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
        let truth = BookTruth(witness)
        shortfall += truth.arrived - status.datagrams.authenticated
        for (place, counter) in BookCounter.all.enumerated() {
            let said = counter.host(status)
            let other = counter.otherTruth(truth)
            let known = said == other && other != nil ? other : counter.truth(truth)
            guard let known else {
                lines[place].unknown += 1
                continue
            }
            lines[place].host += said ?? 0
            lines[place].truth += known
            guard said != known else { continue }
            if let said, said > known, said - known <= counter.surplus(truth) {
                explained.append(
                    "\(witness.name): \(counter.name) \(said), and it used \(known): the host answered returns that it had given up."
                )
                continue
            }
            lines[place].differing += 1
            let text = "\(witness.name): \(counter.name) \(said.map(String.init) ?? "not said"), in truth \(known)"
            differences.append(text)
            if counter.mayFall, said ?? -1 < known || counter.mayRise { following.insert(text) }
        }
        if let own = status.witness, own.agreement == "contradicted" {
            differences += own.reasons.map { "\(witness.name): \($0)" }
        }
        return truth
    }

    /// Differences that lost datagrams can make.
    private var following: Set<String> = []

    /// Compares what is nobody's with what was damaged on the way, and explains what lost datagrams explain: as many as
    /// the host's kernel threw away, and as came when their link had drained, are missing in the accounts, and no other.
    mutating func settle(strangers: Int, corrupted: Int, drops: Int) {
        let strays = strangers - corrupted
        guard drops > 0 || strays > 0, shortfall == drops + strays else {
            compare("of nobody", host: strangers, truth: corrupted)
            compare("dropped by the host's kernel", host: drops, truth: 0)
            return
        }
        lines.append(Line(counter: "of nobody", host: strangers, truth: corrupted + strays, differing: 0, unknown: 0))
        lines.append(Line(counter: "dropped by the host's kernel", host: drops, truth: drops, differing: 0, unknown: 0))
        let count = following.count
        differences.removeAll(where: following.contains)
        let what = "\(plural(shortfall, "datagram")) passed on to the host, and in no controller's account"
        let why = "its kernel threw \(drops) away unread, and \(strays) came when their link had drained"
        explained.append("\(what): \(why). \(plural(count, "counter")) of difference come of that alone.")
    }

    /// Compares a figure of the whole room.
    mutating func compare(_ name: String, host: Int, truth: Int) {
        lines.append(Line(counter: name, host: host, truth: truth, differing: host == truth ? 0 : 1, unknown: 0))
        if host != truth { differences.append("\(name): \(host), in truth \(truth)") }
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
            differences.append("\(name): was told of \(plural(account.said, "datagram")), in truth \(account.allowed)")
        }
        lines = [Line(counter: "unique, as told", host: said, truth: truth, differing: differing, unknown: unknown)]
    }
}
