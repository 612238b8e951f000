/// A difference in the list of rooms nearby.
public enum RoomChange: Sendable, Hashable {
    /// A room that was not in the list: its record is read, and it has an endpoint.
    case appeared(DiscoveredRoom)
    /// The same room, by its claim, with another record, other endpoints, or another liveness or reachability.
    case changed(from: DiscoveredRoom, to: DiscoveredRoom)
    /// The room as it was last; no announcement of it stands.
    case vanished(DiscoveredRoom)

    init?(from old: DiscoveredRoom?, to new: DiscoveredRoom?) {
        switch (old, new) {
        case (nil, let new?): self = .appeared(new)
        case (let old?, nil): self = .vanished(old)
        case (let old?, let new?) where old != new: self = .changed(from: old, to: new)
        case (.some, .some), (nil, nil): return nil
        }
    }

    /// What turns one list into another: first what vanished, then the rest in the order of the new list.
    static func between(_ old: [DiscoveredRoom], _ new: [DiscoveredRoom]) -> [RoomChange] {
        let before = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let remaining = Set(new.map(\.id))
        return old.filter { !remaining.contains($0.id) }.map(RoomChange.vanished)
            + new.compactMap { RoomChange(from: before[$0.id], to: $0) }
    }
}
