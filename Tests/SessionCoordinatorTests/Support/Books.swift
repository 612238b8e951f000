import SessionCoordinator

/// The comparison of what a host reports with the truth: every counter by name, equal exactly.
enum Books {
    /// Every counter of a peer's report that counts what arrived.
    static var counters: [(name: String, path: WritableKeyPath<PeerReport, UInt64>)] {
        [
            ("link epochs", \.datagrams.epochs), ("unique", \.datagrams.unique),
            ("duplicate", \.datagrams.duplicate), ("tooOld", \.datagrams.tooOld),
            ("reordered", \.datagrams.reordered), ("missing", \.datagrams.missing),
            ("tailMissing", \.datagrams.tailMissing), ("bytes", \.datagrams.bytes),
            ("unreadable", \.datagrams.unreadable), ("rateLimited", \.datagrams.rateLimited),
            ("path changes", \.pathChanges),
            ("stream epochs", \.samples.epochs), ("delivered", \.samples.delivered), ("late", \.samples.late),
            ("abandoned", \.samples.abandoned), ("samples missing", \.samples.missing),
            ("redundant", \.samples.redundant),
        ]
    }

    static var strangers: [(name: String, path: WritableKeyPath<StrangerCounts, UInt64>)] {
        [("badAuth", \.badAuth), ("unknown", \.unknown), ("malformed", \.malformed)]
    }

    /// What differs, in words; empty when the books are right.
    static func differences(_ report: PeerReport, _ truth: [UInt64]?) -> [String] {
        guard let truth else { return ["\(report.name) has no books in the truth"] }
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
}
