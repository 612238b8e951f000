import Foundation
import SiteRecords

extension GrowingPause {
    /// Says what is wrong, and waits for as long as it says.
    mutating func wait(after trouble: some CustomStringConvertible) async throws {
        let milliseconds = milliseconds()
        Failure.say("\(trouble); trying again in \(String(format: "%.1f", Double(milliseconds) / 1_000)) s")
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
