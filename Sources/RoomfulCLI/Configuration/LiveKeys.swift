/// Which keys of a configuration a room can go by while people play, and why it cannot by the others.
enum LiveKeys {
    /// What is taken over at once.
    static let taken: Set = [
        "seats", "policy", "names", "idle", "grace", "idle-reset", "hours", "gestures", "contest", "tie",
        "contest-window", "contest-cap", "contest-pause", "play", "serve", "allow-origin", "open-loopback", "url",
        "code-file",
    ]

    /// Why a key has to wait for the next start of the program.
    static let waiting: [String: String] = [
        "name": "controllers, tickets and the room's folder know it by its name",
        "mode": "who drives which player was settled as they came",
        "fusion": "who drives which player was settled as they came",
        "team": "teams have begun to act together",
        "seed": "the lots of an evening are drawn from one seed",
        "game": "the label is part of what was announced on the network",
        "port": "those who are here know this port",
        "http": "games on this machine know this port",
        "legacy": "those who are here know this port",
        "metrics": "whoever reads the figures knows this address",
        "discovery": "the room is announced in one way",
        "interface": "the room is announced in one way",
        "cert": "files that are renewed are read by themselves; those at another place are not",
        "key": "files that are renewed are read by themselves; those at another place are not",
        "qr": "the screen was laid out when the program began",
        "state": "keys and seats are in use there",
        "site": "the site knows the room by one broker for as long as it is open",
        "lobby": "the site knows the room by one broker for as long as it is open",
        "record": "a recording begins with the room, or by: roomful record start FILE",
    ]

    /// Why this key has to wait; `nil` where it does not.
    static func reason(_ key: String) -> String? {
        if taken.contains(key) { return nil }
        let ofRecording = key.hasPrefix("record") || key == "pseudonyms" ? waiting["record"] : nil
        let ofSite = key.hasPrefix("site-") ? waiting["site"] : nil
        return waiting[key] ?? ofRecording ?? ofSite ?? "it belongs to how the room was opened"
    }
}
