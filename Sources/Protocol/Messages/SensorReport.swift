/// What a browser's page knows of its own sensor, and of what the browser lets it do. Everything may be unknown.
public struct SensorReport: Hashable, Sendable, Codable {
    /// `granted`, `denied`, `none` (no sensor answers) or `insecure`; at most 32 bytes are kept.
    public var permission: String?
    /// Hz, as events come.
    public var rate: Double?
    /// Intervals of more than three sampling intervals, so far.
    public var gaps: Int?
    /// ms.
    public var longestGap: Double?
    /// Times that the page itself stood still, so far.
    public var stalls: Int?
    /// ms.
    public var longestStall: Double?
    /// The least step between two values, m/s².
    public var accelerationStep: Double?
    /// deg/s.
    public var rotationStep: Double?
    /// ms.
    public var timeStep: Double?
    /// Whether the last haptic could vibrate; else it flashed and sounded.
    public var vibrates: Bool?
    /// What both accelerations are multiplied by so that they read as Android counts: 1, -1, or 0 while unknown.
    public var sign: Int?
    /// Charge of the device's battery in percent, 0 to 100.
    public var battery: Int?
    /// Whether it is being charged.
    public var charging: Bool?

    /// A report that knows nothing yet.
    public init() {}

    /// Without what no page can truly say: nothing infinite, negative or endless reaches a screen.
    public var sanitised: SensorReport {
        func clean(_ value: Double?) -> Double? { value.flatMap { $0.isFinite && (0...1e9).contains($0) ? $0 : nil } }
        func clean(_ value: Int?) -> Int? { value.flatMap { (0...1_000_000_000).contains($0) ? $0 : nil } }
        var report = self
        if let word = permission, word.utf8.count > 32 || !word.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) {
            report.permission = nil
        }
        report.rate = clean(rate)
        report.gaps = clean(gaps)
        report.longestGap = clean(longestGap)
        report.stalls = clean(stalls)
        report.longestStall = clean(longestStall)
        report.accelerationStep = clean(accelerationStep)
        report.rotationStep = clean(rotationStep)
        report.timeStep = clean(timeStep)
        report.battery = battery.flatMap { (0...100).contains($0) ? $0 : nil }
        report.sign = sign.flatMap { (-1...1).contains($0) ? $0 : nil }
        return report
    }
}

/// The name under which a controller is shown, when the operator changed it.
public struct Renamed: Hashable, Sendable, Codable {
    /// 1 to 63 bytes.
    public var name: String
    /// The name to show from now on, made unique by the host.
    public init(name: String) { self.name = name }
}
