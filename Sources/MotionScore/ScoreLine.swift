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

    public var reachesParity: Bool { parity.map { isCost ? value <= $0 : value >= $0 } ?? true }
    public var reachesTarget: Bool { target.map { isCost ? value <= $0 : value >= $0 } ?? true }

    /// `jumps, F1: 97.9 % (others 93, wanted 97: reached)`
    public var text: String {
        func short(_ value: Double) -> String {
            let tenths = (value * 10).rounded() / 10
            return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
        }
        var judgement: [String] = []
        if let parity { judgement.append("others \(short(parity))") }
        if let target { judgement.append("wanted \(short(target)): \(reachesTarget ? "reached" : "not reached")") }
        let known = judgement.isEmpty ? "" : " (\(judgement.joined(separator: ", ")))"
        return "\(name): \(short(value)) \(unit)\(known)"
    }
}
