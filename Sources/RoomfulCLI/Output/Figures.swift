import Foundation
import Roomful

/// How figures are written for people: with units, and a dash for what is not known.
enum Figures {
    static func milliseconds(_ value: Double?) -> String {
        value.map { fixed($0, decimals: $0 < 10 ? 2 : $0 < 1_000 ? 1 : 0) + " ms" } ?? "-"
    }

    /// As `%.2f` writes it, for lines that a host prints by the hundred a second: Foundation's way takes ten times as long.
    ///
    /// - Parameter decimals: 0 to 3.
    static func fixed(_ value: Double, decimals: Int) -> String {
        let scale = [1, 10, 100, 1_000][decimals]
        let scaled = (value * Double(scale)).rounded(.toNearestOrEven)
        guard abs(scaled) < 1e15 else { return String(format: "%.\(decimals)f", value) }
        let (whole, part) = Int(abs(scaled)).quotientAndRemainder(dividingBy: scale)
        let sign = scaled.sign == .minus ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let digits = String(part)
        return "\(sign)\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
    }

    /// A number of things that may be beyond knowing, as with frames that bear no number.
    static func count(_ number: Int?) -> String { number.map(String.init) ?? "unknown" }

    static func ago(_ milliseconds: Double) -> String {
        milliseconds < 1_000
            ? String(format: "%.0f ms ago", milliseconds) : String(format: "%.0f s ago", milliseconds / 1_000)
    }

    static func percent(_ share: Double?) -> String { share.map { String(format: "%.1f %%", $0 * 100) } ?? "-" }

    static func clock(_ clock: PeerStatus.Clock) -> String {
        clock.uncertaintyMs.map { "\(clock.state) ± \(milliseconds($0))" } ?? clock.state
    }

    static func duration(_ text: String) -> Duration? {
        let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("min", 60_000), ("m", 60_000), ("h", 3_600_000)]
        for (unit, factor) in units where text.hasSuffix(unit) {
            guard let number = decimal(text.dropLast(unit.count)), number < 1e9 else { continue }
            return .microseconds(Int64((number * Double(factor * 1_000)).rounded()))
        }
        return decimal(text).flatMap { $0 < 1e9 ? .microseconds(Int64(($0 * 1_000_000).rounded())) : nil }
    }

    /// The time that an option was given.
    ///
    /// - Parameter examples: how it may be written.
    /// - Throws: with code `badOption`, and names the option.
    static func time(
        _ text: String, _ option: String, such examples: String = "1s or 500ms"
    ) throws(RoomError) -> Duration {
        guard let time = duration(text) else {
            throw RoomError(.badOption, "\(option) takes a time such as \(examples), not \"\(text)\"")
        }
        return time
    }

    /// A number as people write it, `90` or `2.5`: hexadecimal digits, exponents and signs are no figure of theirs.
    static func decimal(_ text: some StringProtocol) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
        return Double(text)
    }
}
