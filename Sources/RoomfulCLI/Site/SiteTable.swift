import RoomRecords
import Roomful
import SiteRecords

/// The rooms of a site for people: a line for each, and what is wrong below it.
enum SiteTable {
    static func text(_ entries: [(entry: SiteDirectory.Entry, silentForMs: Double?)], site: SiteName, broker: String)
        -> String
    {
        guard !entries.isEmpty else {
            return
                "no room of site \"\(site)\" is heard at \(broker); one joins it with: roomful host NAME --site \(broker)"
        }
        var table = Table(["ROOM", "HOST", ">PLAYERS", ">WAITING", ">QUALITY", "STATE", "ID"])
        for (entry, silence) in entries { table.add(row(entry.room, silence)) }
        let problems = entries.flatMap { entry, silence in silence == nil ? words(entry.room) : [] }
        return ([table.text] + problems).joined(separator: "\n")
    }

    private static func row(_ room: SiteRoom, _ silence: Double?) -> [String] {
        [
            room.name, room.host, "\(room.playing)/\(room.seats)", "\(room.waiting)",
            Figures.percent(room.worstQuality),
            state(room, silence), String(room.room.prefix(8)),
        ]
    }

    private static func state(_ room: SiteRoom, _ silence: Double?) -> String {
        if room.isClosing { return "closed" }
        if let silence { return "silent, heard \(Figures.ago(silence))" }
        return room.isLocked ? "locked" : room.freeSeats == 0 ? "full" : "open"
    }

    private static func words(_ room: SiteRoom) -> [String] {
        var lines = room.problems.map { "\(room.name): \($0)" }
        if let lost = room.buffer?.lost, lost > 0 {
            lines.append(
                "\(room.name): \(plural(lost, "event is", "events are")) in no stream: the broker was away too long, or "
                    + "lost what it had")
        }
        return lines.map { TerminalText.isolated($0) }
    }
}

/// One room as `roomful site --json` prints it.
struct SiteListing: Encodable {
    /// Its last word; `null` where it has said none since this command listens.
    @ExplicitNull var room: SiteRoom?
    /// Since its last word, ms; `null` while it speaks.
    @ExplicitNull var silentForMs: Double?
    /// What its events tell of a room that says nothing.
    var absent: AbsentRoom?
}

extension AbsentRoom {
    var line: String {
        TerminalText.isolated(
            "\(name): silent, and did not say that it closes; it was on \(host), and told something at \(lastToldAt)")
    }
}
