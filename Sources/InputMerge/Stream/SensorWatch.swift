import WireProtocol

/// Looks whether what a sensor sends can be right at all: second by second of its own clock.
///
/// A sensor at rest must read 9.81 m/s², noisy axes never stay the same to the last bit, and a device whose gravity
/// turns has turned. What a player can do is never taken for a fault: the rules for rest need a second without pushes,
/// and nobody falls for two.
struct SensorWatch: Sendable {
    private static let window: Int64 = 1_000_000_000
    /// A window at rest: the force's length varies by less, in m/s² (or g, if that is what is sent).
    private static let restSpread = 0.15
    private static let plausible = 7.8...11.8
    private static let oneG = 0.85...1.15
    /// So many windows without any change are no rest any more.
    private static let stuckWindows = 5
    private static let fewestSamples = 4

    /// Said already, or about to be.
    private var known: Set = []
    /// Found since they were last taken.
    private var news: Set = []
    /// The gyroscope was at its range within the last sample.
    private(set) var isRotationSaturated = false

    private let accelerationLimit: Double
    private let rotationLimit: Double
    private var second = Second()
    private var saturated = SIMD2<Int>.zero
    private var sameWindows = 0
    private var weightlessWindows = 0
    private var lightWindows = 0
    private var badScaleWindows = 0
    private var silentSince: SIMD3<Double>?

    /// What one second showed.
    private struct Second: Sendable {
        var beganAt: DeviceTime?
        var count = 0
        var absurd = 0
        var least = Double.infinity
        var most = 0.0
        var sum = 0.0
        var isSame = true
        var turned = false
    }

    struct Set: OptionSet, Sendable {
        let rawValue: UInt16
        init(rawValue: UInt16) { self.rawValue = rawValue }

        init(_ problem: SensorProblem) {
            self.init(rawValue: 1 << UInt16(SensorProblem.allCases.firstIndex(of: problem) ?? 0))
        }
    }

    init(_ declaration: StreamDeclaration) {
        accelerationLimit = 0.999 * declaration.accelerationRange
        rotationLimit = 0.999 * declaration.rotationRange
    }

    /// All that was ever found, in the order of their declaration.
    var problems: [SensorProblem] { SensorProblem.allCases.filter { known.contains(Set($0)) } }

    /// Whether something was found since it was last asked.
    var hasNews: Bool { !news.isEmpty }

    /// What was found since the last time, in the order of their declaration.
    mutating func takeNews() -> [SensorProblem] {
        defer { news = [] }
        return SensorProblem.allCases.filter { news.contains(Set($0)) }
    }

    mutating func noteAbsurd() {
        second.absurd += 1
        if second.absurd >= 20, second.absurd * 4 > second.count { found(.outOfRange) }
    }

    /// - Parameter differs: whether any axis differs from what it was in the reading before.
    mutating func look(at reading: Reading, differs: Bool) {
        noteSaturation(reading)
        if let force = reading.force {
            let length = force.length
            second.least = min(second.least, length)
            second.most = max(second.most, length)
            second.sum += length
        }
        if differs { second.isSame = false }
        if reading.rotationRate != .zero { second.turned = true }
        second.count += 1
        guard let beganAt = second.beganAt else {
            second.beganAt = reading.sampledAt
            return
        }
        let elapsed = reading.sampledAt.nanoseconds.saturatingSubtract(beganAt.nanoseconds)
        if elapsed < 0 { second = Second() }
        if elapsed >= Self.window { close(reading) }
    }

    private mutating func noteSaturation(_ reading: Reading) {
        let force = reading.force?.largest ?? 0
        let rate = reading.rotationRate?.largest ?? 0
        isRotationSaturated = rate >= rotationLimit
        saturated.x = force >= accelerationLimit ? saturated.x + 1 : 0
        saturated.y = isRotationSaturated ? saturated.y + 1 : 0
        if saturated.x == 3 { found(.saturatedAcceleration) }
        if saturated.y == 3 { found(.saturatedRotation) }
    }

    private mutating func close(_ reading: Reading) {
        if second.count >= Self.fewestSamples, let force = reading.force {
            judgeScale()
            judgeGyroscope(reading, force: force)
            sameWindows = second.isSame ? sameWindows + 1 : 0
            if sameWindows >= Self.stuckWindows { found(.stuck) }
        }
        second = Second()
        second.beganAt = reading.sampledAt
    }

    private mutating func judgeScale() {
        let isRest = second.most - second.least < Self.restSpread
        let mean = second.sum / Double(second.count)
        weightlessWindows = isRest && mean < 0.5 ? weightlessWindows + 1 : 0
        // Nobody stays that light for three seconds, moving or not.
        lightWindows = (0.6...1.6).contains(mean) && second.most < 5 ? lightWindows + 1 : 0
        let isOff = isRest && mean >= 0.5 && !Self.plausible.contains(mean) && !Self.oneG.contains(mean)
        badScaleWindows = isOff ? badScaleWindows + 1 : 0
        if weightlessWindows >= 2 { found(.accelerationWithoutGravity) }
        if lightWindows >= 3 || (isRest && Self.oneG.contains(mean)) { found(.accelerationInG) }
        if badScaleWindows >= 2 { found(.accelerationScale) }
    }

    /// Silent for so long that gravity has turned by more than 20° meanwhile, seen in two calm windows.
    private mutating func judgeGyroscope(_ reading: Reading, force: SIMD3<Double>) {
        guard reading.rotationRate != nil, !second.turned else {
            silentSince = nil
            return
        }
        guard second.most - second.least < 1 else { return }
        guard let before = silentSince else {
            silentSince = force
            return
        }
        if before.angle(to: force) > 20 * .pi / 180 { found(.silentGyroscope) }
    }

    private mutating func found(_ problem: SensorProblem) {
        let problem = Set(problem)
        if !known.contains(problem) {
            known.insert(problem)
            news.insert(problem)
        }
    }
}
