package import WireProtocol

/// For how long the host itself stood still in the last minute, as its program was stopped, its virtual machine paused, or
/// processor time lacked. While a machine sleeps its clock stands still with it, and nothing of that is seen here.
///
/// A long standstill is worth telling; short ones are where they make up a tenth of the minute.
package struct Standstills: Sendable {
    /// What is worth telling of the last minute.
    package struct Report: Hashable, Sendable {
        package var longest: Duration
        /// How long ago that one ended.
        package var ago: Duration
        /// All of them together, a minute at most.
        package var total: Duration
    }

    /// Those that ended in one second of the host's clock, in nanoseconds.
    private struct Second: Sendable {
        let number: Int64
        var total: Int64 = 0
        var longest: Int64 = 0
        /// When the longest one ended.
        var endedAt: Int64 = 0
    }

    private static let length: Int64 = 60
    /// Whoever comes later by less came in time.
    private static let least: Int64 = 50_000_000
    private static let long: Int64 = 500_000_000
    /// So much in short ones is too much.
    private static let most: Int64 = 6_000_000_000

    /// Of those in which something ended, the last minute's, oldest first.
    private var seconds: [Second] = []
    /// When something was told last, and the longest of that.
    private var told: (at: Int64, longest: Duration)?

    package init() {}

    /// The host meant to go on at `due`, and goes on now.
    ///
    /// - Returns: what is to be said of it: once a minute at most, or where it is much longer than what was said.
    @discardableResult
    package mutating func note(from due: HostTime, until now: HostTime) -> Report? {
        let length = (now - due).wholeNanoseconds
        guard length >= Self.least else { return nil }
        let number = Self.second(of: now)
        seconds.removeAll { $0.number <= number - Self.length }
        if seconds.last?.number != number { seconds.append(Second(number: number)) }
        let last = seconds.endIndex - 1
        seconds[last].total += length
        if length > seconds[last].longest {
            (seconds[last].longest, seconds[last].endedAt) = (length, now.nanoseconds)
        }
        guard let report = self.report(at: now) else { return nil }
        if let told, now.nanoseconds - told.at < Self.length * 1_000_000_000, report.longest < told.longest * 4 {
            return nil
        }
        told = (now.nanoseconds, report.longest)
        return report
    }

    /// The last minute; `nil` where nothing of it is worth telling.
    package func report(at now: HostTime) -> Report? {
        let recent = seconds.filter { $0.number > Self.second(of: now) - Self.length }
        guard let worst = recent.max(by: { $0.longest < $1.longest }) else { return nil }
        // Of what ended early in it a part may lie before it.
        let began = now.nanoseconds - Self.length * 1_000_000_000
        let total = recent.reduce(0) { $0 + min($1.total, ($1.number + 1) * 1_000_000_000 - began) }
        guard worst.longest >= Self.long || total > Self.most else { return nil }
        return Report(
            longest: .nanoseconds(worst.longest), ago: .nanoseconds(max(0, now.nanoseconds - worst.endedAt)),
            total: .nanoseconds(min(total, Self.length * 1_000_000_000)))
    }

    private static func second(of time: HostTime) -> Int64 { time.nanoseconds / 1_000_000_000 }
}
