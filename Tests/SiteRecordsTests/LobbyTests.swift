import Testing
import WireProtocol

@testable import SiteRecords

@Suite("The lobby of a house")
struct LobbyTests {
    private func room(
        _ name: String, free: Int, of seats: Int = 4, locked: Bool = false, waiting: Int = 0, guests: Bool? = true
    ) -> SiteRoom {
        SiteRoom(
            site: "main", room: name, name: name, host: "one", at: 0, opened: "", game: nil, policy: "code",
            seats: seats,
            freeSeats: free, isLocked: locked, waiting: waiting, players: [], playing: seats - free, problems: [],
            takesGuests: guests)
    }

    private func guest(_ number: Int, machine: String? = nil, key: String? = nil, last: String? = nil) -> Lobby.Guest {
        Lobby.Guest(
            controller: "c\(number)", key: key ?? "k\(number)", origin: origin(machine ?? "m\(number)"), last: last)
    }

    /// A machine with an IPv4 address, or "network/machine" with an IPv6 address.
    private func origin(_ text: String) -> PeerAddress {
        func number(_ name: Substring) -> UInt64 { name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) } & 0xFFFF_FFFF }
        let parts = text.split(separator: "/")
        guard parts.count == 2 else { return PeerAddress(ipv4: UInt32(number(parts[0])), port: 9) }
        return PeerAddress(high: 0xFD00 << 48 | number(parts[0]), low: number(parts[1]), port: 9)
    }

    private func way(_ room: String) -> Lobby.Way {
        Lobby.Way(room: room, name: room, link: "link \(room)", warns: false)
    }

    private func asked(_ step: Lobby.Step) -> String? { if case .ask(let room) = step { room.name } else { nil } }
    private func askedBack(_ step: Lobby.Step) -> String? {
        if case .askBack(let room) = step { room.name } else { nil }
    }

    @Test("The emptiest room comes first, or the one that is nearly complete; one that is not open to guests never")
    func order() {
        let rooms = [
            room("a", free: 1), room("b", free: 3), room("c", free: 8, of: 40), room("locked", free: 4, locked: true),
            room("queue", free: 4, waiting: 1), room("closed", free: 4, guests: nil), room("full", free: 0),
        ]
        var spread = Lobby(order: .spread)
        #expect(asked(spread.ask(guest(1), among: rooms, now: 0)) == "b")
        var fill = Lobby(order: .fill)
        #expect(asked(fill.ask(guest(1), among: rooms, now: 0)) == "a")
        #expect(fill.ask(guest(2), among: Array(rooms[3...]), now: 0) == .wait(place: 2))
    }

    @Test("Whatever numbers another host tells of its room, every guest has an answer", arguments: [Int.max, .min, -1])
    func numbersOfOtherHosts(number: Int) {
        var liar = room("liar", free: 1)
        (liar.seats, liar.freeSeats, liar.playing, liar.waiting) = (number, number, number, min(number, 0))
        let told = liar.fitForUse
        for count in [told.seats, told.freeSeats, told.playing, told.waiting] { #expect((0...10_000).contains(count)) }
        for order in LobbyOrder.allCases {
            var lobby = Lobby(order: order)
            let rooms = [told, room("a", free: 2)]
            #expect(asked(lobby.ask(guest(1), among: rooms, now: 0)) != nil)
            lobby.promised(guest(1), way("liar"), until: 60_000, now: 0)
            #expect(asked(lobby.ask(guest(2), among: rooms, now: 0)) != nil)
        }
    }

    @Test("A room that had no seat after all is left alone for a while, and the guest is asked for elsewhere")
    func refused() {
        let rooms = [room("a", free: 2), room("b", free: 1)]
        var lobby = Lobby(order: .spread)
        #expect(asked(lobby.ask(guest(1), among: rooms, now: 0)) == "a")
        lobby.refused(guest(1), by: "a", because: .full, now: 10)
        #expect(asked(lobby.ask(guest(1), among: rooms, now: 10)) == "b")
        lobby.refused(guest(1), by: "b", because: .full, now: 20)
        #expect(lobby.ask(guest(1), among: rooms, now: 20) == .wait(place: 1))
        #expect(asked(lobby.ask(guest(1), among: rooms, now: 2_015)) == "a")
    }

    @Test("A room that does not want one guest takes others, at once")
    func unwanted() {
        let rooms = [room("a", free: 2)]
        var lobby = Lobby(order: .spread)
        #expect(asked(lobby.ask(guest(1), among: rooms, now: 0)) == "a")
        lobby.refused(guest(1), by: "a", because: .unwanted, now: 1)
        #expect(lobby.ask(guest(1), among: rooms, now: 1) == .unwanted)
        #expect(asked(lobby.ask(guest(2), among: rooms, now: 1)) == "a", "who is wanted nowhere keeps nobody waiting")
    }

    @Test("Whom a room did not want it is asked for again: its operator may have let it in; a seat that is kept passes")
    func unwantedNoMore() {
        let rooms = [room("a", free: 2)]
        var lobby = Lobby(order: .spread)
        #expect(asked(lobby.ask(guest(1), among: rooms, now: 0)) == "a")
        lobby.refused(guest(1), by: "a", because: .busy, now: 1)
        #expect(lobby.ask(guest(1), among: rooms, now: 1) == .wait(place: 1), "nobody said that it is not wanted")
        #expect(asked(lobby.ask(guest(2), among: rooms, now: 2)) == "a", "it keeps nobody waiting")
        #expect(asked(lobby.ask(guest(1), among: rooms, now: 2_001)) == "a")
        lobby.refused(guest(1), by: "a", because: .unwanted, now: 2_002)
        for now in stride(from: 4_000.0, through: 32_000, by: 2_000) {
            #expect(lobby.ask(guest(1), among: rooms, now: now) == .unwanted)
        }
        #expect(asked(lobby.ask(guest(1), among: rooms, now: 32_002)) == "a")
    }

    @Test("Who is wanted nowhere takes no seat and no place from others, and goes where another room opens")
    func unwantedAhead() {
        let (one, full) = ([room("a", free: 1)], [room("a", free: 0)])
        var lobby = Lobby(order: .spread)
        #expect(asked(lobby.ask(guest(1), among: one, now: 0)) == "a")
        lobby.refused(guest(1), by: "a", because: .unwanted, now: 1)
        #expect(lobby.ask(guest(1), among: one, now: 1_000) == .unwanted)
        #expect(lobby.ask(guest(2), among: full, now: 1_000) == .wait(place: 1))
        #expect(asked(lobby.ask(guest(2), among: one, now: 2_000)) == "a")
        lobby.refused(guest(2), by: "a", because: .full, now: 2_001)
        // The other room may be for it: it was here first.
        let both = [room("a", free: 0), room("b", free: 1)]
        #expect(lobby.ask(guest(2), among: both, now: 4_100) == .wait(place: 2))
        #expect(asked(lobby.ask(guest(1), among: both, now: 4_200)) == "b")
    }

    @Test("Full houses queue: first come, first seated; who went away is passed over, and then forgotten")
    func queue() {
        var lobby = Lobby(order: .spread)
        let full = [room("a", free: 0)]
        for number in 1...3 { #expect(lobby.ask(guest(number), among: full, now: 0) == .wait(place: number)) }
        let one = [room("a", free: 1)]
        #expect(lobby.ask(guest(2), among: one, now: 2_000) == .wait(place: 2), "the seat is the first one's")
        #expect(asked(lobby.ask(guest(1), among: one, now: 2_100)) == "a")
        lobby.promised(guest(1), way("a"), until: 62_100, now: 2_110)
        #expect(
            lobby.ask(guest(2), among: one, now: 2_120) == .wait(place: 1), "the room has not yet said that it is full")
        // The second has gone: nothing was heard of it for 10 s.
        #expect(lobby.ask(guest(3), among: full, now: 12_200) == .wait(place: 1))
        #expect(asked(lobby.ask(guest(3), among: one, now: 12_300)) == "a")
        #expect(lobby.queue == 2)
        #expect(lobby.ask(guest(4), among: full, now: 40_000) == .wait(place: 1))
        #expect(lobby.queue == 2, "a place is kept for half a minute, but not while a room is being asked")
    }

    @Test("Who asks again while its seat is kept goes there still; under its id nobody else learns where")
    func again() {
        var lobby = Lobby(order: .spread)
        #expect(asked(lobby.ask(guest(1), among: [room("a", free: 1)], now: 0)) == "a")
        #expect(lobby.ask(guest(1, key: "other"), among: [], now: 1) == .isAnother)
        lobby.promised(guest(1), way("a"), until: 60_000, now: 10)
        #expect(lobby.ask(guest(1), among: [], now: 20_000) == .go(way("a")))
        #expect(lobby.ask(guest(1, key: "other"), among: [], now: 20_000) == .isAnother)
        #expect(lobby.ask(guest(1), among: [], now: 60_000) == .wait(place: 1), "its time is over")
    }

    @Test("Who was in a room is sent back there first, once, be it full")
    func back() {
        var lobby = Lobby(order: .spread)
        let rooms = [room("a", free: 0), room("b", free: 4)]
        #expect(askedBack(lobby.ask(guest(1, last: "a"), among: rooms, now: 0)) == "a")
        lobby.isThere(guest(1, last: "a"))
        #expect(lobby.queue == 0)
        #expect(askedBack(lobby.ask(guest(2, last: "a"), among: rooms, now: 0)) == "a")
        #expect(lobby.ask(guest(2, last: "a"), among: rooms, now: 0) == .wait(place: 1), "an answer is waited for")
        lobby.isNotThere(guest(2, last: "a"))
        #expect(asked(lobby.ask(guest(2, last: "a"), among: rooms, now: 1)) == "b")
        #expect(asked(lobby.ask(guest(3, last: "gone"), among: rooms, now: 1)) == "b")
    }

    @Test("One machine keeps four seats that nobody takes, for five minutes more, and holds nobody else up")
    func machines() {
        var lobby = Lobby(order: .spread)
        let rooms = [room("a", free: 20, of: 20)]
        var promised = 0
        for number in 0..<6 {
            let stranger = guest(number, machine: "stranger")
            guard asked(lobby.ask(stranger, among: rooms, now: Double(number))) != nil else { continue }
            lobby.promised(stranger, way("a"), until: 60_000, now: Double(number))
            promised += 1
        }
        #expect(promised == Lobby.mostOfOneAddress)
        #expect(asked(lobby.ask(guest(99), among: rooms, now: 10)) == "a")
        #expect(asked(lobby.ask(guest(7, machine: "stranger"), among: rooms, now: 200_000)) == nil)
        #expect(asked(lobby.ask(guest(8, machine: "stranger"), among: rooms, now: 360_000)) == "a")
        // Who sits keeps nobody's seat.
        var honest = Lobby(order: .spread)
        for number in 0..<20 {
            let one = guest(number, machine: "school")
            let now = Double(number) * 200
            #expect(asked(honest.ask(one, among: rooms, now: now)) == "a")
            honest.promised(one, way("a"), until: now + 60_000, now: now)
            honest.seated(one)
        }
    }

    @Test("Who keeps seats from one address holds up nobody else of its network, which has an end, too")
    func neighbours() {
        var lobby = Lobby(order: .spread)
        let rooms = [room("a", free: 100, of: 100)]
        func take(_ number: Int, _ address: String, now: Double) -> Bool {
            let one = guest(number, machine: address)
            guard asked(lobby.ask(one, among: rooms, now: now)) != nil else { return false }
            lobby.promised(one, way("a"), until: 60_000, now: now)
            return true
        }
        #expect((0..<8).count { take($0, "house/stranger", now: 0) } == Lobby.mostOfOneAddress)
        #expect(take(99, "house/neighbour", now: 2_000), "one who does not come shuts the house out")
        #expect(
            (100..<200).count { take($0, "house/\($0)", now: 4_000 + Double($0) * 50) } == Lobby.mostOfOneNetwork - 5)
        #expect(take(300, "elsewhere", now: 20_000))
    }

    @Test(
        "However many ask from one machine, rooms are asked for it eight times a second, and others find a place in the queue"
    )
    func storm() {
        var lobby = Lobby(order: .spread)
        var asks = 0
        for number in 0..<2_000 {
            let stranger = guest(number, machine: "stranger", last: "a")
            if askedBack(lobby.ask(stranger, among: [room("a", free: 0)], now: 0)) != nil {
                asks += 1
                lobby.isNotThere(stranger)
            }
        }
        #expect(asks == Lobby.asksOfOneAddress && lobby.queue == Lobby.mostWaiting)
        #expect(lobby.ask(guest(5_000), among: [], now: 1) == .wait(place: Lobby.mostWaiting))
        #expect(lobby.ask(guest(5_001, machine: "stranger"), among: [], now: 1) == .full)
    }

    /// A guest asks until it waits, or is told where to go; whether it has got a seat.
    private func isSent(_ guest: Lobby.Guest, by lobby: inout Lobby, among rooms: [SiteRoom], at now: Double) -> Bool {
        for _ in 0..<4 {
            switch lobby.ask(guest, among: rooms, now: now) {
            case .askBack: lobby.isNotThere(guest)
            case .ask(let room):
                lobby.promised(guest, way(room.name), until: now + 60_000, now: now)
                return true
            default: return false
            }
        }
        return false
    }

    @Test("Who says that it was in a room, and was not, gets no seat that it would not get otherwise")
    func pretended() {
        var lobby = Lobby(order: .spread)
        let rooms = [room("a", free: 20, of: 20)]
        let sent = (0..<40).count { number in
            isSent(
                guest(number, machine: "stranger", last: "a"), by: &lobby, among: rooms, at: Double(number) * 1_000)
        }
        #expect(sent == Lobby.mostOfOneAddress)
        #expect(isSent(guest(50, last: "a"), by: &lobby, among: rooms, at: 41_000))
    }

    @Test("Guests of one machine that come and go without end are sent 64 times, and then one in five seconds")
    func comingAndGoing() {
        var lobby = Lobby(order: .spread)
        let rooms = [room("a", free: 20, of: 20)]
        var sent: [Double] = []
        for number in 0..<1_000 {
            let (stranger, now) = (guest(number, machine: "stranger"), Double(number) * 1_000)
            guard isSent(stranger, by: &lobby, among: rooms, at: now) else { continue }
            lobby.seated(stranger)
            sent.append(now)
        }
        #expect(sent.prefix(64) == (0..<64).map { Double($0) * 1_000 }[...] && (64 * 3...64 * 4).contains(sent.count))
        #expect(isSent(guest(2_000), by: &lobby, among: rooms, at: 1_000_000))
    }

    @Test("A network of as many addresses as it likes fills no queue for others, nor one of them for its neighbours")
    func fullQueue() {
        var lobby = Lobby(order: .spread)
        for number in 0..<2_000 { _ = lobby.ask(guest(number, machine: "house/\(number)"), among: [], now: 0) }
        #expect(lobby.queue == Lobby.mostWaiting)
        #expect(lobby.ask(guest(5_000), among: [], now: 1) == .wait(place: Lobby.mostWaiting))
        #expect(lobby.ask(guest(5_001, machine: "house/more"), among: [], now: 1) == .full)
        var other = Lobby(order: .spread)
        for number in 0..<2_000 { _ = other.ask(guest(number, machine: "house/stranger"), among: [], now: 0) }
        let neighbour = guest(5_000, machine: "house/neighbour")
        #expect(other.ask(neighbour, among: [], now: 1) == .wait(place: Lobby.mostWaiting))
        #expect(other.ask(guest(5_001, machine: "house/stranger"), among: [], now: 1) == .full)
    }

    @Test(
        "In two hundred evenings at random nobody has two seats, and no room gives one that it has not"
    )
    func evenings() {
        for seed in UInt64(1)...200 {
            var state = seed &* 0x9E37_79B9_7F4A_7C15
            func random(_ below: Int) -> Int {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return Int(state % UInt64(below))
            }
            var lobby = Lobby(order: random(2) == 0 ? .spread : .fill)
            var free = [random(4) + 1, random(3), random(3) + 1]
            var seated: Set<Int> = []
            let guests = 12
            for turn in 0..<400 {
                let now = Double(turn) * 500
                let rooms = free.indices.map { room("r\($0)", free: free[$0], of: 5) }
                let number = turn % guests
                guard !seated.contains(number) else {
                    if random(8) == 0 {
                        seated.remove(number)
                        free[random(3)] += 1
                    }
                    continue
                }
                switch lobby.ask(guest(number), among: rooms, now: now) {
                case .ask(let room):
                    let place = Int(String(room.name.dropFirst())) ?? 0
                    if free[place] > 0, random(5) > 0 {
                        free[place] -= 1
                        lobby.promised(guest(number), way(room.name), until: now + 60_000, now: now)
                        lobby.seated(guest(number))
                        #expect(seated.insert(number).inserted, "seed \(seed)")
                    } else {
                        lobby.refused(guest(number), by: room.name, because: .full, now: now)
                    }
                case .wait(let place): #expect((1...guests).contains(place), "seed \(seed)")
                case .go, .isAnother, .full, .askBack, .unwanted:
                    Issue.record("seed \(seed): nobody is promised anything, or another")
                }
            }
            #expect(free.allSatisfy { $0 >= 0 }, "seed \(seed)")
        }
    }
}

