import Foundation
import Histogram
import Roomful
import Synchronization
import WireProtocol

/// When each controller of a fleet measures: all at the same rate, spread evenly over the interval.
struct FleetSchedule: Sendable {
    var begin: DeviceTime
    var controllers: Int
    /// Samples a second.
    var rate: Double
    var samplesEach: Int

    func time(_ sample: Int, of place: Int) -> DeviceTime {
        begin + .nanoseconds(Int64((Double(sample) + Double(place) / Double(controllers)) / rate * 1e9))
    }
}

/// The thread that makes all of a fleet's samples and hands each to its controller when it is due.
final class FleetPace: Sendable {
    /// How it went.
    struct Outcome: Sendable {
        /// Samples handed over by each controller.
        var samplesEach = 0
        /// How late they were handed over, in microseconds: the fleet's own fault, not the network's or the host's.
        var lateness = Histogram<UInt32>(highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: .two)
    }

    private let schedule: FleetSchedule
    private let controllers: [Controller]
    private let seed: UInt64
    private let isStopped = Atomic(false)
    private let sent = Atomic(0)

    init(_ schedule: FleetSchedule, controllers: [Controller], seed: UInt64) {
        self.schedule = schedule
        self.controllers = controllers
        self.seed = seed
    }

    /// Samples handed over so far.
    var count: Int { sent.load(ordering: .relaxed) }

    /// Makes ``run()`` return after the sample that is due.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Returns when every controller has made all its samples.
    func run() async -> Outcome {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: self.work()) }
            thread.name = "fleet-pace"
            thread.start()
        }
    }

    private func work() -> Outcome {
        var outcome = Outcome()
        var motions = controllers.indices.map { SimulatedMotion(seed: seed, place: $0) }
        while outcome.samplesEach < schedule.samplesEach, !isStopped.load(ordering: .relaxed) {
            let number = outcome.samplesEach
            var now = Controller.deviceTimeNow()
            for (place, controller) in controllers.enumerated() {
                let due = schedule.time(number, of: place)
                if due > now {
                    now = Controller.deviceTimeNow()
                    // Half a millisecond at least: a thousand wakes a second are enough.
                    if due > now { Thread.sleep(forTimeInterval: max(0.0005, (due - now).milliseconds / 1_000)) }
                    now = Controller.deviceTimeNow()
                }
                outcome.lateness.record(UInt64(max(0, min(60_000_000, (now - due).wholeNanoseconds / 1_000))))
                controller.send(motions[place].sample(after: Double(number) / schedule.rate, at: due))
            }
            sent.add(controllers.count, ordering: .relaxed)
            outcome.samplesEach += 1
        }
        return outcome
    }
}
