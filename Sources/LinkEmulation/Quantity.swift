import WireProtocol

/// How the values of a network's description are written: parts, times, rates and sizes.
enum Quantity {
    /// What became of reading a value.
    enum Outcome<Value> {
        case value(Value)
        case unreadable
        case outOfRange
    }

    /// One way to write a value, and the words for it.
    struct Reading<Value> {
        let takes: String
        let read: (Substring) -> Outcome<Value>
    }

    enum Burst {
        case meanLength(Double)
        case probabilities(entry: Double, exit: Double)
    }

    static var part: Reading<Double> { Reading(takes: "0% to 100%, or 0 to 1", read: readPart) }

    static var duration: Reading<Duration> {
        Reading(takes: "0 to 600 s, with a unit: us, ms or s", read: readDuration)
    }

    static var delay: Reading<(Duration, Duration)> {
        Reading(takes: "a time such as 20ms, or 20±10ms with the deviation at most the time") { text in
            guard let (front, back) = split(text, at: ["±", "+-"]) else {
                return map(readDuration(text)) { ($0, .zero) }
            }
            // The unit stands once, behind both, or behind each.
            let unit = back.drop { $0.isNumber || $0 == "." }
            let center = front.last.map { $0.isNumber || $0 == "." } == true ? front + unit : front
            guard case .value(let jitter) = readDuration(back) else { return map(readDuration(back)) { ($0, $0) } }
            switch readDuration(center) {
            case .value(let delay): return jitter <= delay ? .value((delay, jitter)) : .outOfRange
            case .unreadable: return .unreadable
            case .outOfRange: return .outOfRange
            }
        }
    }

    static var reorder: Reading<(Double, Duration?)> {
        Reading(takes: "0% to 100%, or with how long they are held back: 1%:40ms") { text in
            guard let (front, back) = split(text, at: [":"]) else { return map(readPart(text)) { ($0, nil) } }
            guard case .value(let delay) = readDuration(back) else { return map(readDuration(back)) { (0, $0) } }
            return map(readPart(front)) { ($0, delay) }
        }
    }

    static var burst: Reading<Burst> {
        Reading(takes: "a mean length of 1 to 10000 datagrams, or two probabilities above 0: 0.005:0.25") { text in
            guard let (front, back) = split(text, at: [":"]) else {
                guard let length = number(text) else { return .unreadable }
                return (1...10_000).contains(length) ? .value(.meanLength(length)) : .outOfRange
            }
            guard case .value(let entry) = readPart(front) else { return map(readPart(front)) { .meanLength($0) } }
            guard case .value(let exit) = readPart(back) else { return map(readPart(back)) { .meanLength($0) } }
            return entry > 0 && exit > 0 ? .value(.probabilities(entry: entry, exit: exit)) : .outOfRange
        }
    }

    static var rate: Reading<Double> {
        Reading(takes: "1kbit to 100Gbit a second, with a unit: bit, kbit, Mbit or Gbit") { text in
            let units: [(String, Double)] = [("Gbit", 1e9), ("Mbit", 1e6), ("kbit", 1e3), ("bit", 1)]
            return scaled(text, units, into: 1e3...1e11)
        }
    }

    static var bytes: Reading<Int> {
        Reading(takes: "1500 to 1073741824 bytes, or with a unit: KiB or MiB") { text in
            let units: [(String, Double)] = [("MiB", 1_048_576), ("KiB", 1_024), ("B", 1), ("", 1)]
            return map(scaled(text, units, into: 1_500...1_073_741_824)) { Int($0) }
        }
    }

    private static func readPart(_ text: Substring) -> Outcome<Double> {
        scaled(text, [("%", 0.01), ("", 1)], into: 0...1)
    }

    private static func readDuration(_ text: Substring) -> Outcome<Duration> {
        map(scaled(text, [("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("s", 1e9)], into: 0...600e9)) {
            .nanoseconds(Int64($0))
        }
    }

    /// A number before the first of the units that stands at the text's end.
    private static func scaled(
        _ text: Substring, _ units: [(String, Double)], into range: ClosedRange<Double>
    ) -> Outcome<Double> {
        guard let (unit, scale) = units.first(where: { text.hasSuffix($0.0) }),
            let number = number(text.dropLast(unit.count))
        else { return .unreadable }
        return range.contains(number * scale) ? .value(number * scale) : .outOfRange
    }

    /// A plain decimal number, with a sign or without: neither `inf` nor hexadecimal.
    private static func number(_ text: Substring) -> Double? {
        let digits = text.trimmed
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }) else { return nil }
        return Double(digits)
    }

    private static func split(_ text: Substring, at separators: [String]) -> (Substring, Substring)? {
        for separator in separators {
            if let range = text.firstRange(of: separator) {
                return (text[..<range.lowerBound].trimmed, text[range.upperBound...].trimmed)
            }
        }
        return nil
    }

    private static func map<A, B>(_ outcome: Outcome<A>, _ transform: (A) -> B) -> Outcome<B> {
        switch outcome {
        case .value(let value): .value(transform(value))
        case .unreadable: .unreadable
        case .outOfRange: .outOfRange
        }
    }
}
