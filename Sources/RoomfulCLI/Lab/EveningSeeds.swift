import ArgumentParser

/// Which simulated evenings are played: each follows from its seed.
struct EveningSeeds: ParsableArguments {
    @Option(help: "How many evenings.") var seeds: Int = 100
    @Option(help: "The first seed.") var from: UInt64 = 1

    func validate() throws {
        guard (1...10_000_000).contains(seeds) else { throw ValidationError("--seeds must be 1 to 10000000") }
        guard from <= .max - UInt64(seeds) else { throw ValidationError("--from is too large") }
    }

    var all: Range<UInt64> { from..<from + UInt64(seeds) }

    /// Prints a line after every so many, and everything about an evening that broke a law.
    ///
    /// - Parameter command: what plays it again.
    func tell(_ seed: UInt64, broke violations: [String], lineEvery step: UInt64, playedBy command: String) {
        let played = seed - from + 1
        if played % step == 0 { print("\(played) played") }
        guard !violations.isEmpty else { return }
        print("seed \(seed):")
        for violation in violations { print("  \(violation)") }
        print("  play it again: \(command) --seeds 1 --from \(seed)")
    }
}
