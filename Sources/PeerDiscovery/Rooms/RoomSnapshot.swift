/// The rooms nearby at one moment, and how much that list can be relied on.
public struct RoomSnapshot: Sendable, Hashable {
    /// By name, then by claim; at most 1,000.
    public let rooms: [DiscoveredRoom]
    /// The names of all announcements, resolved or not, safe to print; sorted.
    public let displayNames: [String]
    /// Whether the search works at the moment, and if not, why.
    public let availability: DiscoveryAvailability
    /// Who looks around at the moment.
    public let backend: DiscoveryBackend?
    /// What was left out.
    public let tally: DirectoryTally

    /// The rooms of that name, however it was typed: as announced or as displayed.
    ///
    /// Names that differ only in how Unicode composes their letters are the same name to a reader.
    public func rooms(named name: String) -> [DiscoveredRoom] {
        rooms.filter { $0.name == name || $0.displayName == name }
    }
}

/// Whether rooms can be found at all.
public enum DiscoveryAvailability: Sendable, Hashable {
    /// The responder was not heard yet: the list says nothing.
    case starting
    /// Somebody looks around; the list is as complete as the network lets it be.
    case running
    /// For this reason, with what to do about it; it goes on by itself when the reason is gone.
    case unavailable(reason: String)
}
