/// Who is to make rooms findable, and to find them.
public enum DiscoveryMode: String, Sendable, Hashable, CaseIterable {
    /// avahi-daemon wherever it answers, and else a responder of our own; each takes over from the other.
    case auto
    /// The machine's avahi-daemon alone, whenever it is there.
    case daemon
    /// A responder of our own alone, which needs neither daemon nor D-Bus: libavahi-core in a process of its own, which
    /// is the program `roomful`. It is looked for where `ROOMFUL_RESPONDER` says, beside this program, and in PATH.
    case embedded
    /// Nobody: rooms are neither announced nor looked for.
    case none
}

/// Who speaks multicast DNS (RFC 6762) for this process at the moment.
public enum DiscoveryBackend: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// avahi-daemon, by its client library.
    case daemon
    /// libavahi-core in a process of our own.
    case embedded

    /// In words for people.
    public var description: String {
        switch self {
        case .daemon: "avahi-daemon"
        case .embedded: "embedded responder"
        }
    }
}
