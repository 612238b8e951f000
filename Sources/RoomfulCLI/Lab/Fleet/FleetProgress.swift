import ControllerSession
import Foundation
import Roomful
import WireProtocol

/// Says every second how a fleet stands.
struct FleetProgress {
    private let roster: FleetRoster
    private let watch: ProcessWatch?
    private let say: @Sendable (String) -> Void

    init(_ roster: FleetRoster, _ watch: ProcessWatch?, say: @escaping @Sendable (String) -> Void) {
        self.roster = roster
        self.watch = watch
        self.say = say
    }

    /// Until the task is cancelled.
    func follow() async {
        var confirmed = 0
        let begin = ContinuousClock.now
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let figures = await watch?.look()
            let share = await watch?.share
            let reports = await roster.reports()
            let acknowledged = reports.reduce(0) { sum, report in
                sum + report.streams.reduce(0) { $0 + $1.acknowledged }
            }
            let accounts = reports.compactMap(\.account)
            let (expected, unique) = accounts.reduce((0, 0)) { ($0.0 + Int($1.highest) + 1, $0.1 + Int($1.unique)) }
            let seconds = Int((ContinuousClock.now - begin).milliseconds / 1_000)
            var line =
                "\(seconds) s  \(roster.joinedCount) joined  \(max(0, acknowledged - confirmed)) samples/s confirmed"
            if expected > 0 { line += "  loss \(Figures.percent(Double(expected - unique) / Double(expected)))" }
            if let figures, let share {
                line += String(
                    format: "  host %.0f %% CPU, %.1f MiB", share * 100, Double(figures.resident) / 1_048_576)
            }
            say(line)
            for news in roster.silences.news() { say(news) }
            confirmed = acknowledged
        }
    }
}
