import Foundation
import SessionCoordinator
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("Controllers that are called in, over real TLS", .serialized, .timeLimit(.minutes(4)))
struct CallingTests {
    @Test("An invitation that is accepted ends with the seat that was kept, in a room whose code was never said")
    func accepted() async throws {
        try await meet { room, waiting in
            let context = Heard<[UInt8]>()
            let joined = waiting.answer { invitation in
                #expect(invitation.room.name == "Living Room")
                #expect(invitation.room.pin == room.ticket.pin)
                #expect(!invitation.isKnown && invitation.isOpen && invitation.seat == 3)
                context.note(invitation.context)
                try await invitation.accept { controller in
                    #expect(controller.seat.seat == 3)
                    controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                    #expect(await controller.settle(within: patience))
                }
            }
            let outcome = try await room.invite(at: waiting.address, seat: 3, context: Array("come!".utf8))
            #expect(outcome.isAccepted && outcome.seat == 3 && outcome.player == 3, "\(outcome)")
            #expect(outcome.name == "Blue" && outcome.controller == waiting.id)
            try await joined.value
            #expect(context.all == [Array("come!".utf8)])
        }
    }

    @Test("Whoever declines says why, without what must not reach a terminal, and the seat is free again")
    func declined() async throws {
        try await meet { room, waiting in
            let answered = waiting.answer { $0.decline("Not\u{1B}[2J now.", retryAfter: .seconds(30)) }
            let outcome = try await room.invite(at: waiting.address)
            try await answered.value
            #expect(!outcome.isAccepted && outcome.reason == "declined" && outcome.retryAfter == 30_000)
            #expect(outcome.message == "Blue said no (declined): Not[2J now. Invite it again in 30 s.")
            #expect(await room.status().freeSeats == 4)
        }
    }

    @Test("An invitation that nobody answers is declined when it is dropped: nothing is accepted by default")
    func dropped() async throws {
        try await meet { room, waiting in
            let answered = waiting.answer { _ in }
            let outcome = try await room.invite(at: waiting.address)
            try await answered.value
            #expect(outcome.reason == "declined" && outcome.retryAfter != nil, "\(outcome)")
        }
    }

