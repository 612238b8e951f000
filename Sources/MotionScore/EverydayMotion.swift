import Foundation
import InputMerge
import WireProtocol

/// Recorded motion that holds no gesture: walking, jogging, stairs, sitting down, bending, lying down.
struct EverydayMotion {
    /// What the other activities of a labelled file begin with: jumps, falls, and what nearly is one.
    private static let others = ["jump", "fall", "stumble", "collapse"]

    static func isEveryday(_ activity: String) -> Bool {
        !activity.isEmpty && !others.contains { activity.hasPrefix($0) }
    }

    private var recordings: [[MotionTrace.Moment]] = []
    var isEmpty: Bool { recordings.isEmpty }

    init() {}

    /// What `events/sisfall_jumps.csv` holds, and every recording of `events/everyday.csv`.
    init(in folder: URL) throws {
        for (table, rows) in try Self.tables(in: folder) {
            var moments: [MotionTrace.Moment] = []
            let (unit, turn) = (table.accelerationUnit / standardGravity, table.rotationUnit)
            for row in rows {
                let time = table.number(row, "t_ms") / 1_000
                let (force, rate) = (unit * table.vector(row, "a"), turn * table.vector(row, "g"))
                // Windows follow each other from the first moment to the last; one that is years away is left out.
                guard time > moments.last?.time ?? -1e10, time < 1e10, time - (moments.first?.time ?? time) < 1e6,
                    (force + rate).sum().isFinite
                else { continue }
                moments.append(
                    MotionTrace.Moment(
                        time: time, force: SIMD3<Float>(force), rotationRate: SIMD3<Float>(rate)))
            }
            recordings.append(moments)
        }
    }

    /// The tables of everyday motion that are there, each with the rows of one recording.
    static func tables(in folder: URL) throws -> [(table: ScoreTable, rows: ArraySlice<[Substring]>)] {
        var found: [(ScoreTable, ArraySlice<[Substring]>)] = []
        if let table = try? ScoreTable("events/sisfall_jumps.csv", in: folder) {
            let labels = try ScoreTable("events/sisfall_jumps_labels.csv", in: folder)
            for recording in table.recordings(by: "rec") {
                let own = labels.rows(of: recording.name).first
                if let own, isEveryday(labels.text(own, "activity")) { found.append((table, recording.rows)) }
            }
        }
        if let table = try? ScoreTable("events/everyday.csv", in: folder) {
            found += table.recordings(by: "rec").map { (table, $0.rows) }
        }
        return found
    }

    /// For each recording: how many windows the books named. They are as long as the taught examples, each length in
    /// turn, and begin half of it after each other.
    func accepted(by set: GestureSet, _ splits: [GestureSplit]) -> [Resampling.Part] {
        var parts = [Resampling.Part](repeating: Resampling.Part(0, of: 0), count: recordings.count)
        // Windows overlap and books are much alike: every fourth book shows as much.
        for split in splits.enumerated().filter({ $0.offset % 4 == 0 }).map(\.element) {
            let book = set.book(taught: split.taught)
            let lengths = split.taught.map { set.items[$0].trace.duration }
            for place in recordings.indices {
                for window in Self.windows(of: recordings[place], lengths) {
                    parts[place].count(book.recognise(window) != nil)
                }
            }
        }
        return parts
    }

    private static func windows(of moments: [MotionTrace.Moment], _ lengths: [Double]) -> [MotionTrace] {
        guard let first = moments.first, let last = moments.last, !lengths.isEmpty else { return [] }
        var windows: [MotionTrace] = []
        var (start, turn, place) = (first.time, 0, moments.startIndex)
        while start + lengths[turn % lengths.count] <= last.time {
            let length = lengths[turn % lengths.count]
            while moments[place].time < start { place += 1 }
            var end = place
            while end < moments.endIndex, moments[end].time <= start + length { end += 1 }
            if let window = MotionTrace(moments[place..<end]) { windows.append(window) }
            start += max(length / 2, 0.05)
            turn += 1
        }
        return windows
    }
}
