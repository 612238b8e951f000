import RoomEngine
import SessionCoordinator
import WireProtocol

extension OperatorRequest {
    /// What changes nothing, and is asked again and again.
    package static let questions: Set<Task> = [
        .status, .peers, .departed, .latency, .nearby, .events, .watermarks, .recordStatus, .taught, .site,
    ]

    /// Whether somebody is meant in it by a name, or by so little of an id that it could be one.
    var namesSomebody: Bool { [who, other].contains { $0.map { Self.plain($0) == nil } ?? false } }

    /// What the log says of a command, by whichever door it came; `nil` of a question. Such as `kick P3 (0f0e0d0c)`.
    ///
    /// The log outlives the room, and others read it: people stand there by their player and the beginning of their id, and
    /// neither what they are called nor what was said stands there at all.
    ///
    /// - Parameter state: who is here; `nil` where that is not known.
    func auditLine(_ state: RoomState?) -> String? {
        guard !Self.questions.contains(task) else { return nil }
        let texts = [("to", to), ("at", at), ("file", path), ("room", room)]
        let figures = [
            ("seat", seat.map { "\($0)" }), ("times", times.map { "\($0)" }), ("value", value.map { "\($0)" }),
            ("timeout", timeout.map { "\($0)" }), ("back in", backIn.map { "\($0)" }),
        ]
        var line = task.rawValue
        if let who { line += " " + Self.person(who, state) }
        if all == true { line += " all" }
        if let other { line += ", with " + Self.person(other, state) }
        for (name, figure) in figures { if let figure { line += ", \(name) \(figure)" } }
        for (name, text) in texts { if let text { line += ", \(name) \(Self.quoted(text))" } }
        if let gestures { line += ", " + plural(gestures.count, "gesture") }
        return line
    }

    /// Who is meant, without a name.
    private static func person(_ who: String, _ state: RoomState?) -> String {
        if let plain = plain(who) { return plain }
        let seated = (state?.peers ?? []).map { ($0.report.controller, $0.report.name, Optional($0.report.player)) }
        let waiting = (state?.newcomers ?? []).map { ($0.controller, $0.name, PlayerNumber?.none) }
        let meant = Designation(who).choose { isMeant in
            (seated + waiting).filter { isMeant($0.0.description, $0.1, $0.2) }
        }
        guard let one = meant.first, meant.count == 1 else { return "by name" }
        let id = one.0.description.prefix(shownDigits)
        return one.2.map { "P\($0) (\(id))" } ?? "\(id)"
    }

    /// A player, or the beginning of an id; `nil` of what may be somebody's name.
    private static func plain(_ who: String) -> String? {
        if let player = Designation(who).player { return "P\(player)" }
        let isID = who.utf8.count >= shownDigits && who.utf8.count <= 32 && who.allSatisfy(\.isHexDigit)
        return isID ? who.prefix(shownDigits).lowercased() : nil
    }

    /// So many digits of an id are printed wherever people choose somebody by them.
    private static let shownDigits = 8

    /// A line stays a line, and no longer than somebody reads.
    private static func quoted(_ text: String) -> String { spoken(text, atMost: 256).debugDescription }
}