    @Test("An invitation ends when its time is over, on both sides, and cannot be accepted later")
    func expired() async throws {
        try await meet { room, waiting in
            let answered = waiting.answer { invitation in
                await invitation.untilOver()
                #expect(!invitation.isOpen)
                await #expect { try await invitation.accept { _ in } } throws: {
                    ($0 as? JoinError)?.code == .invitationOver
                }
            }
            let outcome = try await room.invite(at: waiting.address, timeout: .seconds(3))
            #expect(outcome.reason == "expired", "\(outcome)")
            try await answered.value
            #expect(await room.status().freeSeats == 4)
        }
    }

    @Test("In a locked or a full room an invitation ends at once, and the controller never hears of it")
    func lockedAndFull() async throws {
        try await meet({ $0.seats = 1 }) { room, waiting in
            await room.lock()
            #expect(try await room.invite(at: waiting.address).reason == "locked")
            await room.unlock()
            try await withController(
                ControllerOptions(name: "Red", timeout: patience), joining: room.local
            ) { _ in
                let outcome = try await room.invite(at: waiting.address)
                #expect(outcome.reason == "full" && outcome.retryAfter == 10_000)
            }
            await #expect { try await room.invite("Blue") } throws: {
                ($0 as? RoomError)?.code == .notFound && "\($0)".contains("discovery is off")
            }
            await #expect { try await room.invite(at: waiting.address, seat: 2) } throws: {
                ($0 as? RoomError)?.code == .badOption
            }
        }
    }

    @Test("Locking the room withdraws the invitations that are open, and their controllers hear why")
    func withdrawn() async throws {
        try await meet { room, waiting in
            let over = waiting.answer { invitation in
                await room.lock()
                await invitation.untilOver()
                #expect(!invitation.isOpen && invitation.expiresAt > .now)
            }
            #expect(try await room.invite(at: waiting.address).reason == "locked")
            try await over.value
        }
    }

    @Test("An invitation that is taken back is over on both sides")
    func takenBack() async throws {
        try await meet { room, waiting in
            let over = waiting.answer { invitation in
                #expect(await room.withdrawInvitations(to: "Nobody") == 0)
                #expect(await room.withdrawInvitations(to: "blue") == 1)
                await invitation.untilOver()
                #expect(!invitation.isOpen)
            }
            let outcome = try await room.invite(at: waiting.address)
            #expect(outcome.reason == "declined")
            #expect(outcome.message == "Blue was not called in (declined): The operator took the invitation back.")
            try await over.value
            #expect(await room.status().freeSeats == 4)
        }
    }

    @Test(
        "An offer that nobody looks after any more holds up no invitation: it is over at once, and says when to try again"
    )
    func forgotten() async throws {
        try await meet { room, waiting in
            let terms = OfferTerms(
                id: OfferID(rawValue: 7), controller: try #require(ControllerID(waiting.id)), seat: nil, ticketHash: [],
                timeout: .seconds(60))
            _ = try await room.carryOut(.offer(terms))
            let outcome = try await room.invite(at: waiting.address)
            #expect(outcome.reason == "expired" && outcome.retryAfter == 1_000, "\(outcome)")
        }
    }

    @Test("A controller that was invited twice at once is asked once, and both hear one answer")
    func repeated() async throws {
        try await meet { room, waiting in
            let asked = Heard<String>()
            let invitations = waiting.invitations
            let joined = Task {
                for await invitation in invitations {
                    asked.note(invitation.room.name)
                    try await Task.sleep(for: .milliseconds(300))
                    try await invitation.accept { _ in _ = try await room.peers { $0.isEmpty } }
                    return
                }
            }
            async let first = room.invite(at: waiting.address, seat: 2)
            async let second = room.invite(at: waiting.address)
            let outcomes = try await [first, second]
            #expect(outcomes.allSatisfy { $0.isAccepted && $0.seat == outcomes[0].seat }, "\(outcomes)")
            #expect(asked.all.count == 1)
            let peer = try #require(try await room.peers().first)
            #expect(try await room.invite(at: waiting.address).reason == "alreadySeated")
            try await room.kick(peer.name)
            try await joined.value
        }
    }

    @Test("While a controller follows one invitation others hear that it is busy, and when to try again")
    func busy() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var other = try house.options("Other Room")
        other.state = try house.state("other")
        try await withRoom(other) { other in
            try await meet { room, waiting in
                let joined = waiting.answer { try await $0.accept { _ in _ = try await room.peers { $0.isEmpty } } }
                #expect(try await room.invite(at: waiting.address).isAccepted)
                let outcome = try await other.invite(at: waiting.address)
                #expect(outcome.reason == "busy" && outcome.retryAfter != nil, "\(outcome)")
                try await room.kick("Blue")
                try await joined.value
            }
        }
    }

    @Test(
        "A room that was joined once is known when it calls; one that took its name is not, and is said to be another")
    func standing() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let standings = Heard<WaitingController.Invitation.Standing>()
        for host in ["host", "host", "impostor"] {
            var options = try house.options()
            options.state = try house.state(host)
            try await withRoom(options) { room in
                try await withWaitingController(house.waiting("Blue")) { waiting in
                    let joined = waiting.answer { invitation in
                        standings.note(invitation.standing)
                        if invitation.standing != .namesake { try await invitation.accept { _ in } }
                    }
                    #expect(try await room.invite(at: waiting.address).isAccepted == (host == "host"))
                    try await joined.value
                }
            }
        }
        #expect(standings.all == [.unknown, .known, .namesake])
    }
}

/// A room and a controller that waits, on this machine, nothing announced.
func meet<Result: Sendable>(
    _ change: (inout RoomOptions) -> Void = { _ in },
    _ body: (Room, WaitingController) async throws -> Result
) async throws -> Result {
    let house = try TestHouse()
    defer { house.remove() }
    var options = try house.options()
    options.policy = .code
    change(&options)
    return try await withRoom(options) { room in
        try await withWaitingController(house.waiting("Blue")) { waiting in try await body(room, waiting) }
    }
}

extension TestHouse {
    /// A controller that nobody hears of but by its address.
    func waiting(_ name: String) throws -> ControllerOptions { try controller(name) }
}

extension WaitingController {
    /// On this machine.
    var address: String { "127.0.0.1:\(port)" }

    /// Answers the next invitation.
    func answer(_ body: @escaping @Sendable (Invitation) async throws -> Void) -> Task<Void, any Error> {
        let invitations = invitations
        return Task { try await body(try await invitations.first("an invitation") { $0 }) }
    }
}
