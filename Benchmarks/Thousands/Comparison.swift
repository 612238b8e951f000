import OperatorFront
import Roomful

/// The pads' own counts beside the room's books.
struct Comparison {
    /// Every line in which they differ; none is what is wanted.
    private(set) var differences: [String] = []
    /// Of all pads, as the room has them: delivered and late.
    private(set) var samples = 0

    init(_ pads: [PadBooks], _ peers: [PeerStatus]) {
        let books = Dictionary(peers.map { ($0.controller, $0) }, uniquingKeysWith: { first, _ in first })
        for pad in pads {
            guard let peer = books[pad.controller] else {
                differences.append("\(pad.controller) is not in the room's books")
                continue
            }
            samples += peer.samples.delivered + peer.samples.late
            compare(peer, "datagrams", peer.datagrams.authenticated, pad.datagrams)
            compare(peer, "samples expected", peer.samples.expected, pad.samples)
            compare(peer, "samples delivered and late", peer.samples.delivered + peer.samples.late, pad.samples)
        }
    }

    private mutating func compare(_ peer: PeerStatus, _ what: String, _ host: Int?, _ truth: Int) {
        guard host != truth else { return }
        differences.append("\(peer.name): \(what) \(host.map(String.init) ?? "unknown"), and it was \(truth)")
    }
}
