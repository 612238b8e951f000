import Foundation
import MotionScore
import Testing

@Suite("Scores of gestures")
struct GesturesScoreTests {
    /// A folder of recordings that is removed with its last user.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "gestures-\(UUID().uuidString)")
        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ text: String, to name: String) throws {
            let file = url.appending(path: "gestures/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    /// Turns about x or y, to and fro, now calmer, now wilder, between two rests; 25 Hz, in the shared files' form.
    private func turns(times: Int) -> String {
        var lines = ["gid,label,subject,t_ms,gx,gy,gz,ax,ay,az"]
        for (label, axis) in [("nod", 0), ("roll", 1)] {
            for time in 0..<times {
                var angle = 0.0
                for step in 0..<60 {
                    let share = (Double(step) - 15) / 25
                    let rate = (0..<1).contains(share) ? (3 + 0.2 * Double(time % 3)) * sin(2 * .pi * share) : 0
                    angle += rate / 25
                    let turn = axis == 0 ? "\(rate),0,0" : "0,\(rate),0"
                    let (across, up) = (9.81 * sin(angle), 9.81 * cos(angle))
                    let force = axis == 0 ? "0,\(across),\(up)" : "\(-across),0,\(up)"
                    lines.append("\(label)\(time),\(label),day\(time % 2),\(40 * step),\(turn),\(force)")
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    @Test("Two gestures that nobody confuses are told apart in every way, offline and from the stream")
    func easy() throws {
        let folder = Folder()
        try folder.write(turns(times: 14), to: "turns.csv")
        let report = GesturesScore.report(in: folder.url)
        // Two days are two people to it; everyday motion is not there.
        #expect(report.skipped.map { $0.prefix(8) } == ["everyday", "basicmot"])
        let merits = report.lines.filter { $0.unit == "%" && !$0.isCost }
        #expect(merits.count >= 8)
        for line in merits where !line.name.hasSuffix("accepted") { #expect(line.value == 100, "\(line.name)") }
        for line in merits { #expect(line.interval?.contains(line.value) == true, "\(line.text)") }
        for line in report.lines where line.name.hasSuffix("another one told") { #expect(line.value == 0) }
        let distinct = report.lines.first { $0.name == "turns, 5 examples each, gestures are distinct: own accepted" }
        #expect(distinct?.target == 90)
    }

    @Test("Where no set's gestures are distinct, what is wanted of such a set is named as a gap")
    func alike() throws {
        let folder = Folder()
        // The same motion under two names.
        let twice = turns(times: 14).split(separator: "\n").filter { !$0.hasPrefix("roll") }
        let renamed = twice.dropFirst().map { $0.replacing("nod", with: "bow") }
        try folder.write((twice + renamed).joined(separator: "\n"), to: "turns.csv")
        let report = GesturesScore.report(in: folder.url)
        #expect(!report.lines.contains { $0.name.contains("distinct") })
        #expect(report.skipped.contains { $0.hasPrefix("own accepted, of one person's distinct gestures (wanted 90") })
    }

    @Test(
        "Where one person made too few of each gesture, it is said which goals that leaves open, and what is needed",
        arguments: [(3, [4, 6, 7]), (5, [6, 7]), (6, [7]), (7, [])] as [(Int, [Int])])
    func tooFew(made: Int, needed: [Int]) throws {
        let folder = Folder()
        // Two days are two people to it.
        try folder.write(turns(times: 2 * made), to: "turns.csv")
        let report = GesturesScore.report(in: folder.url)
        let gaps = report.skipped.filter { $0.hasPrefix("gestures/turns.csv, ") }
        #expect(gaps.count == needed.count)
        for (gap, least) in zip(gaps, needed) {
            let words = "at least \(least) of each gesture by one person are needed, there are \(made)"
            #expect(gap.hasSuffix(words), "\(gap)")
        }
    }

    @Test("Everyday motion with a moment that is years away from the others has an end", arguments: ["inf", "1e300"])
    func yearsAway(time: String) throws {
        let folder = Folder()
        try folder.write(turns(times: 14), to: "turns.csv")
        let rest = (0..<500).map { "home,\(20 * $0),0,0,0,0,0,9.81" } + ["home,\(time),0,0,0,0,0,9.81"]
        try folder.write(
            (["rec,t_ms,gx,gy,gz,ax,ay,az"] + rest).joined(separator: "\n"), to: "../events/everyday.csv")
        let report = GesturesScore.report(in: folder.url)
        #expect(report.lines.first { $0.name.contains("everyday") }?.value.isFinite == true)
    }

    @Test("What is no set of gestures is left out by name")
    func damaged() throws {
        let folder = Folder()
        try folder.write("gid,label,t_ms,ax,ay,az\n1,wave,0,1,2,x\n", to: "broken.csv")
        let report = GesturesScore.report(in: folder.url)
        #expect(report.lines == [])
        #expect(
            Array(report.skipped.prefix(1)) == ["gestures/broken.csv: cannot be read, or holds fewer than two gestures"]
        )
        let nowhere = GesturesScore.report(in: folder.url.appending(path: "nowhere"))
        #expect(nowhere == ScoreReport(skipped: ["gestures/*.csv: not there"]))
    }
}
