import Foundation
import Testing

@testable import Roomful

@Suite("The same inputs, the same events", .timeLimit(.minutes(4)))
struct DeterminismTests {
    /// What a process of its own makes of the evening of this seed: how it orders a set, and everything else.
    private func evening(
        _ seed: Int, _ environment: [String: String] = [:]
    ) async throws -> (hashes: String, told: String) {
        let folder = URL(filePath: try BuiltProgram.path).deletingLastPathComponent()
        let program = try RunningProgram(
            folder.appending(path: "ReplayCheck").path, ["\(seed)"], environment: environment)
        try await program.ended(within: .seconds(300))
        // Its last words may still be in the pipe.
        for _ in 0..<500 where !program.output.contains("\ntold: ") { try await Task.sleep(for: .milliseconds(20)) }
        let lines = program.output.split(separator: "\n", maxSplits: 1).map(String.init)
        return (lines[0], lines[1])
    }

    @Test("In processes with other hash seeds, to the last bit: gestures, teams, verdicts, lessons, motion")
    func processes() async throws {
        let runs = [
            try await evening(1), try await evening(1), try await evening(1, ["SWIFT_DETERMINISTIC_HASHING": "1"]),
        ]
        #expect(Set(runs.map(\.hashes)).count == runs.count, "the hash seeds differ")
        #expect(runs.allSatisfy { $0.told == runs[0].told })
        for kind in ["gesture(", "team(", "verdict(", "sensor(", "PlayerMotion("] {
            #expect(runs[0].told.contains(kind))
        }
        #expect(try await evening(2).told != runs[0].told)
    }
}
