/// How deep a device is under water, as a diver's watch says it.
public enum SubmersionState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Out of the water.
    case notSubmerged
    /// Less than 1 m deep.
    case submergedShallow
    /// At least 1 m deep, and not yet within 1 m of what the sensor can measure.
    case submergedDeep
    /// Within 1 m of the greatest depth that the sensor measures.
    case approachingMaxDepth
    /// Deeper than that: the depth is not known any more.
    case pastMaxDepth
    /// The sensor says that it cannot measure.
    case sensorDepthError

    /// The state in which a device is that measured this, whatever it was in before.
    public init(_ measurement: SubmersionMeasurement, thresholds: SubmersionThresholds = SubmersionThresholds()) {
        if measurement.error == .sensor {
            self = .sensorDepthError
        } else if measurement.error == .tooDeep {
            self = .pastMaxDepth
        } else if let depth = measurement.depth {
            self = Self.state(at: depth, thresholds)
        } else {
            self = .notSubmerged
        }
    }

    private static func state(at depth: Double, _ thresholds: SubmersionThresholds) -> Self {
        switch depth {
        case ...0: .notSubmerged
        case ..<thresholds.shallow: .submergedShallow
        case ..<(thresholds.deepest - thresholds.margin): .submergedDeep
        case ...thresholds.deepest: .approachingMaxDepth
        default: .pastMaxDepth
        }
    }
}

/// Where one state ends and the next begins, in m.
public struct SubmersionThresholds: Hashable, Sendable {
    /// Less deep is shallow: 0.1 to 10.
    public var shallow: Double
    /// What the sensor can measure: 1 to 200, and deeper than ``shallow``.
    public var deepest: Double
    /// So close to ``deepest`` it is approached: 0.1 to ``deepest`` - ``shallow``.
    public var margin: Double

    /// By default shallow ends at 1 m, and the sensor measures down to 6 m. ``problem`` names what is out of its range.
    public init(shallow: Double = 1, deepest: Double = 6, margin: Double = 1) {
        self.shallow = shallow
        self.deepest = deepest
        self.margin = margin
    }

    /// Which value is out of its range, in words for whoever set it; `nil` when all are usable.
    public var problem: String? {
        outOfRange("shallow", shallow, in: 0.1...10, unit: "m")
            ?? outOfRange("deepest", deepest, in: max(1, shallow.nextUp)...200, unit: "m")
            ?? outOfRange("margin", margin, in: min(0.1, deepest - shallow)...(deepest - shallow), unit: "m")
    }
}
