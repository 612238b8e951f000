import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Invitations from both sides, in any order")
struct OfferStormTests {
    @Test(
        "Whatever happens in whatever order, no seat is had or promised twice, and every offer ends exactly once",
        arguments: 0..<60)
    func storm(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let policy = RoomConfiguration.Policy.allCases[Int(seed % 3)]
        var room = HostedRoom(RoomConfiguration(seats: 1 + Int(seed % 5), policy: policy, code: "RIGHT"))
        var made: Set<UInt64> = []
        var seats: [UInt64: Seated] = [:]
        for step in 0..<400 {
            let number = UInt64.random(in: 1...7, using: &random)
            var guest = Guest(number)
            switch Int.random(in: 0..<13, using: &random) {
            case 0...2:
                let seat = Bool.random(using: &random) ? nil : Int.random(in: 1...room.seats, using: &random)
                let offer = Offer(
                    id: OfferID(rawValue: UInt64(step) + 1), controller: guest.controller, seat: seat,
                    ticketHash: HostedRoom.hash("ticket \(number)"),
                    expiresAt: room.now + .seconds(Int.random(in: 1...60, using: &random)))
                made.insert(try room.coordinator.offer(offer, now: room.now).get().rawValue)
                room.perform(room.coordinator.takeActions())
            case 3...5:
                guest.ticket = "ticket \(Bool.random(using: &random) ? number : number + 1)"
                seats[number] = room.invite(guest)?.seat ?? seats[number]
            case 6:
                guest.code = "RIGHT"
                guest.process += UInt64(step) + 1  // Who was seated and heard nothing is known by it.
                let ended = room.outcomes.count
                seats[number] = room.invite(guest)?.seat ?? seats[number]
                #expect(room.outcomes.count == ended, "seed \(seed), step \(step): accepted without the ticket")
            case 7:
                if let seated = seats[number] { seats[number] = room.invite(guest.returning(with: seated))?.seat }
            case 8:
                if var pad = Pad(seats[number]) { room.receive(pad.samples(0..<1), from: pad.address) }
            case 9:
                let conversations = UInt64(room.answers.count)
                let gone = ConversationID(rawValue: .random(in: 0...conversations, using: &random))
                room.perform(room.coordinator.disconnected(gone, now: room.now))
            case 10:
                room.coordinator.endOffer(
                    OfferID(rawValue: .random(in: 0...UInt64(step), using: &random)), Refusal(.declined, message: "No.")
                )
                room.perform(room.coordinator.takeActions())
            case 11:
                let index = room.coordinator.reports(now: room.now).randomElement(using: &random)?.peer
                switch Int.random(in: 0..<6, using: &random) {
                case 0: room.perform(room.coordinator.lock(now: room.now))
                case 1...3: room.perform(room.coordinator.unlock(now: room.now))
                case 4: if let index { room.perform(room.coordinator.kick(index, message: nil, now: room.now)) }
                default:
                    let seat = Int.random(in: 1...room.seats, using: &random)
                    if let index { room.perform(try room.coordinator.move(index, to: seat, now: room.now).get()) }
                }
            default: room.pass(to: room.now + .seconds(Int.random(in: 1...20, using: &random)))
            }
            let taken = room.coordinator.reports(now: room.now).map(\.seat) + room.coordinator.promised
            #expect(Set(taken).count == taken.count, "seed \(seed), step \(step): seats \(taken.sorted())")
            #expect(room.coordinator.freeSeats == room.seats - taken.count && room.coordinator.freeSeats >= 0)
            let controllers = room.coordinator.reports(now: room.now).map(\.controller)
            #expect(Set(controllers).count == controllers.count, "seed \(seed), step \(step)")
        }
        room.pass(to: room.now + .seconds(61))
        #expect(room.outcomes.map(\.id.rawValue).sorted() == made.sorted(), "seed \(seed)")
        #expect(room.coordinator.offers.isEmpty)
    }
}

extension HostedRoom {
    fileprivate var seats: Int { coordinator.configuration.seats }
}
