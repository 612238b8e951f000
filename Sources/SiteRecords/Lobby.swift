package import WireProtocol

/// Which free seat goes to whom of a lobby's guests.
public enum LobbyOrder: String, Hashable, Sendable, CaseIterable {
    /// The room that is emptiest for its size.
    case spread
    /// The room that has the fewest free seats, so that one game after the other is complete.
    case fill
}

/// One way in for a whole house: who comes is sent to a room with a free seat, or waits for one in order.
///
/// Pure: rooms and times go in, and what to do comes out. Each guest asks again every few seconds, and so shows that it is
/// there. A seat is promised by its own room, which alone knows whether it has one; the lobby only says whom to ask.
///
/// ```
/// asks ──▶ waits ── a seat may be free ──▶ a room is asked ── promised ──▶ goes ── sits there, or time is up ──▶ gone
///            ▲                                  │ no
///            └──────────────────────────────────┘
/// ```
package struct Lobby: Sendable {
    /// Who asks.
    package struct Guest: Hashable, Sendable {
        /// 32 hexadecimal digits: who it will be in every room of the house.
        package var controller: String
        /// What nobody else knows, 64 hexadecimal digits: others can read the controller's id.
        package var key: String
        /// Where it asks from, whatever the port; `nil` where nobody knows.
        package let origin: PeerAddress?
        /// The id of the room to which it was sent last, as it says.
        package var last: String?

        package init(controller: String, key: String, origin: PeerAddress?, last: String? = nil) {
            (self.controller, self.key, self.origin, self.last) = (controller, key, origin?.withoutPort, last)
        }
    }

    /// What a guest is told, or which room is to be asked for it.
    package enum Step: Hashable, Sendable {
        /// Ask this room for a seat, then say ``Lobby/promised(_:_:until:now:)`` or
        /// ``Lobby/refused(_:by:because:now:)``.
        case ask(SiteRoom)
        /// Ask this room whether the guest has its seat there still, then say ``Lobby/isThere(_:)`` or
        /// ``Lobby/isNotThere(_:)``.
        case askBack(SiteRoom)
        /// A seat is promised there.
        case go(Way)
        /// Everything is taken, or others were first; from 1.
        case wait(place: Int)
        /// Somebody waits here under this id, and has another key.
        case isAnother
        /// No room wants it, whoever else they take.
        case unwanted
        /// Too many wait.
        case full
    }

    /// Where a guest goes.
    package struct Way: Hashable, Sendable {
        /// The room's id.
        package var room: String
        /// The room's name.
        package var name: String
        /// The page's address there, with what admits.
        package var link: String
        /// Whether browsers will warn of a certificate that they do not know.
        package var warns: Bool

        package init(room: String, name: String, link: String, warns: Bool) {
            (self.room, self.name, self.link, self.warns) = (room, name, link, warns)
        }
    }

    /// Why a room has no seat for a guest.
    package enum Refusal: Sendable {
        /// It has none for anybody.
        case full
        /// One is kept for this guest already.
        case busy
        /// It does not want this guest.
        case unwanted
    }

    /// Guests that wait, at most.
    package static let mostWaiting = 256
    /// Seats that are kept for guests of one address, or were for nobody, at once.
    package static let mostOfOneAddress = 4
    /// The same of one network: a machine has all addresses of an IPv6 network that it likes, and a whole house shares one.
    package static let mostOfOneNetwork = 32
    /// Who has not asked for so long is passed over, ms.
    package static let awayAfter = 10_000.0
    /// Who has not asked for so long has no place any more, ms.
    package static let forgottenAfter = 30_000.0
    /// A seat that was promised and not taken counts against its address for so long, ms.
    package static let regretted = 300_000.0
    /// A room that said no is left alone for so long, ms.
    package static let sulks = 2_000.0
    /// A room that does not want a guest is asked again for it after so long, ms: whom it keeps out, its operator may let in.
    package static let resents = 30_000.0
    /// Rooms are asked for guests of one address so often a second, at most.
    package static let asksOfOneAddress = 8
    /// The same of one network.
    package static let asksOfOneNetwork = 32
    /// A promise is not yet in what its room says of itself, ms.
    package static let unheard = 1_500.0

    private struct Waiting: Sendable {
        var guest: Guest
        var heardAt: Double
        /// It was asked whether it is there already.
        var hasReturned = false
        /// A room is being asked for it.
        var isAsking = false
        /// Rooms that have no seat for it, whoever else they take.
        var closed: [Closed] = []

        func mayAsk(_ room: String) -> Bool { !closed.contains { $0.room == room } }
        func isUnwanted(in room: String) -> Bool { closed.contains { $0.room == room && $0.isUnwanted } }
    }

    private struct Closed: Sendable {
        var room: String
        var until: Double
        var isUnwanted: Bool
    }

    private struct Promise: Sendable {
        var guest: Guest
        var way: Way
        var at: Double
        var until: Double
        /// Nobody came: it counts on.
        var hasLapsed = false
    }

    private let order: LobbyOrder
    private var waiting: [Waiting] = []
    /// The oldest first.
    private var promises: [Promise] = []
    /// Rooms that had no seat after all, and when.
    private var refusals: [(room: String, at: Double)] = []
    /// For guests from where rooms were asked within the last second.
    private var asked: [(origin: PeerAddress?, at: Double)] = []
    private var sent = SentGuests()

    package init(order: LobbyOrder) { self.order = order }

    /// How many wait.
    package var queue: Int { waiting.count }

    /// A guest asks, again or for the first time.
    ///
    /// - Parameters:
    ///   - rooms: those that speak now, and take guests of this lobby.
    ///   - now: a monotonic clock, ms.
    package mutating func ask(_ guest: Guest, among rooms: [SiteRoom], now: Double) -> Step {
        forget(now: now)
        if let promise = promises.last(where: { $0.guest.controller == guest.controller && !$0.hasLapsed }) {
            return promise.guest.key == guest.key ? .go(promise.way) : .isAnother
        }
        guard let place = place(of: guest, now: now) else { return waits(guest) ? .isAnother : .full }
        waiting[place].heardAt = now
        waiting[place].guest = guest
        guard !waiting[place].isAsking, asked.count(where: { $0.origin == guest.origin }) < Self.asksOfOneAddress,
            asked.count(where: { $0.origin?.machine == guest.origin?.machine }) < Self.asksOfOneNetwork
        else {
            return .wait(place: number(of: place, among: rooms, now: now))
        }
        if let last = guest.last, !waiting[place].hasReturned {
            waiting[place].hasReturned = true
            if let room = rooms.first(where: { $0.room == last }) {
                noteAsking(for: place, now: now)
                return .askBack(room)
            }
        }
        guard isWanted(waiting[place], among: rooms) else { return .unwanted }
        let asker = waiting[place]
        let open = rooms.map { ($0, free: free(in: $0, now: now)) }.filter { $0.free > 0 && asker.mayAsk($0.0.room) }
        // Who may ask none of these rooms takes no seat there from anybody.
        let ahead = waiting[..<place].count { other in
            isServed(other, now: now) && open.contains { other.mayAsk($0.0.room) }
        }
        guard isServed(waiting[place], now: now), ahead < open.reduce(0, { $0 + $1.free }),
            let best = open.min(by: { isBefore($0, $1) })
        else { return .wait(place: number(of: place, among: rooms, now: now)) }
        noteAsking(for: place, now: now)
        return .ask(best.0)
    }

    /// The room that was asked keeps a seat.
    package mutating func promised(_ guest: Guest, _ way: Way, until: Double, now: Double) {
        waiting.removeAll { $0.guest.controller == guest.controller }
        promises.append(Promise(guest: guest, way: way, at: now, until: until))
        sent.note(guest.origin, now: now)
    }

    /// The guest has a seat there already, and goes back to it by itself.
    package mutating func isThere(_ guest: Guest) { waiting.removeAll { $0.guest.controller == guest.controller } }

    /// The room where it says that it was knows nothing of it: it waits for a seat like anybody else.
    package mutating func isNotThere(_ guest: Guest) {
        if let place = waiting.firstIndex(where: { $0.guest.controller == guest.controller }) {
            waiting[place].isAsking = false
        }
    }

    /// The room that was asked has no seat for it; the guest may be asked for elsewhere at once.
    package mutating func refused(_ guest: Guest, by room: String, because no: Refusal, now: Double) {
        if no == .full { refusals.append((room, now)) }
        guard let place = waiting.firstIndex(where: { $0.guest.controller == guest.controller }) else { return }
        waiting[place].isAsking = false
        guard no != .full else { return }
        let until = now + (no == .unwanted ? Self.resents : Self.sulks)
        waiting[place].closed.append(Closed(room: room, until: until, isUnwanted: no == .unwanted))
    }

    /// It sits where it was sent.
    package mutating func seated(_ guest: Guest) { promises.removeAll { $0.guest.controller == guest.controller } }

    // MARK: Private

    private mutating func forget(now: Double) {
        waiting.removeAll { now - $0.heardAt >= Self.forgottenAfter && !$0.isAsking }
        for place in waiting.indices { waiting[place].closed.removeAll { $0.until <= now } }
        refusals.removeAll { now - $0.at >= Self.sulks }
        asked.removeAll { now - $0.at >= 1_000 }
        sent.forget(now: now)
        for place in promises.indices where promises[place].until <= now { promises[place].hasLapsed = true }
        promises.removeAll { $0.hasLapsed && now - $0.until >= Self.regretted }
    }

    /// Where it stands, at the end if it was not here before; `nil` where it is not let in.
    private mutating func place(of guest: Guest, now: Double) -> Int? {
        if let place = waiting.firstIndex(where: { $0.guest.controller == guest.controller }) {
            return waiting[place].guest.key == guest.key ? place : nil
        }
        if waiting.count >= Self.mostWaiting {
            // The newest of the largest share gives way, unless that would be the newcomer's own.
            var shares = FairShare()
            for (place, entry) in waiting.enumerated() { shares.join(place, from: entry.guest.origin) }
            guard let share = shares.largest(beside: guest.origin),
                let last = waiting.lastIndex(where: { $0.guest.origin == share.address && !$0.isAsking })
            else { return nil }
            waiting.remove(at: last)
        }
        waiting.append(Waiting(guest: guest, heardAt: now))
        return waiting.count - 1
    }

    private func waits(_ guest: Guest) -> Bool { waiting.contains { $0.guest.controller == guest.controller } }

    private mutating func noteAsking(for place: Int, now: Double) {
        waiting[place].isAsking = true
        asked.append((waiting[place].guest.origin, now))
    }

    /// Its place among those who are there and may hope for a seat, from 1.
    private func number(of place: Int, among rooms: [SiteRoom], now: Double) -> Int {
        1 + waiting[..<place].count { now - $0.heardAt < Self.awayAfter && isWanted($0, among: rooms) }
    }

    /// Whether there is a room that has not said of this guest that it does not want it; where there is none, another may come.
    private func isWanted(_ entry: Waiting, among rooms: [SiteRoom]) -> Bool {
        rooms.isEmpty || rooms.contains { !entry.isUnwanted(in: $0.room) }
    }

    /// Whether a free seat is for it, if it is its turn: it is there, and where it asks from keeps none of others' seats.
    private func isServed(_ entry: Waiting, now: Double) -> Bool {
        let origin = entry.guest.origin
        return now - entry.heardAt < Self.awayAfter && sent.admits(origin)
            && promises.count { $0.guest.origin == origin } < Self.mostOfOneAddress
            && promises.count { $0.guest.origin?.machine == origin?.machine } < Self.mostOfOneNetwork
    }

    /// Seats of a room as far as anybody can know here.
    private func free(in room: SiteRoom, now: Double) -> Int {
        guard room.takesGuests == true, !room.isLocked, !room.isClosing, room.waiting == 0,
            !refusals.contains(where: { $0.room == room.room })
        else { return 0 }
        return room.freeSeats - promises.count { $0.way.room == room.room && now - $0.at < Self.unheard }
    }

    private func isBefore(_ one: (SiteRoom, free: Int), _ other: (SiteRoom, free: Int)) -> Bool {
        func key(_ room: SiteRoom, _ free: Int) -> (Double, String, String) {
            let share = Double(free) / Double(max(1, room.seats))
            return (order == .spread ? -share : Double(free), room.name, room.room)
        }
        return key(one.0, one.free) < key(other.0, other.free)
    }
}
