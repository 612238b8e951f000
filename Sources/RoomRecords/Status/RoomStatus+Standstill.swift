import Foundation
package import SessionCoordinator
import WireProtocol

extension RoomStatus {
    /// For how long the host's program, or its whole machine, stood still in the last minute.
    package struct Standstill: Hashable, Sendable, Codable {
        package var longestMs: Double
        /// How long ago the longest one ended.
        package var agoMs: Double
        /// All of them together, a minute at most.
        package var totalMs: Double

        package init(_ report: Standstills.Report) {
            longestMs = report.longest.milliseconds
            agoMs = report.ago.milliseconds
            totalMs = report.total.milliseconds
        }

        package var words: String {
            let (longest, ago, total) = (longestMs / 1_000, agoMs / 1_000, totalMs / 1_000)
            guard longest >= 0.5 else {
                return String(
                    format: "the room's machine lacks processor time, and stood still for %.0f s of the last minute, "
                        + "up to %.2f s at a time", total, longest)
            }
            let when = ago < 1 ? "just now" : String(format: "%.0f s ago", ago)
            let all = total - longest < 0.5 ? "" : String(format: ", and for %.1f s of the last minute in all", total)
            return String(format: "the room's machine stood still for %.1f s, ", longest) + when + all
        }
    }
}
