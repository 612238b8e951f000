package import Foundation
import InputMerge
import WireProtocol

/// How well the moment of touchdown is announced while a player still flies.
extension EventsScore {
    /// On the jumps of `sisfall_jumps.csv`, each person's recordings one after another, as one player's.
    package static func touchdown(in folder: URL) throws -> [ScoreLine] {
        let table = try ScoreTable("events/sisfall_jumps.csv", in: folder)
        let labels = try ScoreTable("events/sisfall_jumps_labels.csv", in: folder)
        var (all, first, later): ([Double], [Double], [Double]) = ([], [], [])
        var within: [Resampling.Part] = []
        var people: [String: (jumps: Int, airtimes: Airtimes)] = [:]
        for recording in table.recordings(by: "rec") {
            let truth = labels.rows(of: recording.name).map { labels.number($0, "touchdown_ms") }
                .filter { !$0.isNaN }
            guard !truth.isEmpty, let row = recording.rows.first else { continue }
            let person = table.person(row, recording: recording.name)
            var known = people[person] ?? (0, Airtimes())
            let player = EventsPlayer(table, recording, gyro: true, gestures: [.jump], airtimes: known.airtimes)
            for (at, event) in player.times(.jump) {
                guard let announced = event.measures.timeToContact,
                    let touchdown = truth.first(where: { $0 > at - 100 && $0 < at + 500 })
                else { continue }
                let error = abs(at + announced * 1_000 - touchdown)
                all.append(error)
                if known.jumps == 0 { first.append(error) }
                if known.jumps >= 2 { later.append(error) }
                known.jumps += 1
                if let spread = event.measures.timeToContactSpread {
                    within.append(Resampling.Part(error <= spread * 1_000 ? 1 : 0, of: 1))
                }
            }
            known.airtimes = player.airtimes
            people[person] = known
        }
        return [
            ScoreLine("time to touchdown, mean error", meanOf: all, "ms"),
            ScoreLine("time to touchdown, within the range that was told", shareOf: within),
            ScoreLine(
                "time to touchdown, mean error, a person's first jump", meanOf: first, "ms", parity: 31, target: 27),
            ScoreLine(
                "time to touchdown, mean error, after two of the person", meanOf: later, "ms", parity: 22, target: 20),
        ]
    }
}

extension ScoreTable {
    /// Who was recorded: what the column subject says, else the part of a name like `D19_SA01_R02` that names a person,
    /// else the recording itself.
    func person(_ row: [Substring], recording: String) -> String {
        let subject = text(row, "subject")
        if !subject.isEmpty { return subject }
        let parts = recording.split(separator: "_")
        return parts.first { $0.hasPrefix("SA") || $0.hasPrefix("SE") }.map(String.init) ?? recording
    }
}
