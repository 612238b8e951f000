public import WireProtocol

/// What a device's water sensor measured at one moment. What does not apply is absent, never 0.
public struct SubmersionMeasurement: Hashable, Sendable {
    /// A value with how far it may be wrong either way.
    public struct Uncertain: Hashable, Sendable, Codable {
        /// What was measured.
        public var value: Double
        /// How far it may be wrong either way, in the value's own unit.
        public var uncertainty: Double

        /// A value, plus or minus its uncertainty.
        public init(_ value: Double, uncertainty: Double) {
            self.value = value
            self.uncertainty = uncertainty
        }
    }

    /// Why there is no depth though the device is under water.
    public enum Fault: String, Error, Hashable, Sendable, Codable {
        /// The sensor cannot measure.
        case sensor
        /// Deeper than the sensor can measure.
        case tooDeep
    }

    /// When the sensor was read, on the device's clock.
    public var sampledAt: DeviceTime
    /// In m below the surface; absent out of the water, and with an ``error``.
    public var depth: Double?
    /// In °C; absent out of the water.
    public var waterTemperature: Uncertain?
    /// Of the air above the water, in kPa; absent while it was never measured there.
    public var surfacePressure: Double?
    /// Why there is no depth, under water; `nil` when there is one, and out of the water.
    public var error: Fault?

    /// A measurement; what is left out does not apply.
    public init(
        sampledAt: DeviceTime, depth: Double? = nil, waterTemperature: Uncertain? = nil,
        surfacePressure: Double? = nil, error: Fault? = nil
    ) {
        self.sampledAt = sampledAt
        self.depth = depth
        self.waterTemperature = waterTemperature
        self.surfacePressure = surfacePressure
        self.error = error
    }

    /// The same with everything absurd taken out: what is no number, or what no water and no air have.
    ///
    /// A depth beyond what the sensor measures becomes the fault that says so.
    public func checked(_ thresholds: SubmersionThresholds = SubmersionThresholds()) -> SubmersionMeasurement {
        var checked = self
        if let depth, !(-1...11_000).contains(depth) {
            checked.depth = nil
            checked.error = error ?? .sensor
        } else if let depth, depth > thresholds.deepest {
            checked.depth = nil
            checked.error = error ?? .tooDeep
        }
        if checked.error != nil { checked.depth = nil }
        if let temperature = waterTemperature,
            !(-5...110).contains(temperature.value) || !(0...100).contains(temperature.uncertainty)
        {
            checked.waterTemperature = nil
        }
        if let surfacePressure, !(30...120).contains(surfacePressure) { checked.surfacePressure = nil }
        return checked
    }
}
