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
            lines += wrapped(check.found, to: width - indent.count).map { indent + $0 }
            if let advice = check.advice {
                let parts = wrapped(advice, to: width - indent.count - 2)
                lines += zip(parts.indices, parts).map { indent + ($0 == 0 ? "> " : "  ") + $1 }
            }
        }
        return (lines + ["", report.summary]).joined(separator: "\n")
    }

    private static let indent = String(repeating: " ", count: 9)

    private static func padded(_ outcome: String) -> String {
        outcome + String(repeating: " ", count: indent.count - outcome.count)
    }

    /// Broken at spaces; a word that is longer than a line keeps its length, so that commands can be copied.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
