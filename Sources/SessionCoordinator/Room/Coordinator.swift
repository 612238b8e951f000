public import WireProtocol

/// Decides everything that happens in one room between its host and its controllers: who sits where, what has arrived,
/// what is acknowledged, and who is gone.
///
/// Values and times go in, actions come out, and ``nextDeadline`` says when to come back. `now` never decreases;
/// an `arrivedAt` may be earlier. The same inputs give the same actions, to the bit.
///
/// ```
///  invite ─> reserved ─ first datagram ─> active ─ silence ─> lost ─ grace ─> released
///                                           ^──── returns ─────┘
/// ```
public struct Coordinator: Sendable {
    /// What the host decided; ``adopt(_:now:)`` alone changes it.
    public internal(set) var configuration: RoomConfiguration
    /// The configuration's, as they are compared with for each datagram; adopted with it.
    var times: SeatTimes
    /// Whether the operator keeps new controllers out.
    public internal(set) var isLocked = false
    /// Whether the room says its goodbyes: nobody is let in any more.
    public internal(set) var isClosing = false
    /// When the host of a closing room means to be back, in ms, if it does.
    var backIn: Int?

    /// By ``PeerIndex``.
    var peers = PeerTable()
    /// Invitations that wait for the operator, oldest first.
    var asking: [Asking] = []
    /// Those who wait for a seat, the first first. Bounded.
    var queue: [Queued] = []
    /// When those who wait were last told so, all of them.
    var toldWaitingAt: HostTime
    /// The host's own invitations, oldest first. Bounded.
    var offers: [StandingOffer] = []
    /// Sources of unsealed frames without a seat.
    var legacy = LegacySources()
    var gate = AdmissionGate()
    var askingLimiter = NewcomerLimiter()
    /// Newcomers of one address: all seats four times over, and one in five seconds from then on.
    var seatingLimiter: NewcomerLimiter
    /// Those whom the operator removed; they stay out until he unlocks the room, or has closed it. Bounded.
    var banned: [ControllerID] = []
    static let mostBanned = 256
    var actions: [Action] = []
    /// Links of peers that are gone, until their farewells are sent. Bounded.
    var leaving = Farewells()
    /// Links that have ended, while what was under way on them may still come. Bounded.
    var draining = DrainingLinks()
    /// How those stood who had left, once a straggler of theirs was booked; since the shell took them.
    var corrections: [PeerReport] = []
    /// By place in the table: the generation used last, so that no connection id names two links.
    var generations: [UInt16] = []
    /// The last reports of those who left since the shell took them.
    var departed: [PeerReport] = []
    var agenda = Agenda()
    /// Where those sit who said something on their connections: looked up, and believed only while it is so. Bounded.
    private var knownPlaces: [ConversationID: PeerIndex] = [:]
    var feedbackCursor = 0
    var lastTick: HostTime
    /// How many stays have begun.
    var stays: UInt64 = 0
    var nextHapticID: UInt32 = 1
    /// Datagrams that belong to nobody's ledger.
    public internal(set) var strangers = StrangerCounts()
    /// Datagrams whose number had come before, or is too old to tell: nothing but their header was read.
    public internal(set) var repeats: UInt64 = 0

    /// - Parameter leases: what was kept from before the host restarted; each is `lost`, with a fresh grace. Who drives
    ///   which player is the room's present mode's to say; a seat that the room has no more is given up.
    public init(configuration: RoomConfiguration, leases: [Lease] = [], now: HostTime) {
        self.configuration = configuration
        times = SeatTimes(configuration)
        seatingLimiter = Self.seatingLimiter(seats: configuration.seats)
        lastTick = now
        toldWaitingAt = now
        for var lease in leases {
            guard (1...configuration.seats).contains(lease.seat), place(ofSeat: lease.seat) == nil else {
                actions.append(.commit([.remove(lease.controller)], thenAnswer: nil, nil))
                continue
            }
            lease.player = configuration.player(ofSeat: lease.seat)
            let kept = SeatState.lost(until: now + configuration.graceTimeout)
            stays += 1
            let index = peers.seat { [stays, lease] in
                Peer(at: $0, stay: stays, lease: lease, seat: kept, now: now)
            }
            agenda.touch(index)
            generations.append(lease.generation)
            actions.append(.assign(index, of: lease.controller, to: [lease.player]))
        }
    }

