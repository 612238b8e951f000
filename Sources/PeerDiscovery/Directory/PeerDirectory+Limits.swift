extension PeerDirectory {
    /// How much of what others announce is remembered.
    package struct Limits: Sendable, Hashable {
        /// As many announcements as avahi-daemon's own cache holds by default.
        package var sightings = 4_096
        package var rooms = 1_000
        package var endpointsPerRoom = 16

        package init() {}
    }
}

/// What was left out of the list of rooms nearby, and why: since the search began.
public struct DirectoryTally: Sendable, Hashable {
    /// Announcements whose name is no UTF-8 of 1...63 bytes.
    public internal(set) var rejectedNames = 0
    /// TXT records that describe no room of ours.
    public internal(set) var rejectedRecords = 0
    /// Addresses and ports that lead nowhere.
    public internal(set) var rejectedEndpoints = 0
    /// Announcements beyond the limit.
    public internal(set) var excessSightings = 0
    /// Announcements of rooms beyond the limit; they are listed when another room vanishes.
    public internal(set) var excessRooms = 0
}