@Suite("A player's way to another room")
struct SeatMoveTests {
    @Test("The seat here is free once the player sits there, and not before")
    func seated() {
        var move = SeatMove()
        #expect(!move.isOver)
        #expect(move.take(.seated(seat: 2, player: 2)) == .free(seat: 2, player: 2))
        #expect(move.isOver && move.take(.timeIsUp) == .nothing)
    }

    @Test("Whatever goes wrong, the other room is asked what became of it before the player stays")
    func goesWrong() {
        for trouble in [SeatMove.Input.refused("no"), .timeIsUp, .silent("no answer")] {
            var move = SeatMove()
            #expect(move.take(trouble) == .takeBack)
            var late = move
            #expect(late.take(.seated(seat: 1, player: 1)) == .free(seat: 1, player: 1), "it had come after all")
            guard case .stay = move.take(.ended("taken back")) else { return #expect(Bool(false)) }
            #expect(move.isOver)
        }
    }

    @Test("The first reason is the one that is told; without an answer the seat here is kept")
    func reasons() {
        var move = SeatMove()
        _ = move.take(.refused("it cannot reach the room"))
        #expect(move.take(.timeIsUp) == .nothing)
        #expect(move.take(.silent("the broker is away")) == .stay("it cannot reach the room"))
        var ended = SeatMove()
        #expect(ended.take(.ended("The room is locked.")) == .stay("The room is locked."))
    }

    @Test("In every order of what can happen there is one end, and the seat here is given up only for one there")
    func everyOrder() {
        let inputs: [SeatMove.Input] = [
            .refused("a"), .timeIsUp, .seated(seat: 1, player: 1), .ended("b"), .silent("c"),
        ]
        for number in 0..<3_125 {
            var (move, ends, rest) = (SeatMove(), 0, number)
            for _ in 0..<5 {
                let input = inputs[rest % 5]
                rest /= 5
                switch move.take(input) {
                case .free:
                    ends += 1
                    #expect(input == .seated(seat: 1, player: 1))
                case .stay: ends += 1
                case .nothing, .takeBack: break
                }
            }
            #expect(ends == (move.isOver ? 1 : 0))
        }
    }
}
