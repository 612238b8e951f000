import Foundation
import RoomRecords

/// The first moves of a contest on one time axis, each ± how sure it is: where they overlap lies the tie.
struct PhotoFinish {
    let verdict: EventRecord.Verdict

    init(_ verdict: EventRecord.Verdict) { self.verdict = verdict }

    func svg(standsAlone: Bool = false) -> String {
        let moved = verdict.evidence.filter { $0.at != nil }.sorted {
            ($0.rank ?? .max, $0.at ?? 0) < ($1.rank ?? .max, $1.at ?? 0)
        }
        let first = moved.compactMap(\.at).min() ?? verdict.at
        func span(_ evidence: EventRecord.Verdict.Evidence) -> ClosedRange<Double> {
            let (at, sure) = ((evidence.at ?? first) - first, max(0, evidence.uncertainty ?? 0))
            return at - sure...at + sure
        }
        let spans = moved.map(span)
        let low = spans.map(\.lowerBound).min() ?? 0
        let high = spans.map(\.upperBound).max() ?? 1
        let margin = max(1, (high - low) * 0.08)
        let count = Double(max(1, moved.count))
        var figure = Figure(
            "photo finish of \(verdict.id)", x: (low - margin)...(high + margin), "ms after the first move",
            y: 0...count, "")
        figure.height = 60 + 28 * count
        // Shaded from the first one's earliest to its latest: whoever reaches into it may have been first.
        if let leader = spans.min(by: { $0.upperBound < $1.upperBound }),
            verdict.order.first.map({ $0.count > 1 }) == true
        {
            figure.interval(
                leader, at: count / 2, height: figure.height - 44, class: "tie", title: "nobody can say who was first")
        }
        for (place, (evidence, range)) in zip(moved, spans).enumerated() {
            let row = count - Double(place) - 0.5
            figure.name((evidence.rank.map { "\($0). " } ?? "") + "P\(evidence.player)", atRow: row)
            let title =
                "P\(evidence.player): "
                + String(format: "%.1f ± %.1f ms", (evidence.at ?? first) - first, evidence.uncertainty ?? 0)
            figure.interval(range, at: row, height: 14, class: "box", title: title)
            figure.upright(
                at: (evidence.at ?? first) - first, class: "tick", title: title, from: row - 0.3, to: row + 0.3)
        }
        return figure.svg(showsFigures: false, standsAlone: standsAlone)
    }
}
