public import WireProtocol

/// The host's own number for one invitation that it sends to an idle controller.
public struct OfferID: Hashable, Sendable {
    /// Random or counted: unlike any other offer's of this host.
    public var rawValue: UInt64
    /// The offer that the host gave this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// An invitation from the host to a controller that waits to be called: it admits that controller, once, whatever the
/// room's policy, and keeps a seat for it until then.
public struct Offer: Hashable, Sendable {
    /// The host's number for it: the same again is the same invitation.
    public var id: OfferID
    /// Whom it is for, as it announces itself.
    public var controller: ControllerID
    /// Counted from 1; `nil` for the lowest that is free.
    public var seat: Int?
    /// SHA-256 of the one-time ticket: 256 random bits, told to that controller alone.
    public var ticketHash: [UInt8]
    /// When it stops to admit, and the seat is free for others.
    public var expiresAt: HostTime
    /// Who the player was in the room that it comes from; `nil` for one who comes from nowhere.
    public var player: MovingPlayer?

    /// An invitation; whether it can be made, ``Coordinator/offer(_:now:)`` says.
    public init(
        id: OfferID, controller: ControllerID, seat: Int?, ticketHash: [UInt8], expiresAt: HostTime,
        player: MovingPlayer? = nil
    ) {
        self.id = id
        self.controller = controller
        self.seat = seat
        self.ticketHash = ticketHash
        self.expiresAt = expiresAt
        self.player = player
    }
}

/// What a player is called, and which colour it has: it keeps both when it is moved to another room.
public struct MovingPlayer: Hashable, Sendable {
    /// 1 to 63 bytes; made unlike all others where it comes to.
    public var name: String
    /// 0xRRGGBB.
    public var color: UInt32

    /// A player of this name and colour; what cannot be shown of the name is left out when it comes.
    public init(name: String, color: UInt32) {
        self.name = name
        self.color = color
    }
}

/// How an offer ended. Each ends exactly once.
public enum OfferOutcome: Hashable, Sendable {
    /// The controller sits: it brought the ticket, or the secret of the seat that it had before.
    case accepted(seat: Int, player: PlayerNumber)
    /// It does not, for this reason.
    case refused(Refusal)
}

/// An offer that stands.
struct StandingOffer: Sendable {
    var offer: Offer
    /// The seat that is kept for whoever brings the ticket; `nil` once it was brought, and for one that was away when it
    /// was invited: its own seat waits.
    var keptSeat: Int?
    /// Its outcome is told. What is left is its ticket, good until the controller is heard: the answer that told of the
    /// seat may be lost on its way.
    var isAnswered = false
}

extension Coordinator {
    package static let mostOffers = 64

    /// Invites a controller that waits to be called. How it ends comes as ``Action/offerEnded(_:_:)``, perhaps at once.
    ///
    /// A controller that has an open offer already gets no second one. One that waits for the operator goes on waiting:
    /// whether it is the one that is invited, only the ticket shows.
    ///
    /// - Returns: the offer that stands now, this one or the one before, or why no such offer can be.
    public mutating func offer(_ offer: Offer, now: HostTime) -> Result<OfferID, OperatorError> {
        if let seat = offer.seat, !(1...configuration.seats).contains(seat) {
            return .failure(.noSuchSeat(seat, of: configuration.seats))
        }
        if let standing = offers.first(where: { $0.offer.controller == offer.controller && !$0.isAnswered }) {
            return .success(standing.offer.id)
        }
        offers.removeAll { $0.offer.controller == offer.controller }
        if let refusal = objection(to: offer) {
            actions.append(.offerEnded(offer.id, .refused(refusal)))
            return .success(offer.id)
        }
        // One that is away has its own seat waiting.
        let keptSeat = place(of: offer.controller) == nil ? offer.seat ?? freeSeat(for: offer.player) : nil
        offers.append(StandingOffer(offer: offer, keptSeat: keptSeat))
        return .success(offer.id)
    }

    /// The controller said no, or cannot be reached. What is ended already stays as it is.
    public mutating func endOffer(_ id: OfferID, _ refusal: Refusal) {
        guard let place = offers.firstIndex(where: { $0.offer.id == id && !$0.isAnswered }) else { return }
        offers.remove(at: place)
        actions.append(.offerEnded(id, .refused(refusal)))
    }

