import Foundation
import Testing

/// Whether faults last for minutes instead of seconds: `ROOMFUL_SOAK=1`.
enum Soak {
    static let isOn = ProcessInfo.processInfo.environment["ROOMFUL_SOAK"] == "1"
}

/// Whether a sanitizer's own memory, some times the program's, hides what the program takes: `Scripts/sanitize.sh` says so.
enum Sanitizer {
    static let isOn = ProcessInfo.processInfo.environment["ROOMFUL_SANITIZED"] == "1"
}

extension Trait where Self == TimeLimitTrait {
    /// Four minutes for each of a suite's tests, half an hour in a soak.
    static var faultLimit: Self { .timeLimit(.minutes(Soak.isOn ? 30 : 4)) }
}
