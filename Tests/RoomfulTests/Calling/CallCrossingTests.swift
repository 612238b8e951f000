import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Datagrams
@testable import Roomful

@Suite("Controllers that join by themselves while they are called in", .serialized, .timeLimit(.minutes(4)))
struct CallCrossingTests {
    @Test("Host and controller that invite each other at the same moment end in one session")
    func crossing() async throws {
        try await meet({ $0.policy = .ask }) { room, waiting in
            // The same controller asks by itself, in a program of its own, while its other half waits to be called.
            let asking = Task {
                try await withController(waiting.options, joining: room.local) { _ in }
            }
            try await until("a knock") { await !room.status().waiting.isEmpty }
            let accepting = waiting.answer { invitation in
                try await invitation.accept { controller in
                    controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                    let peers = try await room.peers { $0.first?.state == "active" }
                    #expect(peers.map(\.controller) == [waiting.id])
                }
            }
            let outcome = try await room.invite(at: waiting.address, seat: 2)
            #expect(outcome.isAccepted && outcome.seat == 2, "\(outcome)")
            #expect(await room.status().waiting.isEmpty)
            await #expect(throws: (any Error).self) { try await asking.value }
            try await accepting.value
        }
    }

    @Test("Who reads the id of a controller that is invited, and joins under it, is asked about, and accepts nothing")
    func theft() async throws {
        try await meet({ $0.policy = .ask }) { room, waiting in
            let invited = waiting.answer { invitation in
                // Another machine, with that id in its controllers folder and no more.
                let thief = Task { try await withController(waiting.options, joining: room.local) { _ in } }
                try await until("a knock") { await !room.status().waiting.isEmpty }
                #expect(await room.status().peers.isEmpty)
                #expect(invitation.isOpen)
                thief.cancel()
                _ = try? await thief.value
                invitation.decline("Not I.")
            }
            let outcome = try await room.invite(at: waiting.address)
            #expect(outcome.message == "Blue said no (declined): Not I.", "\(outcome)")
            try await invited.value
            #expect(await room.status().freeSeats == 4)
        }
    }

    @Test("Whoever got in under the id without the ticket gives way to the ticket", arguments: [true, false])
    func givesWay(isOpen: Bool) async throws {
        try await meet({ $0.policy = isOpen ? .open : .code }) { room, waiting in
            let invited = waiting.answer { invitation in
                let first = Task {
                    try await withController(waiting.options, joining: room.local) { controller in
                        #expect(controller.seat.seat == 1)
                        controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                        for await event in controller.events { if case .ended = event { return true } }
                        return false
                    }
                }
                _ = try await room.peers { $0.first?.state == "active" }
                #expect(invitation.isOpen)
                try await invitation.accept { controller in
                    #expect(controller.seat.seat == 3)
                    _ = try? await first.value
                    let seats = try await room.peers().map(\.seat)
                    #expect(seats == [3])
                }
            }
            let outcome = try await room.invite(at: waiting.address, seat: 3)
            #expect(outcome.isAccepted && outcome.seat == 3, "\(outcome)")
            try await invited.value
        }
    }

    @Test(
        "A controller that dials while it is being invited has one session at the end, by the ticket", arguments: 0..<5)
    func race(_ round: Int) async throws {
        try await meet { room, waiting in
            let accepting = waiting.answer { invitation in
                // Whichever dial comes first: the one with the ticket has the seat.
                try? await invitation.accept { _ in _ = try await room.peers(within: .milliseconds(300)) { _ in false }
                }
            }
            let dialling = Task {
                try await Task.sleep(for: .milliseconds(20 * round))
                try? await withController(waiting.options, joining: room.local) { _ in
                    _ = try await room.peers(within: .milliseconds(300)) { _ in false }
                }
            }
            let outcome = try await room.invite(at: waiting.address)
            // One that sat before the invitation was made is said to sit already.
            #expect(outcome.isAccepted || outcome.reason == "alreadySeated", "\(outcome)")
            #expect(try await room.peers().count == 1)
            try await dialling.value
            waiting.stop()
            // Who sat before is not invited any more.
            do { try await accepting.value } catch { #expect(outcome.reason == "alreadySeated", "\(error)") }
        }
    }
}