    static func seatingLimiter(seats: Int) -> NewcomerLimiter {
        NewcomerLimiter(atOnce: max(NewcomerLimiter.atOnce, 4 * Double(seats)), perSecond: 0.2)
    }

    /// When something falls due; `nil` when nothing does.
    public var nextDeadline: HostTime? {
        var next = agenda.earliestSettled
        for timer in RoomTimer.allCases { next = min(next, due(timer)) }
        for index in agenda.touched { next = min(next, due(index)) }
        return next == .max ? nil : HostTime(nanoseconds: next)
    }

    /// When a peer is to be looked at, in nanoseconds; `.max` when nobody sits there.
    func due(_ index: PeerIndex) -> Int64 {
        guard var peer = peers.peer(at: index) else { return .max }
        return peer.deadline(times)
    }

    /// Works out anew when those are due with whom something happened.
    mutating func settleAgenda() {
        guard !agenda.touched.isEmpty else { return }
        let times = times
        var agenda = self.agenda
        self.agenda = Agenda()
        agenda.settle { peers.update($0) { $0.deadline(times) } ?? .max }
        self.agenda = agenda
    }

    /// Takes what the last inputs led to.
    public mutating func takeActions() -> [Action] {
        guard !actions.isEmpty else { return [] }
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    /// Takes the last reports of those who left, oldest first; call it after each round of inputs.
    public mutating func takeDeparted() -> [PeerReport] {
        guard !departed.isEmpty else { return [] }
        defer { departed.removeAll() }
        return departed
    }

    /// Takes the reports of those who left before and of whom something came since: each takes its earlier one's place,
    /// under the same connection id.
    public mutating func takeCorrections() -> [PeerReport] {
        guard !corrections.isEmpty else { return [] }
        defer { corrections.removeAll() }
        return corrections
    }

    /// Seats that are neither leased nor promised.
    public var freeSeats: Int { configuration.seats - peers.count - promised.count }

    func place(ofSeat seat: Int) -> PeerIndex? { peers.place { $0.lease.seat == seat } }
    func place(of controller: ControllerID) -> PeerIndex? { peers.place { $0.lease.controller == controller } }

    /// Who sits at this connection; a controller that is not heard on its link says something on it every few seconds.
    mutating func place(of conversation: ConversationID) -> PeerIndex? {
        if let known = knownPlaces[conversation], peers.read(known, { $0.conversation == conversation }) == true {
            return known
        }
        let place = peers.place { $0.conversation == conversation }
        if knownPlaces.count > 2 * configuration.seats { knownPlaces = [:] }
        knownPlaces[conversation] = place
        return place
    }

    /// The connection is gone.
    mutating func forgetPlace(of conversation: ConversationID) { knownPlaces[conversation] = nil }

    /// Counts datagrams of which nothing else is known any more.
    public mutating func note(_ counts: StrangerCounts) { strangers &+= counts }

    mutating func occurred(_ occurrence: Occurrence, at time: HostTime) {
        actions.append(.occurred(occurrence, at: time))
    }
}

/// Datagrams that were nobody's, by what was wrong with them.
public struct StrangerCounts: Hashable, Sendable {
    /// A datagram that claimed to be a seated peer's and did not open under its key.
    public var badAuth: UInt64 = 0
    /// A connection id that names no link.
    public var unknown: UInt64 = 0
    /// Not a datagram of this protocol at all, too short or too long, or of a kind that does not travel this way.
    public var malformed: UInt64 = 0

    /// None yet.
    public init() {}

    /// Adds what others counted.
    package static func &+= (counts: inout StrangerCounts, more: StrangerCounts) {
        counts.badAuth &+= more.badAuth
        counts.unknown &+= more.unknown
        counts.malformed &+= more.malformed
    }

    /// What came since an earlier count.
    public func since(_ earlier: StrangerCounts) -> StrangerCounts {
        var counts = self
        counts.badAuth &-= earlier.badAuth
        counts.unknown &-= earlier.unknown
        counts.malformed &-= earlier.malformed
        return counts
    }
}
