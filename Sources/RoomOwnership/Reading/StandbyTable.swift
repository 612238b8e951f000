package import WireProtocol

/// Which standbys say that they are there: at most 64, of which the one that was silent longest makes room.
package struct StandbyTable: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package var presence: StandbyPresence
        package var heardAt: HostTime
    }

    static let capacity = 64
    package private(set) var rows: [Row] = []
    /// When one that was there had to make room last.
    private(set) var overflowedAt: HostTime?

    mutating func heard(_ presence: StandbyPresence, now: HostTime) {
        rows.removeAll { $0.presence.host == presence.host }
        if rows.count == Self.capacity {
            rows.removeFirst()
            overflowedAt = now
        }
        // The newest stands last.
        rows.append(Row(presence: presence, heardAt: now))
    }

    /// Whoever owns the room stands by for nobody.
    mutating func forget(_ host: UInt64) { rows.removeAll { $0.presence.host == host } }

    /// Whether somebody would take over from `owner`.
    package func hasHealthy(besides owner: UInt64, within gone: Duration, now: HostTime) -> Bool {
        rows.contains { $0.presence.host != owner && $0.presence.isReady && now - $0.heardAt < gone }
    }
}
