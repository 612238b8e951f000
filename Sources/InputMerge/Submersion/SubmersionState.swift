import WireProtocol

/// How deep a device is under water, as a diver's watch says it (CoreMotion's
/// `CMWaterSubmersionMeasurement.DepthState`).
public enum SubmersionState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nobody knows: nothing was read yet, the sensor says so, or it fell silent.
    case unknown
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

    /// So far down it is shallow, and so near to the greatest depth it is approached, in m.
    private static let margin = 1.0

    /// The state in which a device is that reads this, whatever it was in before.
    init(_ reading: Submersion, maximumDepth: Double) {
        switch reading.condition {
        case .unknown: self = .unknown
        case .notSubmerged: self = .notSubmerged
        case .pastMaxDepth: self = .pastMaxDepth
        case .sensorDepthError: self = .sensorDepthError
        case .submerged:
            guard let depth = reading.depth else {
                self = .unknown
                return
            }
            if depth < Self.margin {
                self = .submergedShallow
            } else if depth < maximumDepth - Self.margin {
                self = .submergedDeep
            } else {
                self = depth <= maximumDepth ? .approachingMaxDepth : .pastMaxDepth
            }
        }
    }

    /// The depths, by their order; `nil` for what says nothing of it.
    var depthRank: Int? {
        switch self {
        case .submergedShallow: 0
        case .submergedDeep: 1
        case .approachingMaxDepth: 2
        case .pastMaxDepth: 3
        case .unknown, .notSubmerged, .sensorDepthError: nil
        }
    }
}
