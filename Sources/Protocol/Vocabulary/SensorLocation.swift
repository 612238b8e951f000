/// Where on a person a sensor sits, as far as it says so (CoreMotion's `CMDeviceMotion.SensorLocation`).
public enum SensorLocation: String, Hashable, Sendable, Codable, CaseIterable {
    /// It does not say, or it is in nobody's ear.
    case `default`
    /// For instance the left one of two earbuds.
    case left
    /// For instance the right one of two earbuds.
    case right
}
