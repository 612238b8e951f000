import ArgumentParser
import Foundation
import SiteSimulation
import WireProtocol

/// `roomful lab sites`: who owns a room that several hosts could, in simulated time, and the laws that must hold.
struct Sites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Play simulated evenings of a room with standbys and a broker, and say which laws broke.",
        discussion: """
            Examples:  roomful lab sites --seeds 1000    roomful lab sites --planted
            An evening is a room that one to three hosts could own, its log at a broker, and the network between them, for \
            a minute: hosts are killed, stopped and cut off, the broker fails, messages are lost, doubled and late, clocks \
            run up to 10 % too fast or too slow, an operator hands over. Everything follows from a seed. Laws: at every \
            moment of true time one host acts at most, epochs grow and each has one owner, what was acknowledged is in the \
            log once, events are numbered without a hole, a healthy standby takes over within 3 s, a room without a standby \
            never stops for want of a log, what waits has an end. Ends with 1 if one broke. SITE.md says why they hold.
            """)

    @OptionGroup var evenings: EveningSeeds
    @Flag(help: "One JSON object an evening.") var json = false
    @Flag(help: "Make one thing wrong on purpose at a time, and say which evening found it.") var planted = false

    func validate() throws {
        if json, planted { throw ValidationError("--planted prints words only: leave --json out") }
    }

    func run() async throws {
        if planted { return try showPlanted() }
        var summary = SiteSummary()
        for seed in evenings.all {
            let report = SiteEvening.play(seed: seed)
            summary.add(report)
            if json {
                try printJSON(report)
            } else {
                evenings.tell(seed, broke: report.violations, lineEvery: 1_000, playedBy: "roomful lab sites")
            }
        }
        if !json { for line in summary.lines { print(line) } }
        if summary.broken > 0 { throw ExitCode.failure }
    }

    private func printJSON(_ report: SiteReport) throws {
        struct Line: Encodable {
            var seed: UInt64
            var digest: String
            var durationMs: Double
            var hosts: Int
            var violations: [String]
            var counts: [String: Int]
            var takeoversMs: [Double]
            var handoversMs: [Double]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(
            seed: report.seed, digest: String(report.digest, radix: 16), durationMs: report.duration / .milliseconds(1),
            hosts: report.hosts, violations: report.violations, counts: report.counts,
            takeoversMs: report.takeovers.map { $0 / .milliseconds(1) },
            handoversMs: report.handovers.map { $0 / .milliseconds(1) })
        print(String(decoding: try encoder.encode(line), as: UTF8.self))
    }

    /// A fault that no evening finds is a law that proves nothing.
    private func showPlanted() throws {
        var isFound = true
        for fault in PlantedFault.all {
            if let report = SiteEvening.finding(fault, in: evenings.all) {
                print("\(fault):\n  found by seed \(report.seed), \(report.violations.first ?? "")")
            } else {
                print("\(fault):\n  NOT found by \(plural(evenings.seeds, "evening"))")
                isFound = false
            }
        }
        if !isFound { throw ExitCode.failure }
    }
}
