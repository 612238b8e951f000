import ArgumentParser
import Foundation
import RoomSimulation
import WireProtocol

/// `roomful lab evenings`: whole rooms in simulated time, and the laws that must hold in each.
struct Evenings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evenings",
        abstract: "Play simulated evenings of whole rooms, and say which laws broke.",
        discussion: """
            Example:  roomful lab evenings --seeds 1000
            An evening is a room with its engine, two to nine controllers by UDP and by browser, the networks between \
            them, an operator who meddles and, in some, a guest who wants to break it. Everything follows from a seed: \
            the same seed is the same evening, to the byte. Laws: both ledgers equal what was really sent and let \
            through, one owner a seat, one end an invitation, one answer a question, gestures told once and at their \
            time, events in an order that makes sense, nothing kept without an end. Ends with 1 if one broke.
            """)

    @OptionGroup var evenings: EveningSeeds
    @Option(help: "Seats of each room; else two to seven, by the seed.") var seats: Int?
    @Option(help: "Length of each evening in simulated seconds; else 40 to 120, by the seed.") var length: Int?
    @Flag(help: "One JSON object an evening.") var json = false

    func validate() throws {
        if let seats, !(1...64).contains(seats) { throw ValidationError("--seats must be 1 to 64") }
        if let length, !(1...86_400).contains(length) { throw ValidationError("--length must be 1 to 86400 s") }
    }

    func run() async throws {
        let size = EveningSize(seats: seats, duration: length.map { .seconds($0) })
        var (broken, simulated) = (0, Duration.zero)
        for seed in evenings.all {
            let report = Evening.play(seed: seed, size: size)
            simulated += report.duration
            if !report.violations.isEmpty { broken += 1 }
            if json {
                try printJSON(report)
            } else {
                evenings.tell(seed, broke: report.violations, lineEvery: 100, playedBy: "roomful lab evenings")
            }
        }
        if !json {
            let hours = (simulated / .seconds(3_600)).formatted(.number.precision(.fractionLength(1)))
            print("\(plural(evenings.seeds, "evening")), \(hours) h by their own clocks: \(broken) broke a law")
        }
        if broken > 0 { throw ExitCode.failure }
    }

    private func printJSON(_ report: EveningReport) throws {
        struct Line: Encodable {
            var seed: UInt64
            var digest: String
            var durationMs: Double
            var controllers: Int
            var violations: [String]
            var counts: [String: Int]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(
            seed: report.seed, digest: String(report.digest, radix: 16), durationMs: report.duration / .milliseconds(1),
            controllers: report.controllers, violations: report.violations, counts: report.counts)
        print(String(decoding: try encoder.encode(line), as: UTF8.self))
    }
}
