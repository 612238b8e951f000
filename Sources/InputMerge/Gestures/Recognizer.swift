import WireProtocol

/// Watches one controller's motion for one gesture.
///
/// Causal and timed by the device's clock alone, so that neither the network nor the frame rate changes what it sees.
/// Allocates nothing while it watches.
protocol Recognizer: Sendable {
    /// Looks at the next sample of the stream. `began` and `ended` alternate, `changed` lies between them.
    mutating func update(_ motion: DeviceMotion) -> Recognition?

    /// Something is missing before the next sample: what was half seen is forgotten.
    mutating func interrupt()

    /// Where the device lies now counts as its resting place.
    mutating func rezero(gravity: SIMD3<Double>)
}

extension Recognizer {
    mutating func interrupt() {}
    mutating func rezero(gravity: SIMD3<Double>) {}
}

/// What a recognizer saw in the newest sample.
struct Recognition: Hashable, Sendable {
    var phase: GestureEvent.Phase
    var strength: Double
    var confidence: Double
    var measures: GestureMeasures
    /// Which taught gesture it is; `nil` for those that are built in.
    var kind: GestureKind?
    /// What the player showed in a lesson; then nothing else counts.
    var trace: MotionTrace?

    init(
        _ phase: GestureEvent.Phase, strength: Double, confidence: Double, measures: GestureMeasures = GestureMeasures()
    ) {
        self.phase = phase
        self.measures = measures
        self.strength = min(max(strength, 0), 1)
        self.confidence = min(max(confidence, 0), 1)
    }

    /// A measure that crossed its threshold: 0 to 1 from threshold to full strength; sure at twice the threshold.
    init(
        _ phase: GestureEvent.Phase, measure: Double, threshold: Double, fullStrength: Double,
        measures: GestureMeasures = GestureMeasures()
    ) {
        self.init(
            phase, strength: (measure - threshold) / (fullStrength - threshold),
            confidence: 0.5 * measure / threshold, measures: measures)
    }
}

extension DeviceTime {
    /// Whether less than `duration` passed from `earlier` to this moment; a clock that was set back says no.
    func isWithin(_ duration: Duration, after earlier: DeviceTime) -> Bool {
        self >= earlier && self - earlier < duration
    }

    /// Negative when the clock was set back meanwhile.
    func seconds(since earlier: DeviceTime) -> Double {
        Double(nanoseconds.saturatingSubtract(earlier.nanoseconds)) / 1e9
    }
}

extension Duration {
    var seconds: Double { Double(wholeNanoseconds) / 1e9 }
}

extension DeviceMotion {
    /// How strongly the device is held or pushed, in g: 1 at rest, 0 in free fall.
    var force: Double { (gravity + userAcceleration).length }
}
