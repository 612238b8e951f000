import Foundation
import MotionScore
import Testing

@Suite("Scores of device motion")
struct OrientationScoreTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Recordings")

    @Test("On the repository's own recordings every measure is at least as good as others'")
    func parity() throws {
        let report = OrientationScore.report(in: Self.folder)
        #expect(report.skipped == [])
        #expect(report.lines.count > 40)
        for line in report.lines { #expect(line.verdict != .missed, "\(line.name): \(line.value) \(line.unit)") }
    }

    @Test(
        "A time that no clock shows leaves its file out, and it is said which line that is",
        arguments: ["", "nan", "inf", "-inf", "1e9", "0.01x"])
    func brokenTimes(word: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "orientation-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["orientation/broad_odd.csv", "coremotion/ios_odd.csv"] {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("t_s,gx\n0,0\n\n\(word),0\n0.02,0\n".utf8).write(to: file)
        }
        let what = "4: t_s is \"\(word)\", and must be seconds below 1,000,000,000"
        let report = OrientationScore.report(in: folder)
        #expect(report.skipped == ["orientation/broad_odd.csv:\(what)", "coremotion/ios_odd.csv:\(what)"])
        #expect(report.lines == [])
    }

    @Test("An empty folder gives no figures, and says what it lacks")
    func empty() {
        let report = OrientationScore.report(in: Self.folder.appending(path: "demo"))
        #expect(report.lines == [])
        #expect(report.skipped == ["orientation/broad_*.csv: not there", "coremotion/ios_*.csv: not there"])
    }
}
