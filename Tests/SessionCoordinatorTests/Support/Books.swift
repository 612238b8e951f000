import RoomSimulation
import SessionCoordinator

/// The comparison of what a host reports with the truth: every counter by name, equal exactly.
enum Books {
    /// Every counter of a peer's report that counts what arrived.
    static var counters: [(name: String, path: WritableKeyPath<PeerReport, UInt64>)] {
        PeerReport.counters
    }

    static var strangers: [(name: String, path: WritableKeyPath<StrangerCounts, UInt64>)] {
        [("badAuth", \.badAuth), ("unknown", \.unknown), ("malformed", \.malformed)]
    }

    /// What differs, in words; empty when the books are right.
    static func differences(_ report: PeerReport, _ truth: [UInt64]?) -> [String] {
        guard let truth else {
            // A seat whose answer went to a connection that the controller had given up: nobody was ever heard there.
            let isUnheard = report.datagrams.authenticated == 0 && report.samples.expected == 0
            return isUnheard ? [] : ["\(report.name) has no books in the truth"]
        }
        return zip(counters, truth).compactMap { counter, expected in
            let found = report[keyPath: counter.path]
            return found == expected ? nil : "\(report.name) \(counter.name): \(found), in truth \(expected)"
        }
    }

    static func differences(_ found: StrangerCounts, _ truth: StrangerCounts) -> [String] {
        strangers.compactMap { counter in
            let (found, expected) = (found[keyPath: counter.path], truth[keyPath: counter.path])
            return found == expected ? nil : "\(counter.name): \(found), in truth \(expected)"
        }
    }

    /// Everything in which a host's books, or the order of what it handed on, differ from the truth.
    static func differences(_ host: HostedRoom, _ truth: Truth) -> [String] {
        var all = differences(host.coordinator.strangers, truth.strangers)
        let present = host.coordinator.reports(now: host.now)
        for report in present {
            let unheard = report.connection == nil ? blank : nil
            all += differences(report, truth.peers[report.peer]?.counts ?? unheard)
            if !report.epoch.isBalanced { all.append("\(report.name): the datagram ledger's law is broken") }
        }
        for (report, books) in zip(host.departed, truth.departed) { all += differences(report, books) }
        if host.departed.count != truth.departed.count { all.append("not everyone who left was reported") }
        if host.sink.taken != truth.taken { all.append("samples reached the merge in another order, or others did") }
        let strangers = host.coordinator.strangers
        let booked = (present + host.departed).reduce(strangers.badAuth + strangers.unknown + strangers.malformed) {
            $0 + $1.datagrams.authenticated
        }
        if booked != truth.arrivals { all.append("\(truth.arrivals) datagrams arrived, \(booked) are booked") }
        return all
    }

    /// The books of a seat that was kept over a restart and whose controller has not come back.
    private static var blank: [UInt64] { counters.map { _ in 0 } }
}
