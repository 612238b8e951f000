/// One reading of a controller's sensors.
///
/// Axes are the device's own, right-handed: x to the right, y to the top edge, z out of the screen. Which parts are
/// measured says ``measures``; the others are zero and mean nothing.
public struct Sample: Hashable, Sendable {
    /// When the sensor was read, on the device's clock: not when the reading was sent, nor when it arrived.
    public var sampledAt: DeviceTime
    /// Which of the following parts were measured.
    public var measures: Measures
    /// Specific force in m/s², as Android and W3C count it: at rest, face up, z reads +9.81.
    public var acceleration: SIMD3<Float>
    /// Angular rate in rad/s about x, y, z.
    public var rotationRate: SIMD3<Float>
    /// Orientation, unit quaternion in the order w, x, y, z (Hamilton), body to earth with z up.
    public var attitude: SIMD4<Float>
    /// Buttons held down, bit 0 the first.
    public var buttons: UInt16
    /// How deep it is under water.
    public var submersion: Submersion
    /// Charge in percent, 0 to 100.
    public var battery: UInt8

    /// The parts of a sample.
    public struct Measures: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Specific force: three axes, 6 bytes on the wire.
        public static let acceleration = Measures(rawValue: 1)
        /// Angular rate: three axes, 6 bytes.
        public static let rotationRate = Measures(rawValue: 2)
        /// Orientation by the device's own fusion: a quaternion, 8 bytes.
        public static let attitude = Measures(rawValue: 4)
        /// Buttons held down: 2 bytes.
        public static let buttons = Measures(rawValue: 8)
        /// Charge: 1 byte.
        public static let battery = Measures(rawValue: 16)
        /// Depth, pressures, temperature of the water, and how far each may be wrong: 13 bytes.
        public static let submersion = Measures(rawValue: 32)
        /// Everything that this version knows.
        public static let known: Measures = [
            .acceleration, .rotationRate, .attitude, .buttons, .battery, .submersion,
        ]
    }

    /// A reading; parts that `measures` leaves out stay as they are by default.
    public init(
        sampledAt: DeviceTime, measures: Measures = [.acceleration, .rotationRate],
        acceleration: SIMD3<Float> = .zero, rotationRate: SIMD3<Float> = .zero,
        attitude: SIMD4<Float> = SIMD4(1, 0, 0, 0), buttons: UInt16 = 0, battery: UInt8 = 0,
        submersion: Submersion = Submersion()
    ) {
        self.sampledAt = sampledAt
        self.measures = measures
        self.acceleration = acceleration
        self.rotationRate = rotationRate
        self.attitude = attitude
        self.buttons = buttons
        self.battery = battery
        self.submersion = submersion
    }
}

/// Standard gravity in m/s², the unit "g" of every acceleration that Roomful prints (CGPM 1901).
public let standardGravity = 9.80665
