import WireProtocol

/// The sources of unsealed frames that have no seat: who waits for the operator, and to whom he said no.
///
/// Bounded, because anyone can send from any address: 16 wait at most, one new one is taken up a second at most, and
/// one that falls silent makes room.
struct LegacySources: Sendable {
    struct Waiting: Sendable {
        var address: PeerAddress
        /// A name for events: ours, since the frame brings none.
        var controller: ControllerID
        let since: HostTime
        var lastHeard: HostTime
        var name: String { address.description }
    }

    static let mostWaiting = 16
    static let mostDeclined = 256
    /// A source that is silent for so long no longer asks.
    static let patience: Duration = .seconds(10)
    private static let pauseBetweenAsks: Duration = .seconds(1)

    private(set) var waiting: [Waiting] = []
    private(set) var declined: [PeerAddress] = []
    private var nextID: UInt64 = 1
    private var lastAsk: HostTime?

    /// A source without a seat sent a sound frame. Returns it when it has just begun to wait.
    mutating func heard(from address: PeerAddress, at time: HostTime) -> Waiting? {
        if let place = waiting.firstIndex(where: { $0.address == address }) {
            waiting[place].lastHeard = max(waiting[place].lastHeard, time)
            return nil
        }
        guard !declined.contains(address) else { return nil }
        if let lastAsk, time - lastAsk < Self.pauseBetweenAsks { return nil }
        guard waiting.count < Self.mostWaiting || makeRoom(for: address) else { return nil }
        lastAsk = time
        let source = Waiting(address: address, controller: makeID(), since: time, lastHeard: time)
        waiting.append(source)
        return source
    }

    /// The oldest of the largest share gives way, unless that would be the newcomer's own.
    private mutating func makeRoom(for address: PeerAddress) -> Bool {
        var shares = FairShare()
        for (place, source) in waiting.enumerated() { shares.join(place, from: source.address) }
        guard let share = shares.largest(beside: address) else { return false }
        waiting.remove(at: share.first)
        return true
    }

    /// "legacy" in ASCII, then a number: unlike any other in this room.
    private mutating func makeID() -> ControllerID {
        defer { nextID += 1 }
        return ControllerID(high: 0x6C65_6761_6379_0000, low: nextID)
    }

    mutating func take(_ controller: ControllerID) -> Waiting? {
        waiting.firstIndex { $0.controller == controller }.map { waiting.remove(at: $0) }
    }

    /// Nothing more is heard from there until the operator unlocks the room; the oldest gives way.
    mutating func decline(_ address: PeerAddress) {
        if declined.count >= Self.mostDeclined { declined.removeFirst() }
        declined.append(address)
    }

    mutating func forgive() { declined = [] }
    mutating func stopAsking() { waiting = [] }
    mutating func expire(now: HostTime) {
        if !waiting.isEmpty { waiting.removeAll { now - $0.lastHeard >= Self.patience } }
    }

    /// When the first of those who wait has been silent for too long, in nanoseconds.
    var nextDeadline: Int64? { waiting.map { ($0.lastHeard + Self.patience).nanoseconds }.min() }
}
