import Roomful

/// Peers as tables.
enum PeerTables {
    /// The table of `roomful peers`.
    static func overview(_ peers: [PeerStatus]) -> String {
        guard !peers.isEmpty else { return "nobody is here" }
        var table = Table([
            "PLAYER", "NAME", ">SEAT", "STATE", "LINK", "ADDRESS", ">ARRIVED", ">MISSING", ">DUP", ">REORD", ">SAMPLES",
            ">MISSING", ">LATE", ">JITTER", ">RTT", "CLOCK", ">HEARD",
        ])
        for peer in peers {
            table.add([
                "P\(peer.player)", peer.name, "\(peer.seat)", peer.state, peer.link, peer.address ?? "-",
                "\(peer.datagrams.authenticated)", Figures.count(peer.datagrams.missing),
                "\(peer.datagrams.duplicate)", "\(peer.datagrams.reordered)", "\(peer.samples.delivered)",
                Figures.count(peer.samples.missing),
                "\(peer.samples.late)", Figures.milliseconds(peer.jitterMs), Figures.milliseconds(peer.roundTripMs),
                Figures.clock(peer.clock), Figures.ago(peer.lastHeardMs),
            ])
        }
        return table.text
    }

    /// The closing table: what was sent and what became of it, and whether it adds up.
    static func closing(_ peers: [PeerStatus]) -> String {
        guard !peers.isEmpty else { return "nobody was here" }
        var table = Table([
            "PLAYER", "NAME", ">SENT", ">ARRIVED", ">UNIQUE", ">MISSING", ">DUPLICATE", ">REORDERED", ">SAMPLES",
            ">DELIVERED", ">LATE", ">LOST", ">JITTER", ">DELAY P50", ">P95",
        ])
        for peer in peers {
            let (datagrams, samples) = (peer.datagrams, peer.samples)
            table.add([
                "P\(peer.player)", peer.name, Figures.count(datagrams.sent ?? sum(datagrams.expected, datagrams.tailMissing)),
                "\(datagrams.authenticated)", "\(datagrams.unique)",
                Figures.count(sum(datagrams.missing, datagrams.tailMissing)), "\(datagrams.duplicate)",
                "\(datagrams.reordered)", Figures.count(samples.expected), "\(samples.delivered)", "\(samples.late)",
                Figures.count(sum(samples.missing, samples.abandoned)), Figures.milliseconds(peer.jitterMs),
                Figures.milliseconds(peer.delay?.p50Ms), Figures.milliseconds(peer.delay?.p95Ms),
            ])
        }
        let broken = peers.flatMap(brokenLaws)
        let verdict =
            broken.isEmpty
            ? "The books add up: sent = unique + missing, arrived = unique + duplicate + too old,"
                + " samples = delivered + late + abandoned + missing."
            : "THE BOOKS DO NOT ADD UP:\n" + broken.joined(separator: "\n")
        return table.text + "\n" + verdict
    }

    /// Unknown when either is.
    private static func sum(_ a: Int?, _ b: Int?) -> Int? { a.flatMap { a in b.map { a + $0 } } }

    /// Which laws a peer's account breaks, in words.
    static func brokenLaws(_ peer: PeerStatus) -> [String] {
        let (datagrams, samples) = (peer.datagrams, peer.samples)
        var broken: [String] = []
        func check(_ left: Int, _ right: Int, _ law: String) {
            if left != right { broken.append("\(peer.name): \(law) (\(left) ≠ \(right))") }
        }
        check(datagrams.authenticated, datagrams.unique + datagrams.duplicate + datagrams.tooOld,
            "arrived = unique + duplicate + too old")
        if let expected = datagrams.expected, let missing = datagrams.missing, let tail = datagrams.tailMissing {
            check(expected, datagrams.unique + missing, "expected = unique + missing")
            if let sent = datagrams.sent { check(sent, expected + tail, "sent = unique + missing") }
        }
        if let expected = samples.expected, let missing = samples.missing {
            check(expected, samples.delivered + samples.late + samples.abandoned + missing,
                "samples = delivered + late + abandoned + missing")
        }
        return broken
    }
}
