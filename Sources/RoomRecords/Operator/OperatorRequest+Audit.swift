import WireProtocol

extension OperatorRequest {
    /// What changes nothing, and is asked again and again.
    package static let questions: Set<Task> = [
        .status, .peers, .departed, .latency, .nearby, .events, .watermarks, .recordStatus, .taught, .site,
    ]

    /// What the log says of a command, by whichever door it came: the task, whom it is about, and what was said with it;
    /// `nil` of a question. Such as `kick "P3", message "Time is up"`.
    package var auditLine: String? {
        guard !Self.questions.contains(task) else { return nil }
        let texts = [
            ("with", other), ("to", to), ("at", at), ("gesture", gesture), ("name", name), ("text", text),
            ("message", message), ("file", path), ("room", room),
        ]
        let figures = [
            ("seat", seat.map { "\($0)" }), ("times", times.map { "\($0)" }), ("value", value.map { "\($0)" }),
            ("timeout", timeout.map { "\($0)" }), ("back in", backIn.map { "\($0)" }),
        ]
        var line = task.rawValue
        if let who { line += " " + Self.quoted(who) }
        if all == true { line += " all" }
        for (name, figure) in figures { if let figure { line += ", \(name) \(figure)" } }
        for (name, text) in texts { if let text { line += ", \(name) \(Self.quoted(text))" } }
        if let gestures { line += ", gestures " + Self.quoted(gestures.joined(separator: ", ")) }
        return line
    }

    /// A line stays a line, and no longer than somebody reads.
    private static func quoted(_ text: String) -> String { spoken(text, atMost: 256).debugDescription }
}
