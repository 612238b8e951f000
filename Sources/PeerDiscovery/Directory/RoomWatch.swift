/// Decides when to ask which room whether it is still there, and when to believe that it is not.
///
/// A record may outlive its host by 75 minutes (RFC 6762, 10), so each listed room's TCP port is tried: at once, and then
/// every 3 s. A room whose port did not answer twice in a row, 0.5 s apart, is silent; it is tried on, and answers again
/// when it does. A host that dies without a goodbye is so found out within 6.5 s, as long as no more than
/// ``Limits/probes`` rooms at a time leave their answer open.
package struct RoomWatch: Sendable {
    /// How much is asked, and how long is waited.
    package struct Limits: Sendable, Hashable {
        /// How long an answer may take.
        package var patience: Duration = .milliseconds(1_500)
        /// Between an answer and the next question.
        package var interval: Duration = .seconds(3)
        /// Between a question that nobody answered and the second try.
        package var secondTry: Duration = .milliseconds(500)
        /// Rooms asked at the same time.
        package var probes = 48
        /// Rooms asked in a second, beyond a burst of ``probes``: forged records can send us to whom they like, and it shall
        /// not be felt there.
        package var probesPerSecond = 40
        /// Addresses of one room that are tried at the same time.
        package var endpointsPerProbe = 3

        package init() {}
    }

    package enum Action: Sendable, Hashable {
        /// Try to connect to these, and tell with ``settled(_:at:now:)`` what came of it.
        case probe(DiscoveredRoom.Claim, [RoomEndpoint])
        /// Nobody waits for that answer any more.
        case abandon(DiscoveredRoom.Claim)
    }

    private struct Watched {
        var endpoints: [RoomEndpoint]
        /// The one that answered last: tried first the next time.
        var favourite: RoomEndpoint?
        var failures = 0
        /// When to ask; nil while the answer is awaited.
        var due: Duration?
        /// When the awaited answer is given up.
        var expires = Duration.zero
        var standing = Reachability.unchecked
    }

    private let limits: Limits
    private var rooms: [DiscoveredRoom.Claim: Watched] = [:]
    /// The keys of `rooms`, sorted: what is walked through.
    private var claims: [DiscoveredRoom.Claim] = []
    private var inFlight = 0
    /// When the burst of probes will be made up for again: each takes its share of a second.
    private var paidUntil = Duration.zero

    package init(limits: Limits = Limits()) {
        precondition(limits.probes > 0 && limits.endpointsPerProbe > 0, "a watch that asks nobody sees nothing")
        self.limits = limits
    }

    /// When ``advance(to:)`` has something to do. Times count from any fixed moment, on a clock that never goes back.
    package var nextDeadline: Duration? {
        let earliest = paidUntil - share * (limits.probes - 1)
        return claims.lazy.compactMap { claim in
            rooms[claim].flatMap { room in
                guard let due = room.due else { return room.expires }
                return inFlight < limits.probes ? max(due, earliest) : nil
            }
        }.min()
    }

    /// Takes in a difference in the list of rooms.
    package mutating func note(_ change: RoomChange, now: Duration) -> [Action] { note([change], now: now) }

    /// Takes in differences in the list of rooms, in order; many at once cost hardly more than one.
    package mutating func note(_ changes: [RoomChange], now: Duration) -> [Action] {
        changes.compactMap { take($0, now) } + ask(now)
    }

    private mutating func take(_ change: RoomChange, _ now: Duration) -> Action? {
        switch change {
        case .appeared(let room):
            guard rooms[room.id] == nil else { return nil }
            rooms[room.id] = Watched(endpoints: room.endpoints, due: now)
            claims.insert(room.id, at: claims.partitioningIndex { $0 > room.id })
        case .changed(_, let room):
            rooms[room.id]?.endpoints = room.endpoints
        case .vanished(let room):
            guard let watched = rooms.removeValue(forKey: room.id) else { return nil }
            claims.remove(at: claims.partitioningIndex { $0 >= room.id })
            guard watched.due == nil else { return nil }
            inFlight -= 1
            return .abandon(room.id)
        }
        return nil
    }

    /// Takes in what came of a probe: the address that answered, or nil.
    ///
    /// - Returns: how the room stands, if that has changed, and what to do next.
    package mutating func settled(
        _ claim: DiscoveredRoom.Claim, at endpoint: RoomEndpoint?, now: Duration
    ) -> (change: Reachability?, actions: [Action]) {
        guard var watched = rooms[claim], watched.due == nil else { return (nil, []) }
        inFlight -= 1
        let before = watched.standing
        if let endpoint {
            watched.favourite = endpoint
            watched.failures = 0
            watched.standing = .answering
            watched.due = now + limits.interval
        } else {
            watched.failures = min(watched.failures + 1, 2)
            if watched.failures == 2 { watched.standing = .silent }
            watched.due = now + (watched.failures == 1 ? limits.secondTry : limits.interval)
        }
        rooms[claim] = watched
        return (watched.standing == before ? nil : watched.standing, ask(now))
    }

    /// The rooms whose answer has taken too long: each is to be settled with nil.
    package func overdue(at now: Duration) -> [DiscoveredRoom.Claim] {
        claims.filter { rooms[$0].map { $0.due == nil && $0.expires <= now } ?? false }
    }

    /// Asks whom it is time to ask.
    package mutating func advance(to now: Duration) -> [Action] { ask(now) }

    /// What one probe takes of a second.
    private var share: Duration { .seconds(1) / limits.probesPerSecond }

    /// Those who have waited longest first, as many as may be asked at the same time.
    private mutating func ask(_ now: Duration) -> [Action] {
        guard inFlight < limits.probes else { return [] }
        let due = claims.compactMap { claim in rooms[claim]?.due.flatMap { $0 <= now ? (due: $0, claim: claim) : nil } }
        let behind = max(.zero, paidUntil - now)
        let affordable = limits.probes - Int((behind / share).rounded(.up))
        let asked = due.sorted { $0 < $1 }.prefix(max(0, min(limits.probes - inFlight, affordable)))
        paidUntil = max(paidUntil, now) + share * asked.count
        return asked.map { _, claim in
            inFlight += 1
            rooms[claim]?.due = nil
            rooms[claim]?.expires = now + limits.patience
            return .probe(claim, endpoints(of: claim))
        }
    }

    private func endpoints(of claim: DiscoveredRoom.Claim) -> [RoomEndpoint] {
        guard let watched = rooms[claim] else { return [] }
        let favourite = watched.favourite.flatMap { watched.endpoints.contains($0) ? $0 : nil }
        let others = watched.endpoints.filter { $0 != favourite }
        return Array(((favourite.map { [$0] } ?? []) + others).prefix(limits.endpointsPerProbe))
    }
}

/// Whether a room's own port answers, by our own check.
public enum Reachability: String, Sendable, Hashable, CaseIterable {
    /// Not asked yet, or not answered yet.
    case unchecked
    /// It answered the last time, at most some seconds ago.
    case answering
    /// It did not answer twice in a row: its host died, or its network is cut.
    case silent
}
