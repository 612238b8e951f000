// Plays simulated evenings and says which laws broke: `EveningCheck [--seconds S | --hour SEED | FIRST COUNT]`. The hour
// is one of 21 controllers, played twice: it must come to the same bytes. Optimised, it plays several evenings a second;
// the same seeds run in the tests, in debug, and with `roomful lab evenings`.
//
// `--tape MINUTES [SEED [FILE]]` is of 21 controllers at 100 Hz: it must play again to the same, twice, and is timed
// beside the same evening without a recorder. With FILE it is kept, and `--again FILE` plays it in another build.
import Foundation
import Glibc
import RoomSimulation

/// An hour of 21 controllers with everything that can happen, twice.
func playHour(_ seed: UInt64) -> Never {
    let clock = ContinuousClock()
    var reports: [EveningReport] = []
    for _ in 0..<2 {
        let began = clock.now
        reports.append(Evening.play(seed: seed, size: .hour))
        print("an hour of \(reports[0].controllers) controllers in \((clock.now - began) / .seconds(1)) s")
    }
    for (what, number) in reports[0].counts.sorted(by: { $0.key < $1.key }) { print("\(what): \(number)") }
    for violation in reports[0].violations { print("  \(violation)") }
    let isSame = reports[0] == reports[1]
    print(isSame ? "twice to the same bytes, digest \(reports[0].digest)" : "NOT the same hour twice")
    exit(reports[0].violations.isEmpty && isSame ? 0 : 1)
}

/// An evening on tape, played again twice, and what the recorder costs the engine.
func checkTape(_ minutes: Int64, _ more: [String]) -> Never {
    let seed = more.first.flatMap(UInt64.init) ?? 21
    let check = TapeCheck(seed: seed, minutes: minutes)
    let isSame = check.replays()
    if let path = more.dropFirst().first {
        do {
            try KeptTapes.write(check.tapes, to: path)
            print("kept in \(path): EveningCheck --again \(path) plays it in another build")
        } catch {
            print("\(path) cannot be written: \(error)")
            exit(1)
        }
    }
    TapeCost(check.tapes.max { $0.events.count < $1.events.count })?.measure()
    exit(isSame ? 0 : 1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
var (first, count, seconds) = (UInt64(1), UInt64(10), Double.infinity)
if arguments.first == "--seconds", arguments.count == 2, let limit = Double(arguments[1]) {
    (count, seconds) = (.max - 1, limit)
} else if arguments.first == "--hour", arguments.count == 2, let seed = UInt64(arguments[1]) {
    playHour(seed)
} else if arguments.first == "--tape", arguments.count >= 2, let minutes = Int64(arguments[1]), minutes > 0 {
    checkTape(minutes, Array(arguments.dropFirst(2)))
} else if arguments.first == "--again", arguments.count == 2 {
    do {
        exit(try KeptTapes.play(arguments[1]) ? 0 : 1)
    } catch {
        print("\(arguments[1]) cannot be played: \(error)")
        exit(1)
    }
} else if arguments.count == 2, let from = UInt64(arguments[0]), let number = UInt64(arguments[1]) {
    (first, count) = (from, number)
} else if !arguments.isEmpty {
    print("usage: EveningCheck [--seconds S | --hour SEED | --tape MINUTES [SEED [FILE]] | --again FILE | FIRST COUNT]")
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
    // Every tenth, shorter, is played with a host that is turned all the time, too: one that waits to be woken says the
    // same.
    if seed % 10 == 0, let difference = Evening.wakingDifference(seed: seed) {
        broken += 1
        print("seed \(seed), of twenty seconds: \(difference)")
    }
    // And every fiftieth is recorded, and plays again to the same events.
    if seed % 50 == 0, let difference = Evening.replayDifference(seed: seed) {
        broken += 1
        print("seed \(seed) does not replay: \(difference)")
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
