import SiteRecords

/// Who uses a site's broker, and the least that each must be allowed.
enum SiteRole: String, CaseIterable {
    case host, game, `operator`, reader

    /// What a person in this role does, for a comment.
    var purpose: String {
        switch self {
        case .host: "rooms: tell events, status and motion, and hear commands"
        case .game: "games: read events, and motion that they ask for"
        case .operator: "operators: read everything, ask rooms, and judge contests across them"
        case .reader: "displays and archives: read events and status"
        }
    }

    /// What its file is called.
    var file: String { rawValue + ".credentials" }

    /// The next thing to type, with the role's file as a shell takes it.
    func command(_ site: SiteName, broker: String, file: String) -> String {
        let place = "--site-name \(site) --site-credentials \(file)"
        return switch self {
        case .host: "roomful host \"Hall\" --site \(broker) \(place)"
        case .game: "python3 your-game.py   # user game, its password in \(file): Documentation/SITE.md has a game"
        case .operator: "roomful site --watch --broker \(broker) \(place)"
        case .reader: "roomful events --since 1h --broker \(broker) \(place)"
        }
    }

    func publishes(_ subjects: SiteSubjects) -> [String] {
        let stream = subjects.stream
        let info = ["$JS.API.STREAM.INFO.\(stream)", "$JS.API.STREAM.MSG.GET.\(stream)"]
        switch self {
        case .host:
            let told = ["events", "status", "motion.*", "log", "standby", "host"].map { "rf.\(subjects.site).*.\($0)" }
            // A room's log is a stream of its own, by its id, which nobody knows yet. Making a stream changes none that is there;
            // but it may be one of any subjects, operators' inboxes too: whoever may do so hears what operators are told.
            return told + ["INFO", "MSG.GET", "CREATE"].map { "$JS.API.STREAM.\($0).*" }
        case .game: return Self.reading(stream) + info + ["rf.\(subjects.site).*.want"]
        case .operator:
            return Self.reading(stream) + info + ["ask", "want"].map { "rf.\(subjects.site).*.\($0)" }
                + [subjects.contests]
        case .reader: return Self.reading(stream) + info
        }
    }

    /// Making consumers of the stream, and taking from them.
    private static func reading(_ stream: String) -> [String] {
        [
            "$JS.API.STREAM.NAMES", "$JS.API.CONSUMER.CREATE.\(stream)", "$JS.API.CONSUMER.CREATE.\(stream).>",
            "$JS.API.CONSUMER.DURABLE.CREATE.\(stream).*", "$JS.API.CONSUMER.INFO.\(stream).*",
            "$JS.API.CONSUMER.MSG.NEXT.\(stream).*", "$JS.ACK.\(stream).>", "$JS.FC.\(stream).>",
        ]
    }

    func hears(_ subjects: SiteSubjects) -> [String] {
        let own = "_INBOX_\(rawValue).>"
        switch self {
        case .host:
            return ["ask", "want", "status", "log", "standby", "host"].map { "rf.\(subjects.site).*.\($0)" } + [own]
        case .game: return ["events", "status", "motion.*"].map { "rf.\(subjects.site).*.\($0)" } + ["_INBOX.>", own]
        case .operator: return ["rf.\(subjects.site).>", own]
        case .reader: return ["events", "status"].map { "rf.\(subjects.site).*.\($0)" } + ["_INBOX.>", own]
        }
    }
}
