/// One figure of merit on real recordings, with what others reach and what we want.
public struct ScoreLine: Hashable, Sendable, Codable {
    public var name: String
    public var value: Double
    public var unit: String
    /// What the best known method reaches; `nil` where nothing is known.
    public var parity: Double?
    /// What we want.
    public var target: Double?
    /// Whether a smaller value is a better one.
    public var isCost: Bool

    public init(
        _ name: String, _ value: Double, _ unit: String, parity: Double? = nil, target: Double? = nil,
        isCost: Bool = false
    ) {
        self.name = name
        self.value = value
        self.unit = unit
        self.parity = parity
        self.target = target
        self.isCost = isCost
    }

    /// How the figure stands to what others reach and to what we want.
    public enum Verdict: String, Hashable, Sendable, Codable {
        /// It is what we want, or better.
        case reached
        /// It is what others reach, or better, and less than what we want, or nobody said what that is.
        case asOthers = "as others"
        /// Neither. What is no number is missed, too.
        case missed
    }

    /// `nil` where neither is known: there is nothing to hold it against.
    public var verdict: Verdict? {
        if parity == nil, target == nil { return nil }
        if let target, isAtLeast(target) { return .reached }
        if let parity, isAtLeast(parity) { return .asOthers }
        return .missed
    }

    private func isAtLeast(_ other: Double) -> Bool { isCost ? value <= other : value >= other }

    /// `jumps, F1: 97.9 % (others 93, wanted 97: reached)`
    public var text: String {
        func short(_ value: Double) -> String {
            let tenths = (value * 10).rounded() / 10
            return tenths == tenths.rounded() && tenths.magnitude < 1e15 ? "\(Int(tenths))" : "\(tenths)"
        }
        guard let verdict else { return "\(name): \(short(value)) \(unit)" }
        let known = [parity.map { "others \(short($0))" }, target.map { "wanted \(short($0))" }].compactMap(\.self)
        return "\(name): \(short(value)) \(unit) (\(known.joined(separator: ", ")): \(verdict.rawValue))"
    }
}

extension ScoreLine {
    private enum Key: String, CodingKey { case name, value, unit, parity, target, isCost, verdict }

    /// With the verdict, which who reads the JSON need not work out again.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(value, forKey: .value)
        try fields.encode(unit, forKey: .unit)
        try fields.encodeIfPresent(parity, forKey: .parity)
        try fields.encodeIfPresent(target, forKey: .target)
        try fields.encode(isCost, forKey: .isCost)
        try fields.encodeIfPresent(verdict, forKey: .verdict)
    }
}
