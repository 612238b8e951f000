import PeerDiscovery

extension RoomAdvertiser {
    /// The next state of that kind; nil if the advertiser stopped before.
    func first(_ isWanted: (AdvertiserState) -> Bool) async -> AdvertiserState? {
        for await state in states where isWanted(state) { return state }
        return nil
    }

    /// The name under which the room is published, once it is.
    func publishedName() async -> String? {
        guard case .published(let name) = await first({ if case .published = $0 { true } else { false } }) else {
            return nil
        }
        return name
    }
}

extension RoomBrowser {
    /// The room of that name, as soon as it is there and as wanted. Rooms of earlier tests may still be listed.
    func room(_ name: String, when isWanted: (DiscoveredRoom) -> Bool = { _ in true }) async -> DiscoveredRoom? {
        await snapshot { $0.rooms(named: name).contains(where: isWanted) }.rooms(named: name).first
    }

    /// The names of rooms with these two records, as soon as they are `names`, each the name of one of them. Whose it
    /// stays where both want the first, multicast DNS decides by comparing the records (RFC 6762, 8.2 and 9).
    func names(of one: RoomRecord, _ other: RoomRecord, when names: [String]) async -> [RoomRecord: String] {
        let both = await snapshot { snapshot in
            // Meanwhile one may be listed under both names, the old one not yet gone.
            let rooms = snapshot.rooms.filter { [one, other].contains($0.record) }
            return rooms.map(\.name) == names && rooms[0].record != rooms[1].record
        }
        return [one: "", other: ""].merging(both.rooms.map { ($0.record, $0.name) }) { $1 }
    }

    /// The list, as soon as it is as wanted.
    func snapshot(when isWanted: (RoomSnapshot) -> Bool) async -> RoomSnapshot {
        var latest = snapshot()
        if isWanted(latest) { return latest }
        for await _ in changes {
            latest = snapshot()
            if isWanted(latest) { break }
        }
        return latest
    }
}
