/// One threshold of a gesture, for whoever edits definitions as text.
public struct GestureParameter: Hashable, Sendable {
    /// Its name as the property's is, for instance `refractory`.
    public var key: String
    /// What it stands at, in ``unit``.
    public var value: Double
    /// The unit in text, for instance `g`, `rad/s` or `ms`; of an axis or a yes or no, what the numbers mean.
    public var unit: String
    /// May depend on the values of parameters before it.
    public var range: ClosedRange<Double>
    /// Whether it is one of the device's axes, which may be written as a letter, too.
    package var isAxis: Bool { unit == Self.axisUnit }
    /// Whether it is a yes or no, which may be written as true or false, too.
    package var isFlag: Bool { unit == Self.flagUnit }

    static let axisUnit = "(0 is x, 1 is y, 2 is z)"
    static let flagUnit = "(0 is no, 1 is yes)"
}

extension GestureDefinition {
    /// All thresholds, in the order in which they should be set. Durations are in ms; an axis is 0, 1 or 2.
    public var parameters: [GestureParameter] { Self.parameters(of: rule.thresholds) }

    /// Sets one threshold; returns why it cannot be, naming key and range.
    public mutating func set(_ key: String, to value: Double) -> String? {
        guard let parameter = parameters.first(where: { $0.key == key }) else {
            let near = nearestWord(to: key, among: parameters.map(\.key))
            return "\(kind.rawValue) has no \"\(key)\"" + (near.map { "; did you mean \"\($0)\"?" } ?? "")
        }
        if let problem = outOfRange(key, value, in: parameter.range, unit: parameter.unit) {
            return "\(kind.rawValue).\(problem)"
        }
        rule = rule.thresholds.setting(key, to: value)
        return nil
    }

    private static func parameters<Rule: GestureRule>(of rule: Rule) -> [GestureParameter] {
        Rule.parameters.map {
            GestureParameter(key: $0.key, value: $0.read(rule), unit: $0.unit, range: $0.range(rule))
        }
    }
}

extension GestureRule {
    /// - Precondition: the value is in its range.
    fileprivate func setting(_ key: String, to value: Double) -> GestureDefinition.Rule {
        var changed = self
        for parameter in Self.parameters where parameter.key == key { parameter.write(&changed, value) }
        return changed.rule
    }
}

/// The word that someone who wrote another probably meant: a third of its letters apart at most (Levenshtein 1966).
public func nearestWord(to word: String, among words: [String]) -> String? {
    func distance(_ a: [Character], _ b: [Character]) -> Int {
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var corner = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, corner + (letter == other ? 0 : 1))
                corner = above
            }
        }
        return row[b.count]
    }
    let letters = Array(word.lowercased())
    let ranked = words.map { (word: $0, distance: distance(letters, Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(2, best.word.count / 3) ? best.word : nil
}
