public import Foundation
import InputMerge
import WireProtocol

/// How well jumps, falls and steps are seen in recordings whose truth is known.
///
/// A landing counts as found when it is told from 150 ms before to 350 ms after the touchdown, a fall from its release
/// to its impact, a step within 250 ms; nothing counts twice. Falls that follow an impact (bounces) have no label and
/// do not count. Everything runs through the whole merge, orientation filter included.
public enum EventsScore {
    /// - Parameter folder: with `events/…csv`.
    public static func all(in folder: URL) throws -> [ScoreLine] {
        try jumps(in: folder) + freeFall(in: folder) + steps(in: folder)
    }

    /// On `sisfall_jumps.csv`: jumps, everyday motion and falls, worn at the waist.
    public static func jumps(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/sisfall_jumps.csv", in: folder)
        let labels = try ScoreTable("events/sisfall_jumps_labels.csv", in: folder)
        let gaits = ["walk_fast", "jog_fast", "stairs_fast"]
        var (good, plain) = (EventsTally(), EventsTally())
        var (minutes, falseInGait, plainInGait) = (0.0, 0, 0)
        var contactErrors: [Double] = []
        for recording in table.recordings(by: "rec") {
            let player = EventsPlayer(
                table, recording, unit: standardGravity, gyro: true, gestures: [.jump, .keepCalmJump])
            let own = labels.rows.filter { labels.text($0, "rec") == recording.name }
            let truth = own.map { labels.number($0, "touchdown_ms") }.filter { !$0.isNaN }
            good.match(told: player.times(.jump, .ended).map(\.at), truth: truth, within: -150...350)
            plain.match(told: player.times(.keepCalmJump).map(\.at), truth: truth, within: -600...350)
            if own.contains(where: { gaits.contains(labels.text($0, "activity")) }) {
                minutes += player.duration / 60
                falseInGait += player.times(.jump).count
                plainInGait += player.times(.keepCalmJump).count
            }
            for (at, event) in player.times(.jump) {
                guard let announced = event.measures.timeToContact,
                    let touchdown = truth.first(where: { $0 > at - 100 && $0 < at + 500 })
                else { continue }
                contactErrors.append(abs(at + announced * 1_000 - touchdown))
            }
        }
        let meanError = contactErrors.reduce(0, +) / Double(max(1, contactErrors.count))
        return [
            ScoreLine("jumps, F1", good.f1, "%", parity: 93, target: 97),
            ScoreLine("jumps, precision", good.precision, "%"),
            ScoreLine("jumps, recall", good.recall, "%"),
            ScoreLine("jumps, told after touchdown, median", good.percentile(0.5), "ms", isCost: true),
            ScoreLine(
                "jumps, told after touchdown, p95", good.percentile(0.95), "ms", parity: 40, target: 40, isCost: true),
            ScoreLine(
                "jumps, false in walking, jogging and stairs", Double(falseInGait) / minutes, "per min", target: 0.5,
                isCost: true),
            ScoreLine(
                "time to touchdown, mean error when announced", meanError, "ms", parity: 36, target: 20, isCost: true),
            ScoreLine("keepcalm-jump for comparison, F1", plain.f1, "%"),
            ScoreLine(
                "keepcalm-jump for comparison, false in gaits", Double(plainInGait) / minutes, "per min", isCost: true),
        ]
    }

    /// On `phone_freefall.csv`: phones dropped and tossed.
    public static func freeFall(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/phone_freefall.csv", in: folder)
        let labels = try ScoreTable("events/phone_freefall_labels.csv", in: folder)
        var tally = EventsTally()
        for recording in table.recordings(by: "rec") {
            let player = EventsPlayer(table, recording, unit: 1, gyro: false, gestures: [.freeFall])
            guard let own = labels.rows.first(where: { labels.text($0, "rec") == recording.name }) else { continue }
            let (release, impact) = (labels.number(own, "release_ms"), labels.number(own, "impact_ms"))
            let told = player.times(.freeFall).map(\.at).filter { $0 <= impact }
            tally.match(told: told, truth: [release], within: 0...(impact - release))
        }
        return [
            ScoreLine("free fall, precision", tally.precision, "%", parity: 100, target: 100),
            ScoreLine("free fall, recall", tally.recall, "%", parity: 100, target: 100),
            ScoreLine(
                "free fall, told after release, median", tally.percentile(0.5), "ms", parity: 80, target: 60,
                isCost: true),
            ScoreLine("free fall, told after release, p95", tally.percentile(0.95), "ms", isCost: true),
        ]
    }

    /// On `steps.csv`: walkers with a phone in hand or on the arm, and switches under their feet.
    public static func steps(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/steps.csv", in: folder)
        let labels = try ScoreTable("events/steps_labels.csv", in: folder)
        var everyStep = RhythmRule()
        everyStep.steps = 2
        let rhythm = GestureDefinition(.rhythm, .rhythm(everyStep))
        var tally = EventsTally()
        var countErrors: [Double] = []
        for recording in table.recordings(by: "rec") {
            let player = EventsPlayer(table, recording, unit: 1, gyro: false, gestures: [rhythm])
            let truth = labels.rows.filter { labels.text($0, "rec") == recording.name }
                .map { labels.number($0, "t_ms") }
            var (told, counted): ([Double], Int) = ([], 0)
            for event in player.events where event.phase != .ended {
                let at = Double(event.occurredAt.nanoseconds) / 1e6 - (event.measures.sinceStart ?? 0) * 1_000
                told.append(at)
                if event.phase == .began {
                    counted += event.measures.count ?? 0
                    // The first steps become a rhythm together, one period apart.
                    if let cadence = event.measures.cadence { told.append(at - 1_000 / cadence) }
                } else {
                    counted += 1
                }
            }
            tally.match(told: told.sorted(), truth: truth, within: -250...250)
            countErrors.append(100 * abs(Double(counted - truth.count)) / Double(truth.count))
        }
        let meanError = countErrors.reduce(0, +) / Double(max(1, countErrors.count))
        return [
            ScoreLine("steps, error of the count", meanError, "%", parity: 5, target: 2, isCost: true),
            ScoreLine("steps, F1", tally.f1, "%", target: 98),
        ]
    }
}
