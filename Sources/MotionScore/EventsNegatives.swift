package import Foundation
import InputMerge
import WireProtocol

/// How often gestures are seen in everyday motion that holds none of them.
extension EventsScore {
    package static func negatives(in folder: URL) throws -> [ScoreLine] {
        let watched: [GestureKind] = [.jump, .keepCalmJump, .freeFall, .shake, .flick, .swing, .twist, .tap]
        let goals: [GestureKind: (parity: Double?, target: Double)] = [
            .jump: (nil, 0.5), .freeFall: (0.5, 0.2), .shake: (0.5, 0.2), .swing: (nil, 0), .twist: (nil, 0.5),
        ]
        var parts = [[Resampling.Part]](repeating: [], count: watched.count)
        for (table, rows) in try EverydayMotion.tables(in: folder) {
            let player = EventsPlayer(
                table, ("everyday", rows), gyro: table.has("gx"), gestures: GestureDefinition.all)
            for place in watched.indices {
                parts[place].append(
                    Resampling.Part(Double(player.times(watched[place]).count), of: player.duration / 60))
            }
        }
        guard parts.contains(where: { !$0.isEmpty }) else {
            throw ScoreTable.Absent(file: "events/everyday.csv")
        }
        return watched.indices.map {
            let goal = goals[watched[$0]]
            return ScoreLine(
                "false \(watched[$0].rawValue) in everyday motion", perMinuteOf: parts[$0], parity: goal?.parity,
                target: goal?.target)
        }
    }
}
