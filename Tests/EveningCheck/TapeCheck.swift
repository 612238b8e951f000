import FlightRecorder
import Foundation
import RoomEngine
import RoomSimulation
import SessionCoordinator

/// A recorded evening of 21 controllers at 100 Hz, with contests, and somebody who listens to the players' motion: played
/// again twice.
struct TapeCheck {
    let tapes: [EveningTape]
    private let clock = ContinuousClock()

    init(seed: UInt64, minutes: Int64) {
        var size = EveningSize(seats: 20, rate: 100, duration: .seconds(minutes * 60), guests: 1)
        (size.tellsMotion, size.hasContests) = (true, true)
        let began = clock.now
        let (report, tapes) = Evening.record(seed: seed, size: size)
        self.tapes = tapes
        let took = seconds(clock.now - began)
        print("\(minutes) min of \(report.controllers) controllers at 100 Hz recorded in \(took) s, seed \(seed):")
        let shown = ["commands", "departures", "haptics", "host pauses", "host restarts", "lessons", "verdicts"]
        print("  " + shown.map { "\($0) \(report.counts[$0] ?? 0)" }.joined(separator: ", "))
        for violation in report.violations { print("  \(violation)") }
    }

    private func seconds(_ duration: Duration) -> Double { (duration / .milliseconds(10)).rounded() / 100 }

    /// Whether it comes to the same, twice.
    func replays() -> Bool {
        let bytes = tapes.reduce(0) { $0 + $1.blocks.reduce(0) { $0 + $1.count } }
        let events = tapes.reduce(0) { $0 + $1.events.count }
        var isSame = true
        for _ in 0..<2 {
            let began = clock.now
            var (motions, samples) = (UInt64(0), UInt64(0))
            for tape in tapes {
                guard let (replay, _, difference) = try? tape.play() else { return false }
                if let difference {
                    print("differs: \(difference)")
                    isSame = false
                }
                motions += replay.motions
                let now = replay.engine.coordinator.reports(now: tape.opening.now)
                samples += now.reduce(0) { $0 + $1.samples.delivered + $1.samples.late }
                samples += replay.engine.departed.reduce(0) {
                    $0 + $1.report.samples.delivered + $1.report.samples.late
                }
            }
            let took = seconds(clock.now - began)
            let share = (Double(bytes) / Double(max(1, samples)) * 10).rounded() / 10
            print("\(events) events and \(motions) motions again in \(took) s, from \(bytes) bytes of tape:")
            print("  \(share) bytes a sample, before compression (each sample comes several times)")
        }
        print(isSame ? "the same, twice" : "NOT the same")
        return isSame
    }
}
