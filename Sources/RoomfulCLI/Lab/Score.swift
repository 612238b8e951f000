import ArgumentParser
import Foundation
import MotionScore

extension Lab {
    /// Recordings with truth, played into the stage that rooms use.
    struct Score: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "score",
            abstract: "Plays recordings with truth into the motion stage, and says how well it did.",
            discussion: """
                Example:  roomful lab score Recordings
                DIR holds orientation/, coremotion/, events/ and gestures/ in the form that Recordings/README.md states.
                What is missing there is skipped, by name, and it is said where it can be had. Beside each figure stands
                where it would lie in 95 of 100 recordings like these (by drawing them again), and a goal is perhaps
                reached where the worse end of that is short of it. The same files give the same figures. Figures go to
                the standard output, progress to the standard error.
                """)

        @Argument(help: "The folder of recordings.") var folder: String
        @Flag(help: "One JSON object instead of a table.") var json = false

        func run() async throws {
            try await Failure.explained {
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
                    Failure.say("there is no folder \(folder)")
                    throw Failure.usage
                }
                let report = ScoreReport.all(in: URL(filePath: folder)) { Failure.write("\($0)\n") }
                Terminal.print(json ? try Terminal.json(report) : Self.table(of: report))
            }
        }

        static func table(of report: ScoreReport) -> String {
            var table = Table(["measure", ">value", ">95 %", "unit", ">others", ">wanted", ""])
            for line in report.lines {
                table.add([
                    line.name, figure(line.value),
                    line.interval.map { "\(figure($0.lowerBound)) to \(figure($0.upperBound))" } ?? "-", line.unit,
                    line.parity.map(figure) ?? "-",
                    line.target.map(figure) ?? "-", line.verdict?.rawValue ?? "",
                ])
            }
            let sources = report.sources.map { "\($0.files) can be had: \($0.from) (\($0.licence))" }
            return ([table.text] + report.skipped.map { "skipped: \($0)" } + sources).joined(separator: "\n")
        }

        private static func figure(_ value: Double) -> String { String(format: "%.4g", value) }
    }
}
