package import SiteRecords

/// A room's way to the others of its site.
package protocol SiteMessenger: Sendable {
    /// Rooms that take guests of lobbies, and speak. From when it is asked on, it listens for them.
    func rooms() async throws -> [SiteRoom]

    /// The room that is meant: by its name, its id or the beginning of it.
    ///
    /// - Throws: ``RoomError``, naming what there is.
    func room(_ word: String) async throws -> SiteRoom

    /// Asks another host.
    ///
    /// - Throws: ``RoomError``, that host's own, or why it was not asked.
    func ask(_ request: HostRequest, of room: SiteRoom, within patience: Duration) async throws -> HostReply
}
