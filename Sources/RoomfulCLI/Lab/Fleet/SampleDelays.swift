import ControllerSession
import Histogram
import Roomful
import WireProtocol

/// How long a fleet's samples took to the room's door, worked out from the logs of senders and relay.
struct SampleDelays: Sendable {
    /// From the moment of the sample until the first copy that was not lost was passed on to the room, in microseconds.
    private(set) var age = Self.empty()
    /// From the first datagram that carried it to the first that carried it and was not lost, at their sending, in
    /// microseconds: what losses added.
    private(set) var added = Self.empty()

    private static let longest: Int64 = 600_000_000
    private static func empty() -> Histogram<UInt32> {
        Histogram(highestTrackableValue: UInt64(longest), numberOfSignificantValueDigits: .two)
    }

    /// What is known of one sample.
    private struct Trip {
        var firstSentAt: Int64
        var carrierSentAt: Int64?
        var arrivedAt: Int64?
    }

    /// - Parameter sampledAt: the time of a sample by its index. Of a controller that renumbered its stream only the
    ///   first stream epoch counts.
    mutating func note(_ witness: FleetWitness, sampledAt: (Int) -> DeviceTime) {
        var trips: [Trip] = []
        for epoch in witness.epochs {
            for entry in epoch.log {
                for run in entry.runs where run.epoch == 0 {
                    // New indexes come in their order: each datagram goes on where one before ended.
                    while trips.count < Int(run.first + run.count) {
                        trips.append(Trip(firstSentAt: entry.sentAt.nanoseconds))
                    }
                }
            }
            for delivery in epoch.delivered {
                guard let entry = epoch.entry(delivery.number) else { continue }
                for run in entry.runs where run.epoch == 0 {
                    for index in Int(run.first)..<Int(run.first + run.count) where trips[index].arrivedAt == nil {
                        trips[index].arrivedAt = delivery.at
                        trips[index].carrierSentAt = entry.sentAt.nanoseconds
                    }
                }
            }
        }
        for (index, trip) in trips.enumerated() {
            guard let arrivedAt = trip.arrivedAt, let carrierSentAt = trip.carrierSentAt else { continue }
            age.record(Self.microseconds(arrivedAt - sampledAt(index).nanoseconds))
            added.record(Self.microseconds(carrierSentAt - trip.firstSentAt))
        }
    }

    private static func microseconds(_ nanoseconds: Int64) -> UInt64 {
        UInt64(min(longest, max(0, nanoseconds / 1_000)))
    }
}

extension PeerStatus.Percentiles {
    /// Of microseconds; `nil` when nothing was recorded.
    init?(_ histogram: Histogram<UInt32>) {
        guard histogram.totalCount > 0 else { return nil }
        func milliseconds(_ microseconds: UInt64) -> Double { Double(microseconds) / 1_000 }
        self.init(
            n: Int(histogram.totalCount), p50Ms: milliseconds(histogram.valueAtPercentile(50)),
            p95Ms: milliseconds(histogram.valueAtPercentile(95)), p99Ms: milliseconds(histogram.valueAtPercentile(99)),
            maxMs: milliseconds(histogram.max))
    }
}
