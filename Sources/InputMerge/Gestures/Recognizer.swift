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

    /// What the stream can show at all; told once, before the first sample.
    mutating func suit(_ declaration: StreamDeclaration)

    /// How long the player flies, as far as earlier jumps show.
    mutating func learn(_ airtimes: Airtimes)

    /// Whether something was told of a motion that goes on, and not that it is over.
    var isShaping: Bool { get }
}

extension Recognizer {
    mutating func interrupt() {}
    mutating func rezero(gravity: SIMD3<Double>) {}
    mutating func suit(_ declaration: StreamDeclaration) {}
    mutating func learn(_ airtimes: Airtimes) {}
    var isShaping: Bool { false }
}

/// What a recognizer saw in the newest sample.
///
/// Nearly every sample shows nothing. So what was seen lies in a box of its own: saying nothing costs one word, for every
/// recognizer of every sample.
@dynamicMemberLookup
struct Recognition: Hashable, Sendable {
    struct Content: Hashable, Sendable {
        var phase: GestureEvent.Phase
        var strength: Double
        var confidence: Double
        var measures: GestureMeasures
        /// Which taught gesture it is; `nil` for those that are built in.
        var kind: GestureKind?
        /// What the player did; without a kind, in a lesson, where nothing else counts.
        var trace: MotionTrace?
        /// How much longer a jump lasted than was foretold, in s.
        var airtimeDifference: Double?
        /// Of a stroke that is over: what a faster sensor needs to know, to tell what it met.
        var stroke: Stroke?
        /// What a motion may become that goes on; without a kind, that is all that was seen.
        var shaping: Shaping?
        /// A button said so, and no motion.
        var isPressed = false
    }

    private indirect enum Box: Hashable, Sendable { case content(Content) }

    private var box: Box

    init(
        _ phase: GestureEvent.Phase, strength: Double, confidence: Double, measures: GestureMeasures = GestureMeasures()
    ) {
        box = .content(
            Content(
                phase: phase, strength: min(max(strength, 0), 1), confidence: min(max(confidence, 0), 1),
                measures: measures))
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

    /// A button was pressed, or let go, that means a gesture.
    init(pressed phase: GestureEvent.Phase, _ kind: GestureKind?) {
        self.init(phase, strength: phase == .ended ? 0 : 1, confidence: 1)
        self.kind = kind
        self.isPressed = true
    }

    private var content: Content {
        get {
            switch box {
            case .content(let content): content
            }
        }
        set { box = .content(newValue) }
    }

    subscript<Value>(dynamicMember member: WritableKeyPath<Content, Value>) -> Value {
        get { content[keyPath: member] }
        set { content[keyPath: member] = newValue }
    }

    /// Whether it is no gesture: something for a lesson, or that may become one.
    var isAside: Bool { self.kind == nil && (self.trace != nil || self.shaping != nil) }
}

extension DeviceTime {
    /// Whether less than `duration` passed from `earlier` to this moment; a clock that was set back says no.
    func isWithin(_ duration: Duration, after earlier: DeviceTime) -> Bool {
        self >= earlier && self - earlier < duration
    }

    /// When a force crossed the level between the sample `before` and this moment's, on a straight line; this moment where
    /// that is not known.
    func crossing(of level: Double, _ force: Double, since before: (time: Self, force: Double)?) -> Self {
        guard let before, (before.force < level) != (force < level) else { return self }
        let span = Double((self - before.time).wholeNanoseconds)
        let share = (level - force) / (before.force - force)
        return self - .nanoseconds(Int64(span * min(max(share, 0), 1)))
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
