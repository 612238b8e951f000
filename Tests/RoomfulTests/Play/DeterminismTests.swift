import Foundation
import Testing

@testable import Roomful

@Suite("The same inputs, the same events", .timeLimit(.minutes(4)))
struct DeterminismTests {
    /// What a process of its own makes of the evening of this seed: how it orders a set, and everything else.
    private func evening(
        _ seed: Int, _ environment: [String: String] = [:]
    ) async throws -> (hashes: String, told: String) {
        let house = try TestHouse()
        defer { house.remove() }
        let folder = URL(filePath: try BuiltProgram.path).deletingLastPathComponent()
        // Two megabytes: a file has all of them when the program has ended.
        let file = house.folder + "/evening"
        let program = try RunningProgram(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$1\" >\"$2\"", folder.appending(path: "ReplayCheck").path, "\(seed)", file],
            environment: environment)
        try await program.ended(within: .seconds(200))
        #expect(program.status == 0, "\(program.output)")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n", maxSplits: 1).map(
            String.init)
        try #require(lines.count == 2)
        return (lines[0], lines[1])
    }

    @Test("In processes with other hash seeds, to the last bit: gestures, teams, verdicts, lessons, motion")
    func processes() async throws {
        let runs = [
            try await evening(1), try await evening(1), try await evening(1, ["SWIFT_DETERMINISTIC_HASHING": "1"]),
        ]
        #expect(Set(runs.map(\.hashes)).count == runs.count, "the hash seeds differ")
        for run in runs.dropFirst() where run.told != runs[0].told {
            let lines = zip(runs[0].told.split(separator: "\n"), run.told.split(separator: "\n"))
            let (one, other) = lines.first { $0 != $1 } ?? ("", "")
            Issue.record("\(one)\n\(other)\nof \(runs[0].told.utf8.count) and \(run.told.utf8.count) bytes")
        }
        for kind in ["gesture(", "team(", "verdict(", "sensor(", "PlayerMotion("] {
            #expect(runs[0].told.contains(kind))
        }
        #expect(try await evening(2).told != runs[0].told)
    }
}
