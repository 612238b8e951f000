/// One figure of merit on real recordings, with what others reach and what we want.
package struct ScoreLine: Hashable, Sendable, Codable {
    package var name: String
    package var value: Double
    package var unit: String
    /// What the best known method reaches; `nil` where nothing is known.
    package var parity: Double?
    /// What we want.
    package var target: Double?
    /// Whether a smaller value is a better one.
    package var isCost: Bool
    /// Where the value would lie in 95 of 100 recordings like these; `nil` where that cannot be told.
    package var interval: ClosedRange<Double>?

    package init(
        _ name: String, _ value: Double, _ unit: String, parity: Double? = nil, target: Double? = nil,
        isCost: Bool = false, interval: ClosedRange<Double>? = nil
    ) {
        self.name = name
        self.value = value
        self.unit = unit
        self.parity = parity
        self.target = target
        self.isCost = isCost
        self.interval = interval
    }

    /// How the figure stands to what others reach and to what we want.
    package enum Verdict: String, Hashable, Sendable, Codable {
        /// It is what we want, or better, and so is all of its interval, where that is known.
        case reached
        /// It is, and as little was recorded that it may be short of it all the same.
        case perhapsReached = "perhaps reached"
        /// It is what others reach, or better, and less than what we want, or nobody said what that is.
        case asOthers = "as others"
        /// It is, and as little was recorded that it may be short of it all the same.
        case perhapsAsOthers = "perhaps as others"
        /// Neither.
        case missed
    }

    /// `nil` where neither is known: there is nothing to hold it against; and where there is no figure: nothing was
    /// there that could have been missed.
    package var verdict: Verdict? {
        guard parity != nil || target != nil, value.isFinite else { return nil }
        if let target, isAtLeast(target) { return isSurelyAtLeast(target) ? .reached : .perhapsReached }
        if let parity, isAtLeast(parity) { return isSurelyAtLeast(parity) ? .asOthers : .perhapsAsOthers }
        return .missed
    }

    private func isAtLeast(_ goal: Double) -> Bool { isCost ? value <= goal : value >= goal }

    private func isSurelyAtLeast(_ goal: Double) -> Bool {
        guard let interval else { return true }
        return isCost ? interval.upperBound <= goal : interval.lowerBound >= goal
    }

    /// `jumps, F1: 97.9 % [97.1 to 100] (others 93, wanted 97: reached)`
    package var text: String {
        let spread = interval.map { " [\(Self.short($0.lowerBound)) to \(Self.short($0.upperBound))]" } ?? ""
        let figure = "\(name): \(Self.short(value)) \(unit)\(spread)"
        return verdict.map { "\(figure) (\(goals): \($0.rawValue))" } ?? figure
    }

    /// Why there is no such line where its figure is none.
    var absence: String {
        let held = goals.isEmpty ? "" : " (\(goals) \(unit))"
        return "\(name)\(held): nothing was recorded, or found, that shows it"
    }

    /// `others 93, wanted 97`
    private var goals: String {
        [parity.map { "others \(Self.short($0))" }, target.map { "wanted \(Self.short($0))" }].compactMap(\.self)
            .joined(separator: ", ")
    }

    private static func short(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        // A vanishing figure is written out: it must not read as nothing.
        if value != 0, tenths == 0 { return "\(value)" }
        return tenths == tenths.rounded() && tenths.magnitude < 1e15 ? "\(Int(tenths))" : "\(tenths)"
    }
}

extension ScoreLine {
    private enum Key: String, CodingKey { case name, value, unit, parity, target, isCost, interval, verdict }

    /// With the verdict, which who reads the JSON need not work out again.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(value.isFinite ? value : nil, forKey: .value)
        try fields.encode(unit, forKey: .unit)
        try fields.encodeIfPresent(parity, forKey: .parity)
        try fields.encodeIfPresent(target, forKey: .target)
        try fields.encode(isCost, forKey: .isCost)
        try fields.encodeIfPresent(interval, forKey: .interval)
        try fields.encodeIfPresent(verdict, forKey: .verdict)
    }
}
