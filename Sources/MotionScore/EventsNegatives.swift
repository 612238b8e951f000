public import Foundation
import InputMerge
import WireProtocol

/// How often gestures are seen in everyday motion that holds none of them.
extension EventsScore {
    public static func negatives(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/sisfall_jumps.csv", in: folder)
        let labels = try ScoreTable("events/sisfall_jumps_labels.csv", in: folder)
        let everyday = ["walk_fast", "jog_fast", "stairs_fast", "sit_stand_fast", "bend", "lie_down_fast"]
        let watched: [GestureKind] = [.jump, .keepCalmJump, .freeFall, .shake, .flick, .swing, .twist, .tap]
        var minutes = 0.0
        var counts = [Int](repeating: 0, count: watched.count)
        for recording in table.recordings(by: "rec") {
            guard let own = labels.rows.first(where: { labels.text($0, "rec") == recording.name }),
                everyday.contains(labels.text(own, "activity"))
            else { continue }
            let player = EventsPlayer(
                table, recording, unit: standardGravity, gyro: true, gestures: GestureDefinition.all)
            minutes += player.duration / 60
            for place in watched.indices { counts[place] += player.times(watched[place]).count }
        }
        return watched.indices.map {
            ScoreLine(
                "false \(watched[$0].rawValue) in everyday motion", Double(counts[$0]) / minutes, "per min",
                target: watched[$0] == .jump ? 0.5 : nil, isCost: true)
        }
    }
}
