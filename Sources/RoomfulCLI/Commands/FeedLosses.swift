import Foundation
import Synchronization
import WireProtocol

/// What is fed and does not reach the room: said where it begins, and counted for the report.
final class FeedLosses: Sendable {
    private struct Counts {
        var crowdedOut = 0
        var marks = 0
        var hasToldAttitude = false
        var toldOfMarks: Set<String> = []
    }

    private let counts = Mutex(Counts())

    /// Samples that were read faster than they were handed on.
    var crowdedOut: Int { counts.withLock { $0.crowdedOut } }
    var marks: Int { counts.withLock { $0.marks } }

    func crowdOut() { counts.withLock { $0.crowdedOut += 1 } }

    /// Says of the first sample whose attitude is none that it is left out; the link refuses it, and counts it.
    func look(at sample: Sample, of codec: SampleCodec) {
        guard !codec.hasUnitAttitude(sample) else { return }
        let isFirst = counts.withLock { counts in
            defer { counts.hasToldAttitude = true }
            return !counts.hasToldAttitude
        }
        guard isFirst else { return }
        let attitude = sample.attitude.indices.map { String(format: "%g", sample.attitude[$0]) }.joined(separator: ",")
        Failure.say(
            "what has an attitude that is no unit quaternion, such as \(attitude), is left out with all that it measures; "
                + "the report counts it")
    }

    /// - Parameter reason: of each that comes up the first mark is told.
    func leaveOut(marks count: Int = 1, because reason: String) {
        let isFirst = counts.withLock { counts in
            counts.marks += count
            return counts.toldOfMarks.insert(reason).inserted
        }
        if isFirst { Failure.say("a mark is left out: \(reason); the report counts them") }
    }
}
