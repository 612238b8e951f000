import Foundation
import Testing
import WireProtocol

@testable import Roomful

@Suite("Controllers that are called in, over real TLS", .serialized, .timeLimit(.minutes(2)))
struct CallingTests {
    /// A room and a controller that waits, on this machine, nothing announced.
    private func meet<Result: Sendable>(
        _ change: (inout RoomOptions) -> Void = { _ in },
        _ body: (Room, WaitingController) async throws -> Result
    ) async throws -> Result {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.policy = .code
        change(&options)
        return try await withRoom(options) { room in
            try await withWaitingController(house.waiting("Blue")) { waiting in
                try await body(room, waiting)
            }
        }
    }

    /// Answers the next invitation.
    private func answer(
        _ waiting: WaitingController, _ body: @escaping @Sendable (WaitingController.Invitation) async throws -> Void
    ) -> Task<Void, any Error> {
        let invitations = waiting.invitations
        return Task {
            for await invitation in invitations { return try await body(invitation) }
        }
    }

    @Test("An invitation that is accepted ends with the seat that was kept, in a room whose code was never said")
    func accepted() async throws {
        try await meet { room, waiting in
            let context = Heard<[UInt8]>()
            let joined = answer(waiting) { invitation in
                #expect(invitation.room.name == "Living Room")
                #expect(invitation.room.pin == room.ticket.pin)
                #expect(!invitation.isKnown && invitation.isOpen && invitation.seat == 3)
                context.note(invitation.context)
                try await invitation.accept { controller in
                    #expect(controller.seat.seat == 3)
                    controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                    #expect(await controller.settle(within: .seconds(5)))
                }
            }
            let outcome = try await room.invite(at: waiting.address, seat: 3, context: Array("come!".utf8))
            #expect(outcome.isAccepted && outcome.seat == 3 && outcome.player == 3, "\(outcome)")
            #expect(outcome.name == "Blue" && outcome.controller == waiting.id)
            try await joined.value
            #expect(context.all == [Array("come!".utf8)])
        }
    }

    @Test("Whoever declines says why, and the seat is free again")
    func declined() async throws {
        try await meet { room, waiting in
            let answered = answer(waiting) { $0.decline("Not\u{1B}[2J now.") }
            let outcome = try await room.invite(at: waiting.address)
            try await answered.value
            #expect(!outcome.isAccepted && outcome.reason == "declined")
            #expect(outcome.message == "Blue is not here (declined): Not[2J now.")
            #expect(await room.status().freeSeats == 4)
        }
    }
}

extension TestHouse {
    /// A controller that nobody hears of but by its address.
    func waiting(_ name: String) throws -> ControllerOptions {
        var options = try controller(name)
        options.discovery = .none
        return options
    }
}

extension WaitingController {
    /// On this machine.
    var address: String { "127.0.0.1:\(port)" }
}
