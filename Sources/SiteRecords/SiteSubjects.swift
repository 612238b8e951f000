/// Where in a broker's tree of subjects a site's rooms speak: `rf.SITE.ROOM.events` and its neighbours.
///
/// ROOM is the room's id, 32 hexadecimal digits: its name may hold whatever people type, a subject may not.
package struct SiteSubjects: Hashable, Sendable {
    package let site: SiteName

    package init(_ site: SiteName) { self.site = site }

    /// The JetStream stream that keeps the events of all rooms.
    package var stream: String { "RF_\(site)_EVENTS" }
    /// What that stream takes.
    package var allEvents: String { "rf.\(site).*.events" }
    package var allStatuses: String { "rf.\(site).*.status" }

    /// The stream that keeps one room's log.
    package func logStream(_ room: String) -> String { "RF_\(site)_LOG_\(Self.token(room))" }

    package func events(_ room: String) -> String { subject(room, "events") }
    package func status(_ room: String) -> String { subject(room, "status") }
    /// Operators' commands, by request and reply.
    package func ask(_ room: String) -> String { subject(room, "ask") }
    /// What other hosts of the site ask: seats for those whom they send.
    package func host(_ room: String) -> String { subject(room, "host") }
    /// Whoever publishes here gets motion for a while.
    package func want(_ room: String) -> String { subject(room, "want") }
    /// Who owns the room, and what a successor needs.
    package func log(_ room: String) -> String { subject(room, "log") }
    /// What standbys say of themselves, past the log.
    package func standby(_ room: String) -> String { subject(room, "standby") }
    /// Verdicts over players of several rooms; the stream that keeps all rooms' events takes them, too.
    package var contests: String { subject(Self.contestsRoom, "events") }
    /// What stands in a room's place there.
    package static let contestsRoom = "contests"
    package func motion(_ room: String, player: Int) -> String { subject(room, "motion") + ".\(player)" }

    package func allMotion(_ room: String) -> String { subject(room, "motion") + ".*" }

    private func subject(_ room: String, _ last: String) -> String { "rf.\(site).\(Self.token(room)).\(last)" }

    /// A room's id as it stands in a subject; of anything else, only what can stand there.
    private static func token(_ room: String) -> String {
        let plain = room.utf8.filter { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return plain.isEmpty ? "-" : String(decoding: plain.prefix(64), as: UTF8.self)
    }

    /// The room's id in a subject of this site; `nil` for another subject.
    package func room(in subject: String) -> String? {
        let tokens = subject.split(separator: ".", omittingEmptySubsequences: false)
        guard tokens.count >= 4, tokens[0] == "rf", tokens[1] == site.text, !tokens[2].isEmpty else { return nil }
        return String(tokens[2])
    }
}
