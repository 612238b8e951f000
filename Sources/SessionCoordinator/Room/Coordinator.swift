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
    public let configuration: RoomConfiguration
    public internal(set) var isLocked = false
    public internal(set) var isClosing = false

    /// By ``PeerIndex``.
    var peers: PeerTable = []
    /// How many sit there.
    var seated = 0
    /// Invitations that wait for the operator, oldest first.
    var asking: [Asking] = []
    /// The host's own invitations, oldest first. Bounded.
    var offers: [StandingOffer] = []
    /// Sources of unsealed frames without a seat.
    var legacy = LegacySources()
    var gate = AdmissionGate()
    /// Those whom the operator removed; they stay out until he opens the room anew. Bounded.
    var banned: [ControllerID] = []
    var actions: [Action] = []
    /// Links of peers that are gone, until their farewells are sent. Bounded.
    var leaving: [Link] = []
    /// By place in the table: the generation used last, so that no connection id names two links.
    var generations: [UInt16] = []
    /// The last reports of those who left since the shell took them.
    var departed: [PeerReport] = []
    var agenda = Agenda()
    var feedbackCursor = 0
    var lastTick: HostTime
    var nextHapticID: UInt32 = 1
    /// Datagrams that belong to nobody's ledger.
    public internal(set) var strangers = StrangerCounts()

    /// An invitation that the operator has not answered.
    struct Asking: Sendable {
        var conversation: ConversationID
        var invitation: AdmittedInvitation
        var material: LinkMaterial
        var deadline: HostTime
    }

    /// - Parameter leases: what was kept from before the host restarted; each is `lost`, with a fresh grace.
    public init(configuration: RoomConfiguration, leases: [Lease] = [], now: HostTime) {
        self.configuration = configuration
        lastTick = now
        for lease in leases where (1...configuration.seats).contains(lease.seat) && place(ofSeat: lease.seat) == nil {
            seated += 1
            let index = peers.seat(Peer(lease: lease, seat: .lost(until: now + configuration.graceTimeout), now: now))
            agenda.touch(index)
            generations.append(lease.generation)
            actions.append(.assign(index, [lease.player]))
        }
    }

    /// When something falls due; `nil` when nothing does.
    public var nextDeadline: HostTime? {
        var next: Int64?
        func consider(_ time: Int64) { next = min(next ?? time, time) }
        for entry in asking { consider(entry.deadline.nanoseconds) }
        for entry in offers { consider(entry.offer.expiresAt.nanoseconds) }
        if let due = legacy.nextDeadline { consider(due) }
        for link in leaving { if let due = Self.farewellDue(on: link) { consider(due) } }
        let settled = agenda.earliestSettled
        if settled < .max { consider(settled) }
        for index in agenda.touched where peers.isSeated(index) { consider(due(index)) }
        return next.map { HostTime(nanoseconds: $0) }
    }

    /// When a peer is to be looked at, in nanoseconds; `.max` when nobody sits there.
    func due(_ index: PeerIndex) -> Int64 {
        guard peers.isSeated(index) else { return .max }
        var due = peers[index].visitedAt.saturatingAdd(Self.tick)
        if let time = seatDeadline(of: index) { due = min(due, time) }
        if let time = feedbackDue(for: index) { due = min(due, time) }
        if let time = silenceDeadline(of: index) { due = min(due, time) }
        return due
    }

    /// Works out anew when those are due with whom something happened.
    mutating func settleAgenda() {
        guard !agenda.touched.isEmpty else { return }
        var agenda = self.agenda
        self.agenda = Agenda()
        agenda.settle { due($0) }
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

    /// Seats that are neither leased nor promised.
    public var freeSeats: Int { configuration.seats - seated - promised.count }

    func place(ofSeat seat: Int) -> PeerIndex? { peers.place { $0.lease.seat == seat } }
    func place(of controller: ControllerID) -> PeerIndex? { peers.place { $0.lease.controller == controller } }

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

    public init() {}
}
