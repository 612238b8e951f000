import Roomful

/// The phones' own counts beside the host's books.
struct Account {
    let appended: Int
    /// What the phones sent: about one a sample, and fewer where they were late and put several into one.
    let datagrams: Int
    /// Phones whose books are the room's, of whose samples none was given up.
    let exact: Int
    let summary: String
    /// Samples that never arrived within the 10 s for which a phone holds them: the host could not follow.
    let abandoned: Int
    /// Milliseconds, the 99th percentile of the phone whose datagrams waited longest.
    let worstQueueing: Double?
    /// Every line in which they differ; none is what we want.
    let differences: [String]

    init(_ phones: [PhoneBooks], _ peers: [PeerStatus]) {
        let byController = Dictionary(peers.map { ($0.controller, $0) }, uniquingKeysWith: { first, _ in first })
        var differences: [String] = []
        for phone in phones.sorted(by: { $0.controller < $1.controller }) {
            guard let peer = byController[phone.controller] else {
                differences.append("\(phone.controller) is not in the room's books")
                continue
            }
            func compare(_ what: String, _ host: Int?, _ truth: Int) {
                if host != truth {
                    differences.append(
                        "\(peer.name): \(what) \(host.map(String.init) ?? "unknown"), and it was \(truth)")
                }
            }
            compare("samples expected", peer.samples.expected, phone.samples)
            let samples = peer.samples
            compare("samples booked", samples.delivered + samples.late + samples.abandoned, phone.samples)
            compare("samples missing", samples.missing, 0)
            // What a phone could not hold any longer may have arrived all the same; never the other way round.
            if samples.abandoned > phone.abandoned {
                differences.append("\(peer.name): \(samples.abandoned) abandoned, and it was \(phone.abandoned)")
            }
            if peer.transport != "wss" { differences.append("\(peer.name): came by \(peer.transport), not wss") }
        }
        appended = phones.reduce(0) { $0 + $1.samples }
        datagrams = phones.reduce(0) { $0 + $1.datagrams }
        abandoned = peers.reduce(0) { $0 + $1.samples.abandoned }
        self.differences = differences
        let delivered = peers.reduce(0) { $0 + $1.samples.delivered }
        let late = peers.reduce(0) { $0 + $1.samples.late }
        worstQueueing = peers.compactMap(\.queueing).map(\.p99Ms).max()
        let worst = worstQueueing.map {
            "; queueing delay p99 \(Int($0.rounded(.up))) ms at the worst phone"
        }
        let wrong = Set(differences.map { $0.prefix { $0 != ":" } }).count
        exact = abandoned == 0 ? phones.count - wrong : 0
        summary =
            "books: \(delivered) samples delivered and \(late) late, of \(appended); "
            + "\(phones.count - wrong) of \(phones.count) phones exact"
            + (worst ?? "")
            + "\n  \(datagrams) datagrams sent, "
            + "\(peers.reduce(0) { $0 + $1.datagrams.authenticated }) arrived by then, heartbeats after it included"
    }
}
