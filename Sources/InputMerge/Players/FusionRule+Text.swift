import WireProtocol

/// The rule as an operator writes it: a gathering, then if need be a blend and what happens on loss, in any order.
///
/// `own`, `any`, `all:500ms`, `quorum:2:400ms`, `quorum:2/3:400ms`, `split:tilt/jump+shake`; `first`, `sum`, `mean`,
/// `strongest:rotation`; `wait`, `ignore`, `hand-over`. For example `quorum:2/3:400ms,strongest:tilt,wait`.
extension FusionRule: CustomStringConvertible {
    /// Why a text is no rule, naming what is allowed.
    public struct TextError: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// Reads a rule from its text; a part that is left out is the gathering's usual one.
    /// - Throws: what is wrong, with the part in question and what is allowed in its place.
    public init(_ text: String) throws(TextError) {
        var gathering: Gathering?
        var blend: Blend?
        var loss: Loss?
        for part in text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed) {
            let words = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            if let found = Loss(rawValue: words[0]), words.count == 1 {
                try Self.once(&loss, found, text)
            } else if let found = try Self.blend(words) {
                try Self.once(&blend, found, text)
            } else {
                try Self.once(&gathering, Self.gathering(words), text)
            }
        }
        self.init(gestures: gathering ?? .any, motion: blend, whenLost: loss ?? .ignore)
        if let problem { throw TextError(description: "\(text): \(problem)") }
    }

    /// The same rule again, in full.
    public var description: String { "\(gestures.text),\(motion.text),\(whenLost.rawValue)" }

    private static func once<Value>(_ place: inout Value?, _ value: Value, _ text: String) throws(TextError) {
        if place != nil { throw TextError(description: "\(text) says twice what is to happen") }
        place = value
    }

    private static func blend(_ words: [String]) throws(TextError) -> Blend? {
        switch (words[0], words.count) {
        case ("first", 1): return .first
        case ("sum", 1): return .sum
        case ("mean", 1): return .mean
        case ("strongest", 1): return .strongest(.acceleration)
        case ("strongest", 2):
            if let measure = Measure(rawValue: words[1]) { return .strongest(measure) }
            let known = Measure.allCases.map(\.rawValue).joined(separator: ", ")
            throw TextError(description: "strongest of \(words[1]) cannot be told, only of: \(known)")
        default: return nil
        }
    }

    private static func gathering(_ words: [String]) throws(TextError) -> Gathering {
        switch (words[0], words.count) {
        case ("own", 1): return .own
        case ("any", 1): return .any
        case ("all", 2): return .all(within: try duration(words[1]))
        case ("quorum", 3): return .quorum(try quorum(words[1]), within: try duration(words[2]))
        case ("split", 2):
            return .split(
                words[1].split(separator: "/", omittingEmptySubsequences: false).map { role in
                    role.split(separator: "+").map { GestureKind(rawValue: String($0)) }
                })
        default:
            throw TextError(
                description: """
                    \(words.joined(separator: ":")) is no fusion; it is one of own, any, all:500ms, quorum:2:400ms, \
                    quorum:2/3:400ms, split:tilt/jump+shake; then first, sum, mean or strongest:acceleration; then \
                    wait, ignore or hand-over; with commas between
                    """)
        }
    }

    private static func quorum(_ text: String) throws(TextError) -> Quorum {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        if numbers.count == 1, let count = numbers[0] { return .count(count) }
        if numbers.count == 2, let part = numbers[0], let whole = numbers[1] { return .share(part, of: whole) }
        throw TextError(description: "\(text) is no quorum: a number such as 2, or a share such as 2/3")
    }

    private static func duration(_ text: String) throws(TextError) -> Duration {
        if text.hasSuffix("ms"), let count = Int64(text.dropLast(2)), (0...1_000_000).contains(count) {
            return .milliseconds(count)
        }
        if text.hasSuffix("s"), let count = Double(text.dropLast()), (0...1_000).contains(count) {
            return .milliseconds(Int64((count * 1_000).rounded()))
        }
        throw TextError(description: "\(text) is no time: such as 500ms or 1.5s")
    }
}

extension FusionRule.Gathering {
    fileprivate var text: String {
        switch self {
        case .own: "own"
        case .any: "any"
        case .all(let window): "all:\(Int(window.milliseconds))ms"
        case .quorum(.count(let count), let window): "quorum:\(count):\(Int(window.milliseconds))ms"
        case .quorum(.share(let part, let whole), let window):
            "quorum:\(part)/\(whole):\(Int(window.milliseconds))ms"
        case .split(let roles):
            "split:" + roles.map { $0.map(\.rawValue).joined(separator: "+") }.joined(separator: "/")
        }
    }
}

extension FusionRule.Blend {
    fileprivate var text: String {
        switch self {
        case .first: "first"
        case .sum: "sum"
        case .mean: "mean"
        case .strongest(let measure): "strongest:\(measure.rawValue)"
        }
    }
}
