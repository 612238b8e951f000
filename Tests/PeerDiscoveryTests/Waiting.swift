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
