import Foundation
import RecordingExports
import Roomful

/// The paper's table of latencies, beside ours.
enum LatencyTable {
    static func text(_ peers: [PeerLatency]) -> String {
        guard !peers.isEmpty else { return "nobody is here" }
        var table = Table(["PLAYER", "NAME", "MEASURE", ">MEAN", ">P95", ">MAX", ">MIN", ">ST. DEV.", ">N"])
        for peer in peers {
            guard let paper = peer.paper else {
                table.add(["P\(peer.player)", peer.name, "no frame yet", "-", "-", "-", "-", "-", "0"])
                continue
            }
            table.add(
                ["P\(peer.player)", peer.name, "relative to the median (the paper's method)"]
                    + [paper.meanMs, paper.p95Ms, paper.maximumMs, paper.minimumMs, paper.standardDeviationMs].map(
                        signed)
                    + ["\(paper.frames - paper.outliers)"])
            if let median = peer.medianOneWayMs {
                let shifted = [paper.meanMs, paper.p95Ms, paper.maximumMs, paper.minimumMs].map {
                    signed($0 + median)
                }
                let error = peer.medianOneWayUncertaintyMs.map { " ± \(Figures.milliseconds($0))" } ?? ""
                table.add(
                    ["", "", "the same, on these frames' median one-way delay\(error)"] + shifted
                        + [signed(paper.standardDeviationMs), "\(paper.frames - paper.outliers)"])
            }
        }
        table.add([
            "", "", "the paper's own, as published (an iPhone over Wi-Fi)", "70.4", "73.2", "82.2", "52.2", "3.7",
            "1000",
        ])
        return table.text + "\n" + ours(peers)
            + "\nAll in ms, of at most the last 1,000 frames; frames beyond 3 standard deviations are taken out of the paper's rows."
            + "\nA simulated network, or loopback, is no radio: compare only what crossed the same air."
    }

    private static func ours(_ peers: [PeerLatency]) -> String {
        var table = Table(["PLAYER", "NAME", "OURS, SINCE IT JOINED", ">P50", ">P95", ">P99", ">MAX", ">N"])
        for peer in peers {
            let error = peer.delayUncertaintyMs.map { " ± \(Figures.milliseconds($0))" } ?? ""
            for (measure, figures) in [("one way\(error)", peer.delay), ("queueing, above the least", peer.queueing)] {
                guard let figures else { continue }
                table.add(
                    ["P\(peer.player)", peer.name, measure]
                        + [figures.p50Ms, figures.p95Ms, figures.p99Ms, figures.maxMs].map(signed) + ["\(figures.n)"])
            }
        }
        return "\n" + table.text
    }

    /// One line a frame, oldest first: when it was sent by the device's clock, when it arrived by the host's, and what lies
    /// between, which is empty while it is not known how the two stand to one another.
    static func csv(_ peers: [PeerLatency]) -> String {
        var lines = ["player,name,sent_ns,arrived_ns,transit_ns"]
        for peer in peers {
            let name = csvText(peer.name)
            for frame in peer.frames {
                let transit = peer.transit(of: frame).map { "\($0)" } ?? ""
                lines.append("\(peer.player),\(name),\(frame.sentAtNs),\(frame.arrivedAtNs),\(transit)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func signed(_ value: Double) -> String { String(format: "%.2f", value) }
}
