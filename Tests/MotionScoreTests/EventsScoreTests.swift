import Foundation
import MotionScore
import Testing

@Suite("Scores of events")
struct EventsScoreTests {
    /// A folder of recordings that is removed with its last user.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID().uuidString)")
        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ lines: [String], to name: String) throws {
            let file = url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
        }
    }

    /// Forces along z in g, each for so many ms, at 100 Hz; in whichever unit.
    private func rows(_ name: String, _ parts: [(Double, Int)], unit: Double, from start: Int = 0) -> [String] {
        var (rows, time): ([String], Int) = ([], start)
        for (force, duration) in parts {
            for _ in 0..<(duration / 10) {
                rows.append("\(name),\(time),0,0,0,0,0,\(force * unit)")
                time += 10
            }
        }
        return rows
    }

    private let jump = [(1.0, 1_000), (2.5, 150), (0.2, 340), (3.0, 60), (1.0, 1_000)]

    private func write(_ folder: Folder, unit: Double) throws {
        let head = "rec,t_ms,gx,gy,gz,ax,ay,az"
        // Two jumps of each of two people, and a minute of standing still which is called walking.
        let walk = rows("D02_SA01_R01", [(1.0, 60_000)], unit: unit)
        let jumps = ["SA01", "SA02"].flatMap { rows("D19_\($0)_R01", jump + jump, unit: unit) }
        try folder.write([head] + jumps + walk, to: "events/sisfall_jumps.csv")
        let labels = ["SA01", "SA02"].flatMap { person in
            [1_150, 3_700].map { "D19_\(person)_R01,jump,\($0),\($0 + 340),\($0 + 360),3" }
        }
        try folder.write(
            ["rec,activity,takeoff_ms,touchdown_ms,impact_ms,impact_g"] + labels + ["D02_SA01_R01,walk_fast,,,,"],
            to: "events/sisfall_jumps_labels.csv")
    }

    @Test("What is found, how late and how often falsely is counted alike in g and in m/s²", arguments: [1, 9.80665])
    func jumps(unit: Double) throws {
        let folder = Folder()
        try write(folder, unit: unit)
        let lines = try EventsScore.jumps(in: folder.url) + EventsScore.touchdown(in: folder.url)
        let values = Dictionary(uniqueKeysWithValues: lines.map { ($0.name, $0) })
        #expect(values["jumps, F1"]?.value == 100)
        #expect(values["jumps, F1"]?.verdict == .perhapsReached, "two people show little")
        #expect(try #require(values["jumps, told after touchdown, median"]).value <= 10)
        #expect(values["jumps, false in walking, jogging and stairs"]?.value == 0)
        // A minute without a false one does not show that there is none in ten.
        let gait = try #require(values["jumps, false in walking, jogging and stairs"]?.interval)
        #expect(gait.lowerBound == 0 && gait.upperBound > 1)
        let first = try #require(values["time to touchdown, mean error, a person's first jump"])
        #expect(first.value < 60)
        #expect(try #require(values["time to touchdown, mean error"]).value < first.value, "it learns")
    }

    @Test("A jump that nobody labelled is a false one, one that is not there is missed")
    func wrong() throws {
        let folder = Folder()
        try write(folder, unit: 9.80665)
        let labels = folder.url.appending(path: "events/sisfall_jumps_labels.csv")
        var lines = try String(contentsOf: labels, encoding: .utf8).split(separator: "\n").map(String.init)
        lines[1] = "D19_SA01_R01,jump,100,200,250,3"
        try folder.write(lines, to: "events/sisfall_jumps_labels.csv")
        let scores = try EventsScore.jumps(in: folder.url)
        #expect(scores.first { $0.name == "jumps, recall" }?.value == 75)
        #expect(scores.first { $0.name == "jumps, precision" }?.value == 75)
        #expect(scores.first { $0.name == "jumps, F1" }?.verdict == .missed)
    }

    @Test("Who walked and never jumped has missed nothing; what is not there is said to be so")
    func walking() throws {
        let folder = Folder()
        let walk = rows("D02_SA01_R01", [(1.0, 10_000)], unit: 1)
        try folder.write(["rec,t_ms,gx,gy,gz,ax,ay,az"] + walk, to: "events/sisfall_jumps.csv")
        let absent = ScoreReport.all(in: folder.url).skipped
        #expect(absent.contains("events/sisfall_jumps.csv: no events/sisfall_jumps_labels.csv"))
        try folder.write(
            ["rec,activity,takeoff_ms,touchdown_ms,impact_ms,impact_g", "D02_SA01_R01,walk_fast,,,,"],
            to: "events/sisfall_jumps_labels.csv")
        let report = ScoreReport.all(in: folder.url)
        #expect(report.lines.allSatisfy { $0.value.isFinite && $0.verdict != .missed })
        let nothing = "nothing was recorded, or found, that shows it"
        for lack in [
            "jumps, F1 (others 93, wanted 97 %): \(nothing)", "jumps, recall: \(nothing)",
            "time to touchdown, mean error, a person's first jump (others 31, wanted 27 ms): \(nothing)",
            "events/phone_freefall.csv: not there", "events/steps.csv: not there",
            "gestures/tennis_swings.csv, swings: not there",
        ] {
            #expect(report.skipped.contains(lack), "\(report.skipped)")
        }
        // Ten seconds cannot show one in five minutes.
        let falls = try #require(report.lines.first { $0.name == "false free-fall in everyday motion" })
        #expect(falls.value == 0 && falls.verdict == .perhapsReached)
    }

    @Test("Falls are timed from the release; everyday motion that falls is counted a minute")
    func falls() throws {
        let folder = Folder()
        let head = "rec,t_ms,ax,ay,az"
        let fall = rows("fall_1", [(1.0, 1_000), (0.02, 400), (6.0, 20), (1.0, 500)], unit: 9.80665)
            .map { row in
                row.split(separator: ",").enumerated().filter { ![2, 3, 4].contains($0.offset) }.map {
                    String($0.element)
                }.joined(separator: ",")
            }
        try folder.write([head] + fall, to: "events/phone_freefall.csv")
        try folder.write(
            ["rec,kind,release_ms,contact_ms,impact_ms", "fall_1,drop,1000,1400,1410"],
            to: "events/phone_freefall_labels.csv")
        let lines = try EventsScore.freeFall(in: folder.url)
        #expect(lines.first { $0.name == "free fall, found" }?.value == 100)
        let delay = try #require(lines.first { $0.name == "free fall, told after release, median" }?.value)
        #expect((45...70).contains(delay))

        let everyday = rows("home", [(1.0, 30_000), (0.02, 200), (1.0, 29_800)], unit: 1)
        try folder.write(["rec,t_ms,gx,gy,gz,ax,ay,az"] + everyday, to: "events/everyday.csv")
        let negatives = try EventsScore.negatives(in: folder.url)
        let falls = try #require(negatives.first { $0.name == "false free-fall in everyday motion" })
        #expect(abs(falls.value - 1) < 0.01 && falls.verdict == .missed)
        #expect(negatives.first { $0.name == "false shake in everyday motion" }?.value == 0)
    }

    @Test(
        "Whatever its activity is called, motion is everyday motion, unless it is a jump or a fall",
        arguments: [
            ("walk_slow", true), ("dance", true), ("jump", false), ("fall_back_sit", false), ("stumble", false),
            ("", false),
        ])
    func everyday(activity: String, counts: Bool) throws {
        let folder = Folder()
        let fall = rows("D99_SA01_R01", [(1.0, 30_000), (0.02, 200), (1.0, 29_800)], unit: 1)
        try folder.write(["rec,t_ms,gx,gy,gz,ax,ay,az"] + fall, to: "events/sisfall_jumps.csv")
        try folder.write(
            ["rec,activity,takeoff_ms,touchdown_ms,impact_ms,impact_g", "D99_SA01_R01,\(activity),,,,"],
            to: "events/sisfall_jumps_labels.csv")
        let lines = try? EventsScore.negatives(in: folder.url)
        #expect(
            (lines?.first { $0.name.contains("free-fall") }?.value).map { abs($0 - 1) < 0.01 } == (counts ? true : nil))
    }

    @Test(
        "A gyroscope that stays at one of the usual ranges is declared to end there, and its strokes are swings",
        arguments: [
            (4.363, 100.0), (4.1, 0), (250, 100),
        ])
    func range(peak: Double, found: Double) throws {
        let folder = Folder()
        var lines = ["gid,label,subject,t_ms,gx,gy,gz,ax,ay,az"]
        for stroke in 0..<3 {
            for step in 0..<200 {
                let rate = (60..<90).contains(step) ? peak : (55..<95).contains(step) ? peak / 2 : 0
                lines.append("s\(stroke),serve,0,\(step * 10),0,0,\(rate),0,0,9.81")
            }
        }
        try folder.write(lines, to: "gestures/tennis_swings.csv")
        let score = try EventsScore.swings(in: folder.url)
        #expect(score.first { $0.name.hasSuffix("at least one swing") }?.value == found)
    }

    @Test("A recorded shake is found within its label, and what is not there is told with where it can be had")
    func shakes() throws {
        let folder = Folder()
        var rows = (0..<200).map { "s1,\($0 * 10),0,0,0,0,0,9.8" }
        for step in 50..<150 { rows[step] = "s1,\(step * 10),0,0,0,\(25 * sin(Double(step) * 0.25)),0,9.8" }
        try folder.write(["rec,t_ms,gx,gy,gz,ax,ay,az"] + rows, to: "events/shakes.csv")
        try folder.write(["rec,activity,start_ms,end_ms", "s1,shake,500,1500"], to: "events/shakes_labels.csv")
        #expect(try EventsScore.shakes(in: folder.url).first?.value == 100)
        let report = ScoreReport.all(in: folder.url)
        #expect(!report.sources.contains { $0.files == "events/shakes.csv" })
        #expect(report.sources.contains { $0.files == "events/steps.csv" && $0.from.contains("github.com") })
        #expect(report.goals.allSatisfy { $0.verdict != nil })
    }
}
