/// What many evenings came to, in lines for people.
package struct SiteSummary: Sendable {
    package private(set) var evenings = 0
    package private(set) var broken = 0
    package private(set) var simulated: Duration = .zero
    package private(set) var counts: [String: Int] = [:]
    private var takeovers: [Duration] = []
    private var handovers: [Duration] = []

    package init() {}

    package mutating func add(_ report: SiteReport) {
        evenings += 1
        if !report.violations.isEmpty { broken += 1 }
        simulated += report.duration
        for (what, count) in report.counts.sorted(by: { $0.key < $1.key }) { counts[what, default: 0] += count }
        takeovers += report.takeovers
        handovers += report.handovers
    }

    /// Counts by name, then distributions, then how many evenings broke a law.
    package var lines: [String] {
        counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" } + [
            "takeover, from the owner's fall to its successor's first act: \(Self.distribution(takeovers))",
            "handover, from the old owner's last act to the new one's first: \(Self.distribution(handovers))",
            "\(evenings) evenings, \(Self.tenths(simulated / .seconds(3_600))) h by true time: \(broken) broke a law",
        ]
    }

    /// Median, 99th percentile and largest, with units.
    private static func distribution(_ durations: [Duration]) -> String {
        guard !durations.isEmpty else { return "none" }
        let sorted = durations.sorted()
        func quantile(_ share: Double) -> String {
            let place = min(sorted.count - 1, Int(Double(sorted.count) * share))
            return "\(tenths(sorted[place] / .milliseconds(1))) ms"
        }
        return "p50 \(quantile(0.5)), p99 \(quantile(0.99)), max \(quantile(1)) of \(sorted.count)"
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
