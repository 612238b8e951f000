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

    @Test("An empty folder gives no figures, and says what it lacks")
    func empty() {
        let report = OrientationScore.report(in: Self.folder.appending(path: "demo"))
        #expect(report.lines == [])
        #expect(report.skipped == ["orientation/broad_*.csv: not there", "coremotion/ios_*.csv: not there"])
    }
}
