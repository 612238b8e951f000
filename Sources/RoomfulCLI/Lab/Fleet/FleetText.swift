import Foundation
import Roomful

/// A fleet's report for people.
struct FleetText {
    let report: FleetReport
    private static let mostDifferences = 20

    var text: String { (books + [""] + answer).joined(separator: "\n") }

    /// The table of counters, then each difference.
    private var books: [String] {
        var table = Table(["COUNTER", ">HOST SAYS", ">TRUTH", ">DIFFERENCE", ""])
        for line in report.comparison.lines {
            let note = line.differing > 0 ? "differs for \(line.differing)" : ""
            let unknown = line.unknown > 0 ? "no witness for \(line.unknown)" : ""
            table.add([
                line.counter, "\(line.host)", "\(line.truth)", "\(line.host - line.truth)",
                [note, unknown].filter { !$0.isEmpty }.joined(separator: ", "),
            ])
        }
        var lines = [table.text]
        let differences = report.comparison.differences
        lines += differences.prefix(Self.mostDifferences).map { "  \($0)" }
        if differences.count > Self.mostDifferences {
            lines.append("  and \(differences.count - Self.mostDifferences) more")
        }
        if report.comparison.returned > 0 {
            lines.append("\(plural(report.comparison.returned, "controller")) lost the link and came back to the seat")
        }
        lines += report.silences.map(FleetSilences.line)
        let hasWitnesses = report.comparison.lines.allSatisfy { $0.unknown == 0 }
        let extent = hasWitnesses ? "in every line" : "in every line, where there is a witness"
        lines.append(
            !report.hasBooks
                ? "The room runs on another machine: its own books cannot be read here. Compared is what it told each controller."
                : !report.comparison.explained.isEmpty && differences.isEmpty
                    ? "The host's books equal the truth but for the following, which is accounted for:"
                    : differences.isEmpty
                        ? "The host's books equal the truth \(extent), for \(plural(report.comparison.controllers, "controller"))."
                        : "THE HOST'S BOOKS DIFFER FROM THE TRUTH in \(plural(differences.count, "place")).")
        return lines + report.comparison.explained + report.troubles
    }

    /// Will my room hold?
    private var answer: [String] {
        let (plan, samples, delays) = (report.plan, report.samples, report.delays)
        var lines = [
            (report.hasHeld ? "Your room held" : "YOUR ROOM DID NOT HOLD")
                + ": \(plural(plan.controllers, "controller")) at \(number(plan.rate)) Hz for "
                + "\(number(plan.seconds)) s, network \"\(plan.network)\"."
        ]
        let fates = [
            samples.delivered.map { "\($0) delivered" }, samples.late.map { "\($0) too late for gestures" },
            samples.missing.map { "\($0) missing" }, samples.abandoned.map { "\($0) abandoned" },
            samples.unheard.map { "\($0) never heard of" },
            samples.refused > 0 ? "\(samples.refused) refused without a seat" : nil,
            samples.crowdedOut > 0 ? "\(samples.crowdedOut) crowded out" : nil, "\(samples.unconfirmed) not confirmed",
        ].compactMap(\.self)
        lines.append("  samples   \(samples.made) made: \(fates.joined(separator: ", "))")
        lines.append(
            "  datagrams \(report.relay.taken) sent, \(report.relay.lost) lost on the way "
                + "(\(Figures.percent(Double(report.relay.lost) / Double(max(1, report.relay.taken))))), "
                + "\(report.relay.doubled) doubled")
        lines.append(
            "  joining   \(figures(report.joining)); all within \(Figures.milliseconds(report.joinedWithinMs))")
        lines.append("  delay     sample to room \(figures(delays.age)); added by losses \(figures(delays.added))")
        if let median = delays.hostMedianMs {
            lines.append(
                "            the host measured one way p50 \(Figures.milliseconds(median)), worst p99 "
                    + Figures.milliseconds(delays.hostWorstP99Ms))
        }
        lines.append("  fleet     samples made late by \(figures(delays.lateness)) (its own doing)")
        return lines + host
    }

    /// The host's process: shares of processors, memory over time, descriptors.
    private var host: [String] {
        guard let first = report.host.first, let last = report.host.last, last.at > first.at else { return [] }
        let memory = report.host.enumerated().filter { place, _ in
            place % max(1, report.host.count / 10) == 0 || place == report.host.count - 1
        }
        let path = memory.map { String(format: "%.0f s %.1f", $0.element.at, mebibytes($0.element)) }
        let descriptors = [first, last].map { $0.descriptors.map(String.init) ?? "?" }
        let most = report.host.compactMap(\.descriptors).max().map(String.init) ?? "?"
        return [
            "  host      \(Figures.percent((last.cpu - first.cpu) / (last.at - first.at))) of a processor, \(last.threads) "
                + "threads; descriptors \(descriptors[0]) before, \(most) at most, \(descriptors[1]) after",
            "            resident MiB: \(path.joined(separator: ", "))",
        ]
    }

    private func mebibytes(_ figure: ProcessFigures) -> Double { Double(figure.resident) / 1_048_576 }

    private func number(_ value: Double) -> String { String(format: "%g", value) }

    private func figures(_ percentiles: PeerStatus.Percentiles?) -> String {
        percentiles.map {
            "p50 \(Figures.milliseconds($0.p50Ms)), p99 \(Figures.milliseconds($0.p99Ms)), "
                + "max \(Figures.milliseconds($0.maxMs))"
        } ?? "not known"
    }
}
