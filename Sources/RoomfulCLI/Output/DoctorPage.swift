import RoomDoctor
import Roomful

/// The doctor's report for people: what is wrong stands out, and below it what to do.
enum DoctorPage {
    /// - Parameter columns: of the terminal; `nil` in a pipe.
    static func text(_ report: DoctorReport, columns: Int?) -> String {
        let width = max(50, min(columns ?? 100, 100))
        var lines: [String] = []
        for check in report.checks {
            lines += [padded(check.outcome.rawValue) + check.title]
            lines += TerminalText.wrapped(check.found, to: width - indent.count).map { indent + $0 }
            if let advice = check.advice {
                let parts = TerminalText.wrapped(advice, to: width - indent.count - 2)
                lines += zip(parts.indices, parts).map { indent + ($0 == 0 ? "> " : "  ") + $1 }
            }
        }
        return (lines + ["", report.summary]).joined(separator: "\n")
    }

    private static let indent = String(repeating: " ", count: 9)

    private static func padded(_ outcome: String) -> String {
        outcome + String(repeating: " ", count: indent.count - outcome.count)
    }
}
