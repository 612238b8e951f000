import Foundation
import WireProtocol

/// A figure of a report: axes with units, and whatever is drawn between them, as SVG that follows the page's colours.
struct Figure {
    let label: String
    let x: ClosedRange<Double>
    let y: ClosedRange<Double>
    let xUnit: String
    let yUnit: String
    var height = 170.0
    private var body = ""

    private static let width = 860.0
    private static let left = 64.0
    private static let bottom = 34.0
    private static let top = 10.0

    init(_ label: String, x: ClosedRange<Double>, _ xUnit: String, y: ClosedRange<Double>, _ yUnit: String) {
        self.label = label
        self.x = x.upperBound > x.lowerBound ? x : x.lowerBound...(x.lowerBound + 1)
        self.y = y.upperBound > y.lowerBound ? y : y.lowerBound...(y.lowerBound + 1)
        self.xUnit = xUnit
        self.yUnit = yUnit
    }

    func px(_ value: Double) -> Double {
        Self.left + (min(max(value, x.lowerBound), x.upperBound) - x.lowerBound) / (x.upperBound - x.lowerBound)
            * (Self.width - Self.left - 12)
    }

    func py(_ value: Double) -> Double {
        let share = (min(max(value, y.lowerBound), y.upperBound) - y.lowerBound) / (y.upperBound - y.lowerBound)
        return height - Self.bottom - share * (height - Self.bottom - Self.top)
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    mutating func band(_ points: [(x: Double, low: Double, high: Double)], class name: String) {
        guard points.count > 1 else { return }
        let up = points.map { "\(Self.number(px($0.x))),\(Self.number(py($0.high)))" }
        let down = points.reversed().map { "\(Self.number(px($0.x))),\(Self.number(py($0.low)))" }
        body += "<polygon class=\"\(name)\" points=\"\((up + down).joined(separator: " "))\"/>"
    }

    mutating func line(_ points: [(x: Double, y: Double)], class name: String) {
        guard !points.isEmpty else { return }
        let all = points.map { "\(Self.number(px($0.x))),\(Self.number(py($0.y)))" }
        body += "<polyline class=\"\(name)\" points=\"\(all.joined(separator: " "))\"/>"
    }

    mutating func interval(
        _ range: ClosedRange<Double>, at row: Double, height: Double, class name: String, title: String
    ) {
        let start = px(range.lowerBound)
        body +=
            "<rect class=\"\(name)\" x=\"\(Self.number(start))\" y=\"\(Self.number(py(row) - height / 2))\" "
            + "width=\"\(Self.number(max(2, px(range.upperBound) - start)))\" height=\"\(Self.number(height))\">"
            + "<title>\(escapedForXML(title))</title></rect>"
    }

    mutating func upright(
        at value: Double, class name: String, title: String, from low: Double? = nil, to high: Double? = nil
    ) {
        let (bottom, top) = (py(low ?? y.lowerBound), py(high ?? y.upperBound))
        body +=
            "<line class=\"\(name)\" x1=\"\(Self.number(px(value)))\" x2=\"\(Self.number(px(value)))\" "
            + "y1=\"\(Self.number(bottom))\" y2=\"\(Self.number(top))\"><title>\(escapedForXML(title))</title></line>"
    }

    /// Words inside a box that begins there.
    mutating func words(_ text: String, atX value: Double, y row: Double) {
        body +=
            "<text class=\"inside\" x=\"\(Self.number(px(value) + 6))\" y=\"\(Self.number(py(row) + 4))\">"
            + "\(escapedForXML(text))</text>"
    }

    /// A row's name, left of the axis.
    mutating func name(_ text: String, atRow row: Double) {
        body +=
            "<text x=\"\(Self.left - 6)\" y=\"\(Self.number(py(row) + 4))\" text-anchor=\"end\">\(escapedForXML(text))</text>"
    }

    /// - Parameter showsRows: whether the y axis has figures; else rows have names.
    func svg(showsFigures: Bool = true, standsAlone: Bool = false) -> String {
        var axes = ""
        for tick in Self.ticks(x) {
            axes +=
                "<line class=\"grid\" x1=\"\(Self.number(px(tick)))\" x2=\"\(Self.number(px(tick)))\" y1=\"\(Self.top)\" y2=\"\(height - Self.bottom)\"/>"
                + "<text x=\"\(Self.number(px(tick)))\" y=\"\(height - Self.bottom + 14)\" text-anchor=\"middle\">\(Self.text(tick))</text>"
        }
        if showsFigures {
            for tick in Self.ticks(y, most: 4) {
                axes +=
                    "<line class=\"grid\" x1=\"\(Self.left)\" x2=\"\(Self.width - 12)\" y1=\"\(Self.number(py(tick)))\" y2=\"\(Self.number(py(tick)))\"/>"
                    + "<text x=\"\(Self.left - 6)\" y=\"\(Self.number(py(tick) + 4))\" text-anchor=\"end\">\(Self.text(tick))</text>"
            }
        }
        axes +=
            "<text x=\"\(Self.width - 12)\" y=\"\(height - 4)\" text-anchor=\"end\">\(escapedForXML(xUnit))</text>"
            + "<text x=\"4\" y=\"\(Self.top + 8)\">\(escapedForXML(yUnit))</text>"
        let style = standsAlone ? "<style>\(Markup.figureStyle)</style>" : ""
        let size = "\(Int(Self.width)) \(Int(height))"
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\" role=\"img\" "
            + "aria-label=\"\(escapedForXML(label))\"><title>\(escapedForXML(label))</title>\(style)\(axes)\(body)</svg>"
    }

    private static func text(_ value: Double) -> String {
        // Zero has no sign here.
        if value == value.rounded() { return String(format: "%.0f", value == 0 ? 0 : value) }
        return String(format: "%g", (value * 1_000).rounded() / 1_000)
    }

    /// Round figures inside the range.
    private static func ticks(_ range: ClosedRange<Double>, most: Int = 9) -> [Double] {
        let rough = (range.upperBound - range.lowerBound) / Double(most)
        guard rough > 0, rough.isFinite else { return [] }
        let power = pow(10, floor(log10(rough)))
        func ticks(_ step: Double) -> [Double] {
            let (first, last) = (
                (range.lowerBound / step).rounded(.up), (range.upperBound / step + 1e-9).rounded(.down)
            )
            return last - first <= Double(most) ? stride(from: first, through: last, by: 1).map { $0 * step } : []
        }
        // The finest that is not too fine.
        return [0.5, 1, 2, 5, 10].lazy.map { ticks($0 * power) }.first { !$0.isEmpty } ?? []
    }
}

/// How figures look.
enum Markup {
    static let figureStyle = """
        svg{--ink:#1c2733;--soft:#5b6875;--rule:#d8dee5;--a:#1f6feb;--b:#c2410c;--fill:#1f6feb33;--tie:#c2410c44;--paper:#fff}
        @media (prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9aa7b4;--rule:#30363d;--a:#79b8ff;--b:#ffa657;--fill:#79b8ff33;--tie:#ffa65744;--paper:#0d1117}}
        @media print{svg{--ink:#000;--soft:#333;--rule:#bbb;--a:#003f8a;--b:#8a2b00;--fill:#003f8a22;--tie:#8a2b0033;--paper:#fff}}
        svg{background:var(--paper)}svg text{font:12px system-ui,sans-serif;fill:var(--soft)}
        .grid{stroke:var(--rule);stroke-width:1}.line{fill:none;stroke:var(--a);stroke-width:1.5}
        .area{fill:var(--fill);stroke:var(--a);stroke-width:.7}
        .box{fill:var(--fill);stroke:var(--a);stroke-width:1.5}.tie{fill:var(--tie);stroke:none}
        svg text.inside{fill:var(--ink)}.tick{stroke:var(--b);stroke-width:1.5}.mark{stroke:var(--b);stroke-width:1;stroke-dasharray:4 3}
        """
}
