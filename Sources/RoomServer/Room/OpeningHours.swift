import Foundation
public import WireProtocol

/// When an exhibit lets people in, by the host's local time, week after week.
///
/// ```
/// Tue-Fri 10:00-18:00      from Tuesday to Friday
/// Sat 11:00-02:00          until two o'clock on Sunday morning
/// daily 09:30-24:00
/// ```
/// Where two spans meet or overlap, the room is open in both. Local time is what the machine's clock shows: on the night on
/// which it is set an hour, the room opens and closes by the time that visitors have on their wrists, too.
public struct OpeningHours: Hashable, Sendable {
    /// Minutes since Monday 0:00 at which it opens and closes, in order; they neither meet nor overlap.
    private var spans: [Range<Int>] = []

    private static let day = 1_440
    private static let week = 7 * day
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// - Parameter texts: a span each: days, and from when until when.
    /// - Throws: ``RoomError`` with code `badOption`, with the span that cannot be read.
    public init(_ texts: [String]) throws(RoomError) {
        var minutes = [Bool](repeating: false, count: Self.week)
        for text in texts {
            guard let (days, from, length) = Self.span(text) else {
                throw RoomError(
                    .badOption, "hours takes spans such as \"Tue-Fri 10:00-18:00\", not \"\(text)\"")
            }
            for day in days {
                for minute in 0..<length { minutes[(day * Self.day + from + minute) % Self.week] = true }
            }
        }
        for minute in minutes.indices where minutes[minute] {
            if spans.last?.upperBound == minute {
                spans[spans.count - 1] = spans[spans.count - 1].lowerBound..<minute + 1
            } else {
                spans.append(minute..<minute + 1)
            }
        }
    }

    /// Whether people are let in.
    ///
    /// - Parameter minute: since Monday 0:00, local time: 0 to 10,079.
    public func isOpen(at minute: Int) -> Bool { spans.contains { $0.contains(minute) } }

    /// When it opens next, such as `Tue 10:00`; `nil` where it never does.
    ///
    /// - Parameter minute: since Monday 0:00, local time: 0 to 10,079.
    public func nextOpening(after minute: Int) -> String? {
        let openings = spans.map(\.lowerBound).filter { start in
            // What goes on from Sunday to Monday begins on Sunday.
            start > 0 || spans.last?.upperBound != Self.week
        }
        return (openings.first { $0 > minute } ?? openings.first).map(Self.text)
    }

    /// How many minutes it stays as it is, 1 to 10,080; `nil` where it always does.
    ///
    /// - Parameter minute: since Monday 0:00, local time: 0 to 10,079.
    func minutesToStrike(after minute: Int) -> Int? {
        (1...Self.week).first { isOpen(at: (minute + $0) % Self.week) != isOpen(at: minute) }
    }

    private static func text(_ minute: Int) -> String {
        let clock = [minute % day / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(days[minute / day]) \(clock)"
    }

    /// The days, the minute at which it opens, and for how many minutes.
    private static func span(_ text: String) -> (days: [Int], from: Int, length: Int)? {
        let words = text.split(separator: " ")
        guard words.count == 2, let days = days(words[0]) else { return nil }
        let times = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let from = minute(times[0]), from < day, let to = minute(times[1]), from != to else {
            return nil
        }
        return (days, from, to > from ? to - from : to + day - from)
    }

    private static func days(_ text: Substring) -> [Int]? {
        if text.lowercased() == "daily" { return Array(0..<7) }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { word in
            days.firstIndex { $0.lowercased() == word.lowercased() }
        }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
        return (first...(last < first ? last + 7 : last)).map { $0 % 7 }
    }

    /// `9:30`, `09:30`, up to `24:00`.
    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), minute < 60, hour < 24 || hour == 24 && minute == 0
        else { return nil }
        return hour * 60 + minute
    }
}

extension OpeningHours {
    /// A moment as the host's clock shows it, such as `Sat 06:51, UTC+02:00`: where its time zone was not set, or does not
    /// exist, that is UTC.
    static func localTime(_ moment: Date = Date()) -> String {
        var (seconds, local) = (time_t(moment.timeIntervalSince1970), tm())
        tzset()
        localtime_r(&seconds, &local)
        return localTime(localMinute(moment), secondsEast: Int(local.tm_gmtoff))
    }

    /// - Parameter minute: since Monday 0:00, local time.
    static func localTime(_ minute: Int, secondsEast: Int) -> String {
        let east = abs(secondsEast) / 60
        let offset = [east / 60, east % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return text(minute) + ", UTC" + (east == 0 ? "" : (secondsEast < 0 ? "-" : "+") + offset)
    }

    /// What the host's clock shows: minutes since Monday 0:00, local time.
    static func localMinute(_ moment: Date = Date()) -> Int {
        var seconds = time_t(moment.timeIntervalSince1970)
        var local = tm()
        // Alone, localtime_r goes by the time zone that there was when it was first asked.
        tzset()
        localtime_r(&seconds, &local)
        // Of the C library's days the first is Sunday.
        return (Int(local.tm_wday) + 6) % 7 * day + Int(local.tm_hour) * 60 + Int(local.tm_min)
    }
}
