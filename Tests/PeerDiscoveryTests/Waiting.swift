import PeerDiscovery
import Testing

/// How long a fact is waited for: nobody's promise, but longer than any machine stands still.
let patience = Duration.seconds(60)

/// What `wait` returns; nil if its task was cancelled, as it is after a minute, which is recorded with what was awaited.
func awaited<Value: Sendable>(
    _ what: String, at location: SourceLocation, _ wait: @escaping @Sendable () async -> Value?
) async -> Value? {
    let waiting = Task { await wait() }
    let limit = Task {
        try await Task.sleep(for: patience)
        waiting.cancel()
        Issue.record("\(what) was awaited for \(patience)", sourceLocation: location)
    }
    defer { limit.cancel() }
    return await withTaskCancellationHandler {
        await waiting.value
    } onCancel: {
        waiting.cancel()
    }
}

/// Whether it becomes so while somebody may wait for it.
func eventually(_ isSo: () throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + patience
    while try !isSo() {
        guard ContinuousClock.now < deadline else { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
    return true
}

extension RoomAdvertiser {
    /// The next state of that kind; nil if the advertiser stopped before.
    func first(
        at location: SourceLocation = #_sourceLocation, _ isWanted: @escaping @Sendable (AdvertiserState) -> Bool
    ) async -> AdvertiserState? {
        await awaited("a state of the advertiser", at: location) { [states] in
            for await state in states where isWanted(state) { return state }
            return nil
        }
    }

    /// The name under which the room is published, once it is.
    func publishedName(at location: SourceLocation = #_sourceLocation) async -> String? {
        let state = await first(at: location) { if case .published = $0 { true } else { false } }
        guard case .published(let name) = state else { return nil }
        return name
    }
}

extension RoomBrowser {
    /// The room of that name, as soon as it is there and as wanted. Rooms of earlier tests may still be listed.
    func room(
        _ name: String, at location: SourceLocation = #_sourceLocation,
        when isWanted: @escaping @Sendable (DiscoveredRoom) -> Bool = { _ in true }
    ) async -> DiscoveredRoom? {
        await snapshot(at: location) { $0.rooms(named: name).contains(where: isWanted) }.rooms(named: name)
            .first(where: isWanted)
    }

    /// The names of rooms with these two records, as soon as they are `names`, each the name of one of them. Whose it
    /// stays where both want the first, multicast DNS decides by comparing the records (RFC 6762, 8.2 and 9).
    func names(
        of one: RoomRecord, _ other: RoomRecord, at location: SourceLocation = #_sourceLocation, when names: [String]
    ) async -> [RoomRecord: String] {
        let both = await snapshot(at: location) { snapshot in
            // Meanwhile one may be listed under both names, the old one not yet gone.
            let rooms = snapshot.rooms.filter { [one, other].contains($0.record) }
            return rooms.map(\.name) == names && rooms[0].record != rooms[1].record
        }
        return [one: "", other: ""].merging(both.rooms.map { ($0.record, $0.name) }) { $1 }
    }

    /// The list, as soon as it is as wanted; as it is after a minute, if it never was.
    func snapshot(
        at location: SourceLocation = #_sourceLocation, when isWanted: @escaping @Sendable (RoomSnapshot) -> Bool
    ) async -> RoomSnapshot {
        let wanted = await awaited("another list of rooms", at: location) { [self] in
            // What changed before is no change any more.
            var changes = changes.makeAsyncIterator()
            repeat {
                let latest = snapshot()
                if isWanted(latest) { return latest as RoomSnapshot? }
            } while await changes.next() != nil
            return nil
        }
        return wanted ?? snapshot()
    }
}

extension RoomRecord {
    func changed(_ change: (inout RoomRecord) -> Void) -> RoomRecord {
        var changed = self
        change(&changed)
        return changed
    }
}
