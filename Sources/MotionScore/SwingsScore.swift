package import Foundation
import InputMerge
import WireProtocol

/// Whether a stroke is one swing.
extension EventsScore {
    /// On `gestures/tennis_swings.csv`: windows of two seconds with one stroke each, cut out by hand.
    package static func swings(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("gestures/tennis_swings.csv", in: folder)
        var (any, one): ([Resampling.Part], [Resampling.Part]) = ([], [])
        var started: [Resampling.Part] = []
        for recording in table.recordings(by: "gid") {
            let player = EventsPlayer(table, recording, gyro: true, gestures: [.swing])
            let swings = player.times(.swing)
            any.append(Resampling.Part(swings.isEmpty ? 0 : 1, of: 1))
            one.append(Resampling.Part(swings.count == 1 ? 1 : 0, of: 1))
            let ends = player.times(.swing, .ended)
            for end in ends { started.append(Resampling.Part(end.event.measures.sinceStart == nil ? 0 : 1, of: 1)) }
        }
        return [
            ScoreLine("tennis_swings, windows with at least one swing", shareOf: any, parity: 79, target: 90),
            ScoreLine("tennis_swings, windows with exactly one swing", shareOf: one, parity: 64, target: 75),
            ScoreLine("tennis_swings, swings whose start is told", shareOf: started),
        ]
    }
}
