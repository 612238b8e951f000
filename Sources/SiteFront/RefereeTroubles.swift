import WireProtocol

/// What a referee finds wrong, and when it says so: what lasts, once until it is over; what happens, each time, and of a
/// flood how often.
struct RefereeTroubles {
    /// What happens again so soon is counted, and said then.
    static let pause: Duration = .seconds(5)
    /// What is not found any more for so long is over. It is looked for once a second at least, be the broker slow.
    static let over: Duration = .seconds(10)
    /// Other hosts' names stand in the words.
    private static let most = 1_024

    private struct Report {
        var at: HostTime
        /// Since it was said.
        var more = 0
    }

    private var lasting: [String: HostTime] = [:]
    private var happened: [String: Report] = [:]

    /// It is so now: called again and again while it is.
    ///
    /// - Returns: the words, if they are to be said.
    mutating func last(_ words: String, now: HostTime) -> String? {
        let before = lasting[words]
        guard before != nil || lasting.count < Self.most else { return nil }
        lasting[words] = now
        return before.map { now - $0 < Self.over } == true ? nil : words
    }

    /// It has happened.
    ///
    /// - Returns: the words, if they are to be said at once.
    mutating func happen(_ words: String, now: HostTime) -> String? {
        guard happened[words] == nil else {
            happened[words]?.more += 1
            return nil
        }
        guard happened.count < Self.most else { return nil }
        happened[words] = Report(at: now)
        return words
    }

    /// What was counted and is to be said now, and an end to what is over.
    mutating func due(now: HostTime) -> [String] {
        var lines: [String] = []
        for (words, known) in happened.sorted(by: { $0.key < $1.key }) where now - known.at >= Self.pause {
            happened[words] = known.more > 0 ? Report(at: now) : nil
            if known.more > 0 { lines.append("\(words) (\(known.more) more of these)") }
        }
        lasting = lasting.filter { now - $0.value < Self.over }
        return lines
    }
}
