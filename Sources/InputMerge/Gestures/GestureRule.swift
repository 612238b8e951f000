import WireProtocol

/// The thresholds of one kind of recognizer, each known by key, unit and range.
protocol GestureRule: Hashable, Sendable {
    /// In the order in which they are checked: a range may depend on values before it.
    static var parameters: [RuleParameter<Self>] { get }
    var rule: GestureDefinition.Rule { get }
    func makeRecognizer() -> any Recognizer
}

/// One of a rule's values, as a number in its unit.
struct RuleParameter<Rule> {
    /// What a greater value does to a player.
    enum Effect { case harder, easier, neither }

    let key: String
    let unit: String
    let effect: Effect
    let range: (Rule) -> ClosedRange<Double>
    let read: (Rule) -> Double
    let write: (inout Rule, Double) -> Void

    static func number(
        _ key: String, _ path: WritableKeyPath<Rule, Double>, _ unit: String, _ effect: Effect = .neither,
        in range: @escaping (Rule) -> ClosedRange<Double>
    ) -> Self {
        Self(
            key: key, unit: unit, effect: effect, range: range, read: { $0[keyPath: path] },
            write: { $0[keyPath: path] = $1 })
    }

    static func number(
        _ key: String, _ path: WritableKeyPath<Rule, Double>, _ unit: String, _ effect: Effect = .neither,
        in range: ClosedRange<Double>
    ) -> Self { number(key, path, unit, effect, in: { _ in range }) }

    /// A duration, in ms.
    static func duration(
        _ key: String, _ path: WritableKeyPath<Rule, Duration>, _ effect: Effect = .neither,
        in range: ClosedRange<Double>
    ) -> Self {
        Self(
            key: key, unit: "ms", effect: effect, range: { _ in range },
            read: { Double($0[keyPath: path].wholeNanoseconds) / 1e6 },
            write: { $0[keyPath: path] = .nanoseconds(Int64(($1 * 1e6).rounded())) })
    }

    static func count(
        _ key: String, _ path: WritableKeyPath<Rule, Int>, _ unit: String, _ effect: Effect = .neither,
        in range: ClosedRange<Double>
    ) -> Self {
        Self(
            key: key, unit: unit, effect: effect, range: { _ in range }, read: { Double($0[keyPath: path]) },
            write: { $0[keyPath: path] = Int($1.rounded()) })
    }

    /// Yes or no: 1 or 0.
    static func flag(_ key: String, _ path: WritableKeyPath<Rule, Bool>) -> Self {
        Self(
            key: key, unit: GestureParameter.flagUnit, effect: .neither, range: { _ in 0...1 },
            read: { $0[keyPath: path] ? 1 : 0 }, write: { $0[keyPath: path] = $1 >= 0.5 })
    }

    /// One of the device's axes: 0 is x, 1 is y, 2 is z.
    static func axis(_ key: String, _ path: WritableKeyPath<Rule, DeviceAxis>) -> Self {
        Self(
            key: key, unit: GestureParameter.axisUnit, effect: .neither, range: { _ in 0...2 },
            read: { Double($0[keyPath: path].place) },
            write: { $0[keyPath: path] = DeviceAxis.allCases[Int($1.rounded())] })
    }
}

extension ClosedRange<Double> {
    /// A range that depends on another value of its rule. Where that is so far out of its own that nothing is left in
    /// between, it has one value: it is looked at also by whoever sets the other right.
    static func from(_ lower: Double, to upper: Double) -> Self {
        if lower.isNaN { return upper...upper }
        // NaN is in no order.
        return lower <= upper ? lower...upper : lower...lower
    }
}

extension GestureRule {
    /// Which value leaves its range, in words; NaN is outside of every range.
    var problem: String? {
        for parameter in Self.parameters {
            let (value, range) = (parameter.read(self), parameter.range(self))
            if !range.contains(value) {
                return outOfRange(parameter.key, value, in: range, unit: parameter.unit)
            }
        }
        return nil
    }

    /// The same rule for someone who finds it too hard (above 1) or too easy (below 1).
    ///
    /// Thresholds that make a gesture harder are divided, those that make it easier multiplied; none leaves its range.
    func scaled(by sensitivity: Double) -> Self {
        var scaled = self
        for parameter in Self.parameters {
            let value = parameter.read(scaled)
            let wish =
                switch parameter.effect {
                case .harder: value / sensitivity
                case .easier: value * sensitivity
                case .neither: value
                }
            let range = parameter.range(scaled)
            parameter.write(&scaled, min(max(wish, range.lowerBound), range.upperBound))
        }
        return scaled
    }
}

/// One of the axes of a device: x to the right, y to the top edge, z out of the screen.
public enum DeviceAxis: String, Hashable, Sendable, Codable, CaseIterable {
    /// To the right, as one looks at the screen.
    case x
    /// To the top edge.
    case y
    /// Out of the screen.
    case z

    var place: Int {
        switch self {
        case .x: 0
        case .y: 1
        case .z: 2
        }
    }

    func component(of vector: SIMD3<Double>) -> Double { vector[place] }
}
