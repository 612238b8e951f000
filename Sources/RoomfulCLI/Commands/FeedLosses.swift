import Foundation
import Synchronization
import WireProtocol

/// What is fed and does not reach the room: said where it begins, and counted for the report.
final class FeedLosses: Sendable {
    private let crowded = Atomic(0)
    private let hasToldAttitude = Atomic(false)

    /// Samples that were read faster than they were handed on.
    var crowdedOut: Int { crowded.load(ordering: .relaxed) }

    func crowdOut() { crowded.wrappingAdd(1, ordering: .relaxed) }

    /// Says of the first sample whose attitude is none that it is left out; the link refuses it, and counts it.
    func look(at sample: Sample, of codec: SampleCodec) {
        guard !codec.hasUnitAttitude(sample), !hasToldAttitude.exchange(true, ordering: .relaxed) else { return }
        let attitude = sample.attitude.indices.map { String(format: "%g", sample.attitude[$0]) }.joined(separator: ",")
        Failure.say(
            "what has an attitude that is no unit quaternion, such as \(attitude), is left out with all that it measures; "
                + "the report counts it")
    }
}
