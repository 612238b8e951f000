package import Foundation
import InputMerge
import WireProtocol

/// How well jumps, falls and steps are seen in recordings whose truth is known.
///
/// A landing counts as found when it is told from 150 ms before to 350 ms after the touchdown, a fall from its release
/// to its impact, a step within 250 ms; nothing counts twice. Falls that follow an impact (bounces) have no label and
/// do not count. Everything runs through the whole merge, orientation filter included.
package enum EventsScore {
    /// On `sisfall_jumps.csv`: jumps, everyday motion and falls, worn at the waist.
    package static func jumps(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/sisfall_jumps.csv", in: folder)
        let labels = try ScoreTable("events/sisfall_jumps_labels.csv", in: folder)
        let gaits = ["walk", "jog", "run", "stairs"]
        var (good, plain) = (EventsTally(), EventsTally())
        var (inGait, plainInGait): ([Resampling.Part], [Resampling.Part]) = ([], [])
        for recording in table.recordings(by: "rec") {
            let player = EventsPlayer(table, recording, gyro: true, gestures: [.jump, .keepCalmJump])
            let own = labels.rows(of: recording.name)
            let truth = own.map { labels.number($0, "touchdown_ms") }.filter { !$0.isNaN }
            good.match(told: player.times(.jump, .ended).map(\.at), truth: truth, within: -150...350)
            plain.match(told: player.times(.keepCalmJump).map(\.at), truth: truth, within: -600...350)
            if own.contains(where: { row in gaits.contains { labels.text(row, "activity").hasPrefix($0) } }) {
                let minutes = player.duration / 60
                inGait.append(Resampling.Part(Double(player.times(.jump).count), of: minutes))
                plainInGait.append(Resampling.Part(Double(player.times(.keepCalmJump).count), of: minutes))
            }
        }
        // Who recorded no gaits has missed nothing in them.
        let gaitLines =
            inGait.isEmpty
            ? []
            : [
                ScoreLine("jumps, false in walking, jogging and stairs", perMinuteOf: inGait, target: 0.5),
                ScoreLine("keepcalm-jump for comparison, false in gaits", perMinuteOf: plainInGait),
            ]
        return [
            ScoreLine("jumps, F1", shareOf: good.f1, parity: 93, target: 97),
            ScoreLine("jumps, precision", shareOf: good.precision),
            ScoreLine("jumps, recall", shareOf: good.recall),
            ScoreLine("jumps, told after touchdown, median", percentile: 0.5, of: good.delays),
            ScoreLine("jumps, told after touchdown, p95", percentile: 0.95, of: good.delays, parity: 40, target: 40),
            ScoreLine("keepcalm-jump for comparison, F1", shareOf: plain.f1),
        ] + gaitLines
    }

    /// On `phone_freefall.csv`: phones dropped and tossed.
    package static func freeFall(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/phone_freefall.csv", in: folder)
        let labels = try ScoreTable("events/phone_freefall_labels.csv", in: folder)
        var tally = EventsTally()
        for recording in table.recordings(by: "rec") {
            let player = EventsPlayer(table, recording, gyro: table.has("gx"), gestures: [.freeFall])
            guard let own = labels.rows(of: recording.name).first else { continue }
            let (release, impact) = (labels.number(own, "release_ms"), labels.number(own, "impact_ms"))
            guard impact > release else { continue }
            let told = player.times(.freeFall).map(\.at).filter { $0 <= impact }
            tally.match(told: told, truth: [release], within: 0...(impact - release))
        }
        return [
            ScoreLine("free fall, precision", shareOf: tally.precision, parity: 100, target: 100),
            ScoreLine("free fall, found", shareOf: tally.recall, parity: 100, target: 100),
            ScoreLine(
                "free fall, told after release, median", percentile: 0.5, of: tally.delays, parity: 75, target: 65),
            ScoreLine("free fall, told after release, p95", percentile: 0.95, of: tally.delays, parity: 90, target: 85),
        ]
    }

    /// On `steps.csv`: walkers with a phone in hand or on the arm, and switches under their feet.
    package static func steps(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/steps.csv", in: folder)
        let labels = try ScoreTable("events/steps_labels.csv", in: folder)
        var everyStep = RhythmRule()
        everyStep.steps = 2
        let rhythm = GestureDefinition(.rhythm, .rhythm(everyStep))
        var tally = EventsTally()
        var countErrors: [Double] = []
        for recording in table.recordings(by: "rec") {
            let player = EventsPlayer(table, recording, gyro: false, gestures: [rhythm])
            let truth = labels.rows(of: recording.name).map { labels.number($0, "t_ms") }
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
            countErrors.append(100 * abs(Double(counted - truth.count)) / Double(max(1, truth.count)))
        }
        return [
            ScoreLine("steps, error of the count", meanOf: countErrors, "%", parity: 5, target: 2),
            ScoreLine("steps, F1", shareOf: tally.f1, target: 98),
        ]
    }
}
