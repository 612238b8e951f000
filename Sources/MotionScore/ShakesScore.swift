package import Foundation
import InputMerge
import WireProtocol

/// How many shakes are found: those that somebody recorded, and shakes laid over everyday motion.
///
/// A shake that was laid over is no proof: it is a sine of 3 to 6 Hz and 1.5 to 3 g for a second, whose line, size and
/// place are drawn from a seed. It shows what a rule costs until real ones are gathered.
extension EventsScore {
    private static let window = 1_000.0

    package static func shakes(in folder: URL) throws -> [ScoreLine] {
        var lines: [ScoreLine] = []
        if let table = try? ScoreTable("events/shakes.csv", in: folder) {
            let labels = try ScoreTable("events/shakes_labels.csv", in: folder)
            var found: [Resampling.Part] = []
            for recording in table.recordings(by: "rec") {
                let player = EventsPlayer(table, recording, gyro: table.has("gx"), gestures: [.shake])
                for own in labels.rows(of: recording.name) {
                    let (start, end) = (labels.number(own, "start_ms"), labels.number(own, "end_ms"))
                    guard start <= end else { continue }
                    let told = player.times(.shake).contains { $0.at >= start && $0.at <= end + 300 }
                    found.append(Resampling.Part(told ? 1 : 0, of: 1))
                }
            }
            lines.append(ScoreLine("shakes, recorded ones found", shareOf: found, parity: nil, target: 95))
        }
        let everyday = try EverydayMotion.tables(in: folder)
        for (name, isUpright) in [("across gravity", false), ("up and down", true)] where !everyday.isEmpty {
            var random = SplitMix64(seed: 7)
            var (found, delays): ([Resampling.Part], [Double]) = ([], [])
            for (table, rows) in everyday {
                var part = Resampling.Part(0, of: 0)
                for _ in 0..<12 {
                    guard let shake = LaidOver(table, rows, isUpright: isUpright, &random) else { continue }
                    let player = EventsPlayer(
                        table, ("shake", rows), gyro: table.has("gx"), gestures: [.shake], adding: shake.force)
                    let told = player.times(.shake).map(\.at).first {
                        $0 >= shake.start && $0 <= shake.start + window + 100
                    }
                    part.count(told != nil)
                    if let told { delays.append(told - shake.start) }
                }
                found.append(part)
            }
            lines.append(ScoreLine("shakes laid over everyday motion, \(name): found", shareOf: found))
            lines.append(
                ScoreLine("shakes laid over everyday motion, \(name): told after, median", percentile: 0.5, of: delays))
        }
        return lines
    }

    /// A second of to and fro.
    private struct LaidOver {
        var start: Double
        private var line: SIMD3<Double>
        private var cycles: Double

        init?(
            _ table: ScoreTable, _ rows: ArraySlice<[Substring]>, isUpright: Bool, _ random: inout SplitMix64
        ) {
            guard let first = rows.first, let last = rows.last else { return nil }
            let (begin, end) = (table.number(first, "t_ms") + 1_000, table.number(last, "t_ms") - window - 200)
            let (place, size, frequency) = (random.fraction(), 1.5 + 1.5 * random.fraction(), 3 + 3 * random.fraction())
            let wish = SIMD3(random.fraction() - 0.5, random.fraction() - 0.5, random.fraction() - 0.5)
            guard end > begin else { return nil }
            start = begin + place * (end - begin)
            cycles = frequency
            var mean = SIMD3<Double>.zero
            for row in rows where abs(table.number(row, "t_ms") - start) < 1_000 { mean += table.vector(row, "a") }
            let up = mean / max((mean * mean).sum().squareRoot(), 1e-9)
            let across = wish - (wish * up).sum() * up
            let length = (across * across).sum().squareRoot()
            guard length > 1e-6 else { return nil }
            line = standardGravity * size * (isUpright ? up : across / length)
        }

        func force(at time: Double) -> SIMD3<Double> {
            guard (0..<window).contains(time - start) else { return .zero }
            let turns: Double = cycles * (time - start) / 1_000
            return line * sin(2 * .pi * turns)
        }
    }
}