    /// Why an offer cannot be made now.
    private func objection(to offer: Offer) -> Refusal? {
        if isClosing { return closing }
        if isLocked { return Refusal(.locked, message: "The room is locked: roomful unlock.") }
        if banned.contains(offer.controller) { return Self.keptOut }
        if let peer = place(of: offer.controller).flatMap(peers.peer) {
            if peer.isLost { return nil }
            return Refusal(.alreadySeated, message: "It has seat \(peer.lease.seat) already.")
        }
        guard freeSeats > 0 else { return allTakenOrPromised }
        if let seat = offer.seat, let holder = holder(of: seat) {
            return Refusal(.full, message: "Seat \(seat) is \(holder).", retryAfter: 10_000)
        }
        if offers.count(where: { !$0.isAnswered }) >= Self.mostOffers {
            return Refusal(.full, message: "Too many invitations are open.", retryAfter: 10_000)
        }
        return nil
    }

    /// Where a player who comes from elsewhere has its colour; else the lowest.
    private func freeSeat(for player: MovingPlayer?) -> Int? {
        let free = unclaimedSeats
        return free.first { player != nil && SeatColor.of(seat: $0) == player?.color } ?? free.first
    }

    /// What the player of the controller's offer brings along.
    func player(movedTo controller: ControllerID) -> MovingPlayer? {
        offers.first { $0.offer.controller == controller }?.offer.player
    }

    private func holder(of seat: Int) -> String? {
        if let peer = place(ofSeat: seat).flatMap(peers.peer) { return "taken by \(peer.lease.name)" }
        return promised.contains(seat) ? "promised to another controller" : nil
    }

    /// The seats that are kept for controllers that were invited.
    var promised: [Int] { offers.compactMap(\.keptSeat) }

    /// Whether this ticket is the one of the controller's offer.
    func isCalled(_ controller: ControllerID, by ticketHash: [UInt8]?) -> Bool {
        guard let ticketHash else { return false }
        return offers.contains { $0.offer.controller == controller && $0.offer.ticketHash == ticketHash }
    }

    /// The seat that is kept for whoever brings the ticket of the controller's offer.
    func seatKept(for controller: ControllerID) -> Int? {
        offers.first { $0.offer.controller == controller }?.keptSeat
    }

    /// A controller has come to its seat. If it was invited that is the answer, unless it came without the ticket: then
    /// it is whoever the room's policy let in under an id that anybody can read.
    mutating func answerOffer(of lease: Lease, by ticketHash: [UInt8]?) {
        guard let place = offers.firstIndex(where: { $0.offer.controller == lease.controller }) else { return }
        guard offers[place].keptSeat == nil || isCalled(lease.controller, by: ticketHash) else { return }
        offers[place].keptSeat = nil
        guard !offers[place].isAnswered else { return }
        offers[place].isAnswered = true
        actions.append(.offerEnded(offers[place].offer.id, .accepted(seat: lease.seat, player: lease.player)))
    }

    /// The controller was heard under its keys: its ticket has done its work.
    mutating func useUpTicket(of controller: ControllerID) {
        guard !offers.isEmpty else { return }
        offers.removeAll { $0.offer.controller == controller && $0.isAnswered && $0.keptSeat == nil }
    }

    /// A seat became free. It is kept for its controller if that is invited, or may never have heard that it has one.
    mutating func keepForInvited(_ lease: Lease, wasHeard: Bool) {
        guard let place = offers.firstIndex(where: { $0.offer.controller == lease.controller }),
            offers[place].keptSeat == nil
        else { return }
        if offers[place].isAnswered, wasHeard {
            offers.remove(at: place)
        } else {
            offers[place].keptSeat = lease.seat
        }
    }

    /// The controller is not to come any more.
    mutating func endOffers(to controller: ControllerID, _ refusal: Refusal) {
        for entry in offers where entry.offer.controller == controller && !entry.isAnswered {
            actions.append(.offerEnded(entry.offer.id, .refused(refusal)))
        }
        offers.removeAll { $0.offer.controller == controller }
    }

    /// The operator gave a promised seat away: the promise moves to the one that became free.
    mutating func movePromise(from seat: Int, to free: Int) {
        for place in offers.indices where offers[place].keptSeat == seat { offers[place].keptSeat = free }
    }

    /// Ends those whose time is over.
    mutating func expireOffers(now: HostTime) {
        if offers.isEmpty { return }
        for entry in offers where entry.offer.expiresAt <= now && !entry.isAnswered {
            let refusal = Refusal(.expired, message: "It did not answer in time.", retryAfter: 5_000)
            actions.append(.offerEnded(entry.offer.id, .refused(refusal)))
        }
        offers.removeAll { $0.offer.expiresAt <= now }
    }

    /// Ends all of them: nobody new may come.
    mutating func endOffers(_ refusal: Refusal) {
        for entry in offers where !entry.isAnswered { actions.append(.offerEnded(entry.offer.id, .refused(refusal))) }
        offers = []
    }
}
