// Plays simulated evenings of sites and says which laws broke: `SiteCheck [FIRST COUNT | --planted]`. Optimised; the
// same seeds run in the tests, in debug, and with `roomful lab sites`.
import Glibc
import SiteSimulation
import WireProtocol

let arguments = Array(CommandLine.arguments.dropFirst())
var (first, count) = (UInt64(1), UInt64(1_000))
if arguments == ["--planted"] {
    var isFound = true
    for fault in PlantedFault.all {
        let report = SiteEvening.finding(fault, in: 1...1_000)
        print("\(fault): \(report.map { "seed \($0.seed), \($0.violations.first ?? "")" } ?? "NOT FOUND")")
        isFound = isFound && report != nil
    }
    exit(isFound ? 0 : 1)
} else if arguments.count == 2, let from = UInt64(arguments[0]), let number = UInt64(arguments[1]), number > 0,
    from < .max - number
{
    (first, count) = (from, number)
} else if !arguments.isEmpty {
    print("usage: SiteCheck [FIRST COUNT | --planted]")
    exit(2)
}

let clock = ContinuousClock()
let began = clock.now
var summary = SiteSummary()
for seed in first..<first + count {
    let report = SiteEvening.play(seed: seed)
    summary.add(report)
    // Every hundredth is played twice: the same seed is the same evening, to the byte.
    if seed % 100 == 0, SiteEvening.play(seed: seed) != report {
        print("seed \(seed) is not the same evening twice")
        exit(1)
    }
    for violation in report.violations.prefix(5) { print("seed \(seed): \(violation)") }
}
for line in summary.lines { print(line) }
print("seeds \(first) to \(first + count - 1) in \((clock.now - began) / .seconds(1)) s")
exit(summary.broken == 0 ? 0 : 1)
