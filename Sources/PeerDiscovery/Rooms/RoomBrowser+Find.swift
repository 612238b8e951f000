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
        let finding = await browser.finding(of: name, timeout: timeout, settling: settling)
        await browser.stop()
        return finding
    }

    /// The same with a browser that goes on looking.
    ///
    /// - Parameter isEnough: whether what is there will do, so that nobody has to wait for more.
    package func finding(
        of name: String, timeout: Duration, settling: Duration = .milliseconds(400),
        isEnough: @escaping @Sendable (RoomSnapshot) -> Bool = { _ in false }
    ) async -> RoomFinding {
        @Sendable func wait(until holds: (RoomSnapshot) -> Bool) async {
            for await _ in changes where holds(snapshot()) { break }
        }
        await withTaskGroup { race in
            race.addTask {
                await wait { !$0.rooms(named: name).isEmpty }
                try? await Task.sleep(for: settling)
            }
            race.addTask { await wait(until: isEnough) }
            race.addTask { try? await Task.sleep(for: timeout) }
            await race.next()
            race.cancelAll()
        }
        return snapshot().finding(of: name)
    }
}

extension RoomSnapshot {
    /// What there is to see, for who wants the rooms of that name.
    package func finding(of name: String) -> RoomFinding { RoomFinding(matches: rooms(named: name), nearby: self) }
}
