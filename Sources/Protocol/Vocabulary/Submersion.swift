/// What a device's water sensor read at one moment, in CoreMotion's terms (`CMWaterSubmersionMeasurement`,
/// `CMWaterTemperature`).
///
/// It is kept in the whole steps in which it travels, so that nothing in it is no number; what is set beyond what the steps
/// reach is clipped. What does not apply, or was not measured, is `nil` and never 0.
public struct Submersion: Hashable, Sendable {
    /// What the sensor says of itself.
    public enum Condition: String, Hashable, Sendable, Codable, CaseIterable {
        /// It does not know.
        case unknown
        /// It is out of the water.
        case notSubmerged
        /// It is under water, and measures.
        case submerged
        /// It is deeper than it can measure.
        case pastMaxDepth
        /// It is under water, and cannot measure how deep.
        case sensorDepthError

        /// As it travels; what no version knows is read as ``unknown``.
        init(number: UInt8) {
            self = Self.allCases.indices.contains(Int(number)) ? Self.allCases[Int(number)] : .unknown
        }

        var number: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) }
    }

    // The condition is last: so they fill what a sample had room for anyway.
    private var depthSteps = Int16.min
    private var depthUncertaintySteps = UInt16.max
    private var pressureSteps = UInt16.max
    private var surfacePressureSteps = UInt16.max
    private var temperatureSteps = Int16.min
    private var temperatureUncertaintySteps = UInt16.max
    /// What the sensor says of itself.
    public var condition: Condition

    /// Nothing was measured.
    public init() { condition = .unknown }

    /// A reading; what is left out does not apply. What is no number is left out, too.
    ///
    /// Units are those of the properties.
    public init(
        _ condition: Condition, depth: Double? = nil, depthUncertainty: Double? = nil,
        pressure: Double? = nil, surfacePressure: Double? = nil, temperature: Double? = nil,
        temperatureUncertainty: Double? = nil
    ) {
        self.condition = condition
        self.depth = depth
        self.depthUncertainty = depthUncertainty
        self.pressure = pressure
        self.surfacePressure = surfacePressure
        self.temperature = temperature
        self.temperatureUncertainty = temperatureUncertainty
    }

    /// In m below the surface, ± 327.67, in steps of 1 cm.
    public var depth: Double? {
        get { Self.value(depthSteps, per: 100) }
        set { depthSteps = Self.steps(newValue, per: 100) }
    }

    /// How far ``depth`` may be wrong either way, in m: 0 to 655.34, in steps of 1 cm. It grows with the depth.
    public var depthUncertainty: Double? {
        get { Self.value(depthUncertaintySteps, per: 100) }
        set { depthUncertaintySteps = Self.steps(newValue, per: 100) }
    }

    /// Of the water around the device, the air's above it included, in kPa: 0 to 6,553.4, in steps of 0.1.
    public var pressure: Double? {
        get { Self.value(pressureSteps, per: 10) }
        set { pressureSteps = Self.steps(newValue, per: 10) }
    }

    /// Of the air above the water, in kPa: 0 to 6,553.4, in steps of 0.1.
    public var surfacePressure: Double? {
        get { Self.value(surfacePressureSteps, per: 10) }
        set { surfacePressureSteps = Self.steps(newValue, per: 10) }
    }

    /// Of the water, in °C: ± 327.67, in steps of 0.01.
    public var temperature: Double? {
        get { Self.value(temperatureSteps, per: 100) }
        set { temperatureSteps = Self.steps(newValue, per: 100) }
    }

    /// How far ``temperature`` may be wrong either way, in °C: 0 to 655.34, in steps of 0.01.
    public var temperatureUncertainty: Double? {
        get { Self.value(temperatureUncertaintySteps, per: 100) }
        set { temperatureUncertaintySteps = Self.steps(newValue, per: 100) }
    }

    private static func value(_ steps: Int16, per unit: Double) -> Double? {
        steps == .min ? nil : Double(steps) / unit
    }

    private static func value(_ steps: UInt16, per unit: Double) -> Double? {
        steps == .max ? nil : Double(steps) / unit
    }

    private static func steps(_ value: Double?, per unit: Double) -> Int16 {
        guard let value, value.isFinite else { return .min }
        return Int16(max(-32_767, min(32_767, (value * unit).rounded(.toNearestOrEven))))
    }

    private static func steps(_ value: Double?, per unit: Double) -> UInt16 {
        guard let value, value.isFinite else { return .max }
        return UInt16(max(0, min(65_534, (value * unit).rounded(.toNearestOrEven))))
    }
}

extension Submersion {
    /// Bytes on the wire.
    static let size = 13

    func write(to writer: inout ByteWriter) {
        writer.write(condition.number)
        writer.write(depthSteps)
        writer.write(depthUncertaintySteps)
        writer.write(pressureSteps)
        writer.write(surfacePressureSteps)
        writer.write(temperatureSteps)
        writer.write(temperatureUncertaintySteps)
    }

    init(from reader: inout ByteReader) throws(FrameError) {
        condition = Condition(number: try reader.read())
        depthSteps = try reader.read()
        depthUncertaintySteps = try reader.read()
        pressureSteps = try reader.read()
        surfacePressureSteps = try reader.read()
        temperatureSteps = try reader.read()
        temperatureUncertaintySteps = try reader.read()
    }
}
