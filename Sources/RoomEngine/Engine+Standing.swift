public import SessionCoordinator
public import WireProtocol

/// A room as it stands at one moment, for whoever follows it from then on.
public struct RoomStanding: Hashable, Sendable {
    /// Whether the operator keeps new controllers out.
    public var isLocked: Bool
    /// Whom the operator keeps out.
    public var banned: [ControllerID]
    /// By place: the generation that a link had there last, so that the next one is called the same.
    public var generations: [UInt16]

    /// As it was kept.
    public init(isLocked: Bool, banned: [ControllerID], generations: [UInt16]) {
        self.isLocked = isLocked
        self.banned = banned
        self.generations = generations
    }
}

/// An engine that takes over in the middle of an evening.
///
/// ```
/// the room's engine ─▶ seats, those who wait, lock; later each clock ─▶ an engine that follows it
/// ```
/// What follows hears the same samples at the same times. What its recognizers would know of the time before, nobody
/// tells them: for some seconds it may see other gestures.
extension Engine {
    /// How every seat stands.
    public var standings: [Standing] { coordinator.standings }

    /// How the room stands besides.
    public var roomStanding: RoomStanding {
        RoomStanding(
            isLocked: coordinator.isLocked, banned: coordinator.bannedControllers,
            generations: coordinator.linkGenerations)
    }

    /// Those who want a seat and have none.
    public var waiting: [WaitingStanding] { coordinator.waiting }

    /// The host's own invitations that are open.
    public var offered: [OfferStanding] { coordinator.offered }

    /// What those who sit here bring along, and those who are invited from another room.
    public var standingTalents: [(controller: ControllerID, talents: PlayerTalents)] {
        let here = coordinator.standings.compactMap { standing in
            let controller = standing.lease.controller
            return talents[controller].map { (controller, $0) }
        }
        return here + travellers.map { ($0.controller, $0.talents) }
    }

    /// Lets somebody wait on, as it waited.
    public mutating func stand(_ standing: WaitingStanding) { coordinator.stand(standing) }

    /// Takes an invitation of the host's over as it stood.
    public mutating func stand(_ standing: OfferStanding) { coordinator.stand(standing) }

    /// Takes over what a controller's player brings along; to be called before its seat is taken over.
    public mutating func stand(_ kept: PlayerTalents, of controller: ControllerID) {
        guard talents.count < configuration.room.seats else { return }
        talents[controller] = kept
    }

    /// Takes a seat over as it stood; one that no room can have come to is left out.
    public mutating func stand(_ standing: Standing, now: HostTime) {
        guard coordinator.stand(standing, now: now) else { return }
        perform(coordinator.takeActions(), now: now)
        coordinator.resume(standing, now: now, sink: &sink)
        reconsiderService()
    }

    /// Takes over how the room stands besides.
    public mutating func stand(_ standing: RoomStanding) {
        coordinator.stand(
            isLocked: standing.isLocked, banned: standing.banned, generations: standing.generations)
    }

    /// Keeps out whom the operator had removed before the host restarted.
    package mutating func keepOut(_ controllers: [ControllerID]) {
        coordinator.stand(isLocked: coordinator.isLocked, banned: controllers, generations: [])
    }

    /// Takes over how a peer's clock stands; from then on it is told, and not measured.
    public mutating func believe(_ mapping: ClockMapping, of peer: PeerIndex) {
        coordinator.believe(mapping, of: peer, sink: &sink)
    }

    /// Keeps what is learnt of clocks from now on for ``takeClockNews()``, or keeps it no more.
    public mutating func tellClocks(_ isWanted: Bool) { sink.clockNews = isWanted ? [] : nil }

    /// Whose clock stands differently since the last call; nothing unless ``tellClocks(_:)`` was called.
    public mutating func takeClockNews() -> [(peer: PeerIndex, mapping: ClockMapping)] {
        guard let news = sink.clockNews, !news.isEmpty else { return [] }
        sink.clockNews = []
        return news
    }
}
