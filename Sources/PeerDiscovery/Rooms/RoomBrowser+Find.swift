/// What a search for one name found.
public struct RoomFinding: Sendable, Hashable {
    /// None, the one, or several rooms of that name that claim to be different ones.
    public let matches: [DiscoveredRoom]
    /// Everything there was to see, for the message to whoever typed the name.
    public let nearby: RoomSnapshot
}

extension RoomBrowser {
    /// Searches for the rooms of one name, until one is found or `timeout` has passed.
    ///
    /// After the first match it waits for `settling` longer, so that further addresses and namesakes are not missed.
    public static func find(
        _ name: String, timeout: Duration = .seconds(5), settling: Duration = .milliseconds(400),
        discovery: DiscoveryMode = .auto, asksRooms: Bool = true
    ) async -> RoomFinding {
        let browser = RoomBrowser(discovery: discovery, asksRooms: asksRooms)
        await withTaskGroup { race in
            race.addTask {
                for await _ in browser.changes where !browser.snapshot().rooms(named: name).isEmpty { break }
                try? await Task.sleep(for: settling)
            }
            race.addTask { try? await Task.sleep(for: timeout) }
            await race.next()
            race.cancelAll()
        }
        let nearby = browser.snapshot()
        await browser.stop()
        return RoomFinding(matches: nearby.rooms(named: name), nearby: nearby)
    }
}
