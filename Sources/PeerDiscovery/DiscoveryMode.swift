/// Who is to make rooms findable, and to find them.
public enum DiscoveryMode: String, Sendable, Hashable, CaseIterable {
    /// avahi-daemon wherever it answers, and else a responder in this process; each takes over from the other.
    case auto
    /// The machine's avahi-daemon alone, whenever it is there.
    case daemon
    /// libavahi-core in this process alone, which needs neither daemon nor D-Bus.
    case embedded
    /// Nobody: rooms are neither announced nor looked for.
    case none
}

/// Who speaks multicast DNS (RFC 6762) for this process at the moment.
public enum DiscoveryBackend: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case daemon, embedded

    /// In words for people.
    public var description: String {
        switch self {
        case .daemon: "avahi-daemon"
        case .embedded: "embedded responder"
        }
    }
}
