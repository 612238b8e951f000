package import WireProtocol

/// Looks for taps where the samples are taken, by the rule and the code with which the host looks for them.
///
/// ```swift
/// var taps = LocalTaps(tap, of: declaration)
/// if taps.take(sample) { … }                        // for each sample of the stream, in order
/// ```
package struct LocalTaps: Sendable {
    private var lane: MotionLane
    private var recognizer: TapRecognizer
    private var index: UInt64 = 0

    /// - Parameters:
    ///   - tap: the host's rule, whatever it says.
    ///   - declaration: of the stream whose samples will be taken.
    package init(_ tap: LocalDetection.Tap, of declaration: StreamDeclaration) {
        var rule = TapRule(
            knock: tap.knock, longest: tap.longest, quiet: tap.quiet, calm: tap.calm, turn: tap.turn)
        rule.fullStrength = max(rule.fullStrength, rule.knock + 1)
        recognizer = TapRecognizer(rule)
        let usual = MergeConfiguration()
        lane = MotionLane(
            declaration: declaration, longestBridge: usual.longestBridge, mostBridged: 4_096,
            orientation: usual.orientation)
    }

    /// Takes the next sample; whether it shows that the device was tapped.
    package mutating func take(_ sample: Sample) -> Bool {
        // Nothing is late where it is taken.
        let arrival = Timeline.Arrival(
            index: index, sample: sample, arrivedAt: HostTime(nanoseconds: sample.sampledAt.nanoseconds))
        index += 1
        guard let step = lane.take(arrival) else { return false }
        if step.followsHole { recognizer.interrupt() }
        return recognizer.update(lane.current)?.phase == .began
    }
}
