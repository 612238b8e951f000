import Foundation
import WireProtocol

/// How controllers' clocks went.
extension EveningReport {
    var clocks: String {
        let figures = survey.order.compactMap { id -> String? in
            guard let controller = survey.controllers[id] else { return nil }
            let looks = controller.links.compactMap { link in
                link.offset.flatMap { offset in link.uncertainty.map { Look(at: link.at, offset: offset, sure: $0) } }
            }
            let (known, cuts) = Self.longestSteady(looks)
            guard known.count > 2, let first = known.first, let last = known.last, last.at > first.at else {
                return nil
            }
            // Less the straight line between its ends: what is left is what a clock does beyond its rate.
            let rate = (last.offset - first.offset) / (last.at - first.at)
            let rest = known.map {
                (x: $0.at, y: $0.offset - first.offset - rate * ($0.at - first.at), sure: min($0.sure, 1e4))
            }
            let most = rest.map { abs($0.y) + $0.sure }.max() ?? 1
            var figure = Figure(
                "clock of \(label(controller))", x: span, "s since the room opened", y: -most...most, "ms")
            figure.height = 120
            figure.band(rest.map { ($0.x, $0.y - $0.sure, $0.y + $0.sure) }, class: "area")
            figure.line(rest.map { ($0.x, $0.y) }, class: "line")
            let sure = (first.sure + last.sure) / (last.at - first.at)
            let caption =
                "\(escapedForXML(controller.name)): \(Self.clockRate(rate * 1e3, sure: sure * 1e3)); "
                + "the band is ± the uncertainty"
                + Self.stretch(from: first.at, to: last.at, cuts: cuts)
            return "<figure>\(figure.svg())<figcaption>\(caption)</figcaption></figure>"
        }
        return "<h2>Clocks</h2><p>How far each controller's clock strays from a straight line against the host's.</p>"
            + (figures.isEmpty ? "<p>No clock was measured twice.</p>" : figures.joined())
    }

    /// What was known of a clock at one moment: s, and ms ± ms.
    struct Look: Hashable {
        var at: Double
        var offset: Double
        var sure: Double
    }

    /// The longest stretch in which no look contradicts the one before, and how many do: what is more than both leave open,
    /// and 600 ppm, no clock does by itself. It was set, or is another program's.
    static func longestSteady(_ looks: [Look]) -> (looks: ArraySlice<Look>, cuts: Int) {
        var longest = looks.prefix(1)
        var (first, cuts) = (0, 0)
        for (place, look) in looks.enumerated().dropFirst() {
            let before = looks[place - 1]
            let open = before.sure + look.sure + 0.6 * (look.at - before.at)
            if abs(look.offset - before.offset) > open { (first, cuts) = (place, cuts + 1) }
            let length = longest[longest.endIndex - 1].at - longest[longest.startIndex].at
            if look.at - looks[first].at > length { longest = looks[first...place] }
        }
        return (longest, cuts)
    }

    private static func stretch(from: Double, to: Double, cuts: Int) -> String {
        guard cuts > 0 else { return "" }
        return String(format: "; from %.0f to %.0f s, the longest stretch of one clock: ", from, to)
            + "it was set, or another began, \(cuts == 1 ? "once" : "\(cuts) times")"
    }

    /// Both in ppm: the line through two offsets is known as well as these are, over the time between them.
    static func clockRate(_ rate: Double, sure: Double) -> String {
        guard abs(rate) >= sure else { return "how fast the host's clock runs against it was not to be told" }
        return "the host's clock runs " + String(format: "%+.1f ± %.1f ppm", rate, sure) + " against it"
    }
}

extension ClockMapping {
    /// How much faster the host's clock runs, in ppm; `nil` where that is not to be told, by the rule of a report.
    var rateInMillionths: Double? {
        guard state != .none, abs(rateOffset) >= uncertaintyGrowth else { return nil }
        // Adding 0 makes 0 of -0.
        return rateOffset * 1e6 + 0
    }

    /// How far the host's clock is ahead of the device's at this moment, in s: its line, carried on from its anchor.
    func offset(at now: HostTime) -> Double {
        Double(hostAnchor.nanoseconds.saturatingSubtract(deviceAnchor.nanoseconds)) / 1e9
            + rateOffset * ((now - hostAnchor) / .seconds(1))
    }
}
