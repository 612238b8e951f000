// Plays simulated evenings and says which laws broke: `EveningCheck [--seconds S | FIRST COUNT]`. Optimised, it plays
// several a second; the same seeds run in the tests, in debug, and with `roomful lab evenings`.
import Foundation
import Glibc
import RoomSimulation

let arguments = Array(CommandLine.arguments.dropFirst())
var (first, count, seconds) = (UInt64(1), UInt64(10), Double.infinity)
if arguments.first == "--seconds", arguments.count == 2, let limit = Double(arguments[1]) {
    (count, seconds) = (.max - 1, limit)
} else if arguments.count == 2, let from = UInt64(arguments[0]), let number = UInt64(arguments[1]) {
    (first, count) = (from, number)
} else if !arguments.isEmpty {
    print("usage: EveningCheck [--seconds S | FIRST COUNT]")
    exit(2)
}

let clock = ContinuousClock()
let began = clock.now
var totals: [String: Int] = [:]
var (played, broken) = (0, 0)
var simulated = Duration.zero
for seed in first...(first + (count - 1)) {
    guard (clock.now - began) / .seconds(1) < seconds else { break }
    // Should it trap, the seed is the last line.
    FileHandle.standardError.write(Data("playing seed \(seed)\r".utf8))
    let report = Evening.play(seed: seed)
    played += 1
    simulated += report.duration
    for (what, number) in report.counts { totals[what, default: 0] += number }
    // Every hundredth is played twice: the same seed is the same evening, to the byte.
    if seed % 100 == 0, Evening.play(seed: seed).digest != report.digest {
        broken += 1
        print("seed \(seed) is not the same evening twice")
    }
    guard !report.violations.isEmpty else { continue }
    broken += 1
    print("seed \(seed):")
    for violation in report.violations.prefix(5) { print("  \(violation)") }
}
for (what, number) in totals.sorted(by: { $0.key < $1.key }) { print("\(what): \(number)") }
print("seeds \(first) to \(first + UInt64(played) - 1), \(simulated / .seconds(3_600)) h of evenings")
print("\(played - broken) passed, \(broken) failed")
if broken > 0 { exit(1) }
