import FlightRecorder
import Foundation
import RoomEngine
import RoomRecords
import WireProtocol

/// One HTML file about an evening: for screen and paper, in light and dark, without anything from elsewhere.
package struct EveningReport {
    let survey: EveningSurvey

    package init(_ path: String) throws { survey = try EveningSurvey(path) }

    /// The page.
    package var html: String {
        let title = escapedForXML("\(survey.opening.room), \(date)")
        return """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1"><title>\(title)</title>
            <style>\(Self.style)\(Markup.figureStyle)</style></head><body><main>
            <h1>\(escapedForXML(survey.opening.room))</h1>\(head)\(session)\(motion)\(losses)\(lateness)\(queueing)\(clocks)\(haptics)\(contests)\(ledgers)
            </main></body></html>
            """
    }

    /// A verdict's photo finish as an SVG file; `nil` when there is none of that number. `V12`, `v12-jump` or `12`.
    package func photoFinish(_ word: String) -> String? {
        let plain = word.lowercased()
        let verdict = survey.verdicts.first { verdict in
            let id = verdict.id.lowercased()
            return id == plain || id.hasPrefix((plain.hasPrefix("v") ? plain : "v" + plain) + "-")
        }
        return verdict.map { PhotoFinish($0).svg(standsAlone: true) }
    }

    /// What verdicts there are.
    package var verdicts: [String] { survey.verdicts.map(\.id) }

    private var date: String {
        Date(timeIntervalSince1970: Double(survey.opening.wallClock / 1_000_000_000)).ISO8601Format()
    }
    var span: ClosedRange<Double> { 0...max(1, survey.seconds) }

    // MARK: Parts

    private var head: String {
        let samples = survey.controllers.values.reduce(0) { $0 + $1.samples }
        var rows = [
            ("opened", date), ("lasted", String(format: "%.1f s", survey.lasted)),
            ("controllers", "\(survey.order.count)"), ("samples", "\(samples)"), ("events", "\(survey.events)"),
            ("gestures", "\(survey.gestures.count)"), ("verdicts", "\(survey.verdicts.count)"),
            ("recorded by", "\(survey.opening.program), \(survey.opening.compiler), \(survey.opening.architecture)"),
        ]
        for key in ["description", "consent"] {
            if let value = survey.about.first(where: { $0.0 == key })?.1 { rows.append((key, value)) }
        }
        let table = rows.map { "<tr><th>\(escapedForXML($0.0))</th><td>\(escapedForXML($0.1))</td></tr>" }
        let problems = survey.problems.map { "<li>\(escapedForXML($0))</li>" }
        let warning = problems.isEmpty ? "" : "<h2>What is missing</h2><ul class=\"warn\">\(problems.joined())</ul>"
        return "<table class=\"facts\">\(table.joined())</table>\(warning)"
    }

    /// Rows of controllers from the top.
    private func row(_ place: Int) -> Double { Double(survey.order.count - place) - 0.5 }

    func label(_ controller: EveningSurvey.Controller) -> String { "P\(controller.player)" }

    private var session: String {
        let count = Double(max(1, survey.order.count))
        var figure = Figure("who played when", x: span, "s since the room opened", y: 0...count, "")
        figure.height = 60 + 24 * count
        for (place, id) in survey.order.enumerated() {
            guard let controller = survey.controllers[id] else { continue }
            figure.name(label(controller), atRow: row(place))
            for (from, to) in presence(controller) {
                figure.interval(from...max(from, to), at: row(place), height: 18, class: "box", title: controller.name)
            }
            if let first = presence(controller).first { figure.words(controller.name, atX: first.0, y: row(place)) }
        }
        for mark in survey.marks { figure.upright(at: mark.at, class: "mark", title: mark.text) }
        let marks = survey.marks.map { "<li>\(String(format: "%.1f s", $0.at)): \(escapedForXML($0.text))</li>" }
        return part("Who played when", figure.svg(showsFigures: false))
            + (marks.isEmpty ? "" : "<ul>\(marks.joined())</ul>")
    }

    /// Seconds in which the seat was heard.
    private func presence(_ controller: EveningSurvey.Controller) -> [(Double, Double)] {
        var spans: [(Double, Double)] = []
        for link in controller.links where link.seat == "active" {
            if let last = spans.last, link.at - last.1 < 2.5 {
                spans[spans.count - 1].1 = link.at
            } else {
                spans.append((max(0, link.at - 1), link.at))
            }
        }
        return spans
    }

    private var motion: String {
        let figures = survey.order.compactMap { id -> String? in
            guard let controller = survey.controllers[id], !controller.motion.isEmpty else { return nil }
            let envelope = envelope(controller)
            let top = controller.motion.values.map(\.upperBound).max() ?? 1
            var figure = Figure(
                "motion of \(label(controller))", x: span, "s since the room opened", y: 0...max(0.5, top), "g")
            figure.height = 130
            figure.band(envelope, class: "area")
            // By who made them: a player's number goes from hand to hand, and several may drive one player.
            let own = survey.gestures.filter { $0.controllers.contains(id.description) }
            for gesture in own {
                figure.upright(
                    at: gesture.at / 1e3, class: "tick",
                    title: "\(gesture.gesture) at " + String(format: "%.3f s", gesture.at / 1e3),
                    from: figure.y.upperBound * 0.85)
            }
            let caption =
                "\(escapedForXML(controller.name)) (\(label(controller)), \(controller.transport)): "
                + "\(plural(controller.samples, "sample")), \(plural(own.count, "gesture"))"
            return "<figure>\(figure.svg())<figcaption>\(caption)</figcaption></figure>"
        }
        return
            "<h2>Motion, and gestures</h2><p>User acceleration without gravity, least and greatest of each fifth of a second, or longer in a long evening; "
            + "each upright tick is a gesture.</p>" + figures.joined()
    }

    /// At most so many as the figure is wide.
    private func envelope(_ controller: EveningSurvey.Controller) -> [(x: Double, low: Double, high: Double)] {
        let fifths = controller.motion.keys.sorted()
        guard let first = fifths.first, let last = fifths.last else { return [] }
        let step = max(1, (last - first) / 780)
        var points: [(x: Double, low: Double, high: Double)] = []
        var place: Int?
        for fifth in fifths {
            guard let range = controller.motion[fifth] else { continue }
            let group = (fifth - first) / step
            if group == place {
                points[points.count - 1].low = min(points[points.count - 1].low, range.lowerBound)
                points[points.count - 1].high = max(points[points.count - 1].high, range.upperBound)
            } else {
                points.append(((Double(fifth) + Double(step) / 2) / 5, range.lowerBound, range.upperBound))
                place = group
            }
        }
        return points
    }

    private func curves(
        _ title: String, unit: String, note: String, _ value: (EveningSurvey.Link, EveningSurvey.Link) -> Double?
    ) -> String {
        let figures = survey.order.compactMap { id -> String? in
            guard let controller = survey.controllers[id], controller.links.count > 1 else { return nil }
            let points = zip(controller.links, controller.links.dropFirst()).compactMap { before, after in
                value(before, after).map { (x: after.at, y: $0) }
            }
            guard let top = points.map(\.y).max() else { return nil }
            let low = min(0, points.map(\.y).min() ?? 0)
            var figure = Figure(
                "\(title) of \(label(controller))", x: span, "s since the room opened", y: low...max(low + 1, top), unit
            )
            figure.height = 110
            figure.line(points, class: "line")
            return
                "<figure>\(figure.svg())<figcaption>\(escapedForXML(controller.name)) (\(label(controller)))</figcaption></figure>"
        }
        return "<h2>\(title)</h2><p>\(note)</p>" + (figures.isEmpty ? "<p>Nothing was counted.</p>" : figures.joined())
    }

    private var losses: String {
        curves(
            "Loss", unit: "%",
            note: "Datagrams that did not come, of those that were sent, in each second; only where they are numbered."
        ) {
            guard let before = $0.missing, let after = $1.missing else { return nil }
            let (lost, came) = (max(0, after - before), max(0, $1.unique - $0.unique))
            return lost + came > 0 ? lost / (lost + came) * 100 : 0
        }
    }

    private var lateness: String {
        let isLate = survey.controllers.values.contains { ($0.links.last?.late ?? 0) > 0 }
        guard isLate else { return "<h2>Late samples</h2><p>None came too late to count.</p>" }
        return curves("Late samples", unit: "a second", note: "Samples that came after their moment had been told.") {
            $1.at > $0.at ? max(0, $1.late - $0.late) / ($1.at - $0.at) : nil
        }
    }

    private var queueing: String {
        curves(
            "Delay above the least", unit: "ms",
            note: "How much longer the newest datagram was under way than the quickest of the last half minute."
        ) {
            $1.queueing
        }
    }

    /// Where, among so many in order, so many percent are reached: nearest rank, as everywhere in Roomful.
    static func place(of percent: Int, among count: Int) -> Int { max(0, (count * percent + 99) / 100 - 1) }

    private var haptics: String {
        guard !survey.haptics.isEmpty else { return "" }
        let played = survey.haptics.filter { $0.outcome == .played }
        func row(_ name: String, _ span: (EventRecord.Haptic.Latency) -> EventRecord.Haptic.Span?) -> String {
            let all = played.compactMap { $0.latency.flatMap(span)?.ms }.sorted()
            guard !all.isEmpty else { return "" }
            let text = [50, 95].map { String(format: "%.1f", all[Self.place(of: $0, among: all.count)]) }
            return "<tr><th>\(name)</th><td>\(all.count)</td><td>\(text[0])</td><td>\(text[1])</td></tr>"
        }
        let rows = [
            row("sensor", { $0.sensor }), row("network", { $0.network }), row("fusion", { $0.fusion }),
            row("command", { $0.command }), row("played", { $0.played }), row("total", { $0.total }),
        ]
        return """
            <h2>Haptics</h2><p>\(survey.haptics.count) commanded, \(played.count) played; from the movement to what is \
            felt of it.</p><table><tr><th>part</th><th>receipts</th><th>p50 ms</th><th>p95 ms</th></tr>\
            \(rows.joined())</table>
            """
    }

    private var contests: String {
        guard !survey.verdicts.isEmpty else { return "" }
        let figures = survey.verdicts.prefix(200).map { verdict in
            let winners = verdict.winners.isEmpty ? "nobody" : verdict.winners.map { "P\($0)" }.joined(separator: ", ")
            return "<figure>\(PhotoFinish(verdict).svg())<figcaption>\(escapedForXML(verdict.id)) at "
                + String(format: "%.3f s", verdict.at / 1e3)
                + ": \(winners); decided by \(escapedForXML(verdict.decidedBy))</figcaption></figure>"
        }
        return
            "<h2>Photo finishes</h2><p>When each player moved first, ± how sure that is; where intervals overlap nobody can say who was first.</p>"
            + figures.joined()
    }

    private var ledgers: String {
        let rows = survey.order.compactMap { id -> String? in
            guard let controller = survey.controllers[id], let last = controller.links.last else { return nil }
            let past = controller.past
            let missing = last.missing.map { String(format: "%.0f", past.missing + $0) } ?? "not counted"
            let delay =
                controller.oneWay.map { delay in
                    [delay.p50, delay.p95, delay.p99].map { String(format: "%.2f", Double($0) / 1e3) }.joined(
                        separator: ", ")
                } ?? "-"
            let sure = controller.oneWayUncertainty.map { String(format: "%.2f", Double($0) / 1e6) } ?? "-"
            return
                "<tr><th>\(label(controller))</th><td>\(escapedForXML(controller.name))</td><td>\(controller.transport)</td>"
                + "<td>\(Int(past.datagrams + last.unique))</td><td>\(missing)</td><td>\(controller.samples)</td>"
                + "<td>\(Int(past.late + last.late))</td>"
                + "<td>\(delay)</td><td>\(sure)</td></tr>"
        }
        return
            "<h2>Ledgers</h2><div class=\"wide\"><table><tr><th>player</th><th>name</th><th>way</th><th>datagrams</th>"
            + "<th>missing</th><th>samples</th><th>late</th>"
            + "<th>last stay's one way p50, p95, p99 ms</th><th>± ms</th></tr>\(rows.joined())</table></div>"
            + "<p>One way: from the sensor's sending to the host, by the controller's clock as the host knows it; "
            + "right to ± the last column. Both are of the last stay alone, the other figures of all.</p>"
    }

    private func part(_ title: String, _ figure: String) -> String { "<h2>\(title)</h2><figure>\(figure)</figure>" }

    private static let style = """
        :root{color-scheme:light dark;--paper:#fff;--ink:#1c2733;--soft:#5b6875;--rule:#d8dee5;--b:#c2410c}
        @media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#9aa7b4;--rule:#30363d;--b:#ffa657}}
        @media print{:root{--paper:#fff;--ink:#000;--soft:#333;--rule:#bbb}figure,tr{break-inside:avoid}h2{break-after:avoid}}
        body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
        main{max-width:900px;margin:0 auto;padding:24px 16px}h1{font-size:26px;margin:0 0 12px}h2{font-size:19px;margin:32px 0 8px}
        p,figcaption{color:var(--soft);margin:4px 0 10px}figure{margin:0 0 14px;overflow-x:auto}figure svg{min-width:560px}figcaption{position:sticky;left:0}.wide{overflow-x:auto}.wide table{white-space:nowrap}svg{width:100%;height:auto;display:block}
        table{border-collapse:collapse}th,td{text-align:left;padding:3px 14px 3px 0;border-bottom:1px solid var(--rule);font-variant-numeric:tabular-nums}
        th{font-weight:600}.warn{color:var(--b)}
        """
}
