import Foundation
import NIOCore
import Testing
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Identity
@testable import RoomRecords
@testable import Roomful

@Suite("Waiting controllers that lie to the host that calls them", .serialized, .timeLimit(.minutes(4)))
struct HostileControllerTests {
    private static let id = String(repeating: "0f", count: 16)
    private static let greeting =
        #"{"type":"pad","v":1,"controller":"\#(id)","name":"Blue","haptics":false}"# + "\n"

    /// Invites somebody who does whatever the script says, on each connection.
    private func invite(
        pin: Pin? = nil, timeout: Duration = .seconds(20),
        _ script: @escaping @Sendable (NIOAsyncChannelOutboundWriter<ByteBuffer>, inout CallTalk) async throws -> Void
    ) async throws -> InvitationOutcome {
        let house = try TestHouse()
        defer { house.remove() }
        let identity = try WaitingIdentity()
        let listener = try await CallListener.open(port: 0, identity: identity)
        return try await withRoom(house.options()) { room in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await listener.run { caller in
                        try await caller.pipe.take().executeThenClose { inbound, outbound in
                            var talk = CallTalk(inbound, on: caller.pipe.channel)
                            try await script(outbound, &talk)
                        }
                    }
                }
                let controller = NearbyController(
                    id: Self.id, name: "Blue", addresses: ["127.0.0.1:\(listener.port)"],
                    pin: (pin ?? identity.pin).description, haptics: false, waitedFor: 0)
                let outcome = try await room.invite(controller, seat: nil, context: [], timeout: timeout)
                #expect(await room.status().freeSeats == 4)
                group.cancelAll()
                return outcome
            }
        }
    }

    private func say(_ text: String, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    @Test(
        "Who does not greet as a waiting controller is said to be none",
        arguments: [
            "garbage\n", "{}\n", #"{"type":"pad"}"# + "\n", #"{"type":"accepted"}"# + "\n",
            #"{"type":"pad","v":1,"controller":"xyz","name":"Blue","haptics":false}"# + "\n", "\u{0}\u{0}\u{0}\n",
        ])
    func noGreeting(_ text: String) async throws {
        let outcome = try await invite { outbound, talk in
            try await outbound.write(ByteBuffer(string: text))
            _ = try await talk.next()
        }
        #expect(outcome.reason == "badAnswer", "\(outcome)")
    }

    @Test("One that hangs up before it greets is unreachable for now, and its other addresses are tried")
    func hangsUp() async throws {
        let outcome = try await invite { _, _ in }
        #expect(outcome.isUnreachable && outcome.retryAfter == 5_000, "\(outcome)")
        let house = try TestHouse()
        defer { house.remove() }
        let rude = try await CallListener.open(port: 0, identity: try WaitingIdentity())
        try await withRoom(house.options()) { room in
            try await withWaitingController(house.waiting("Blue")) { waiting in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await rude.run { try await $0.pipe.take().executeThenClose { _, _ in } } }
                    let declined = waiting.answer { $0.decline("Later.") }
                    let controller = NearbyController(
                        id: waiting.id, name: "Blue", addresses: ["127.0.0.1:\(rude.port)", waiting.address], pin: nil,
                        haptics: false, waitedFor: 0)
                    let outcome = try await room.invite(
                        controller, seat: nil, context: [], timeout: .seconds(20))
                    #expect(outcome.message == "Blue said no (declined): Later.", "\(outcome)")
                    try await declined.value
                    group.cancelAll()
                }
            }
        }
    }

    @Test("A room's own port is said to be a room's, at once")
    func room() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let (began, machine) = (ContinuousClock.now, Standstill())
            await #expect { try await room.invite(at: "127.0.0.1:\(room.port)") } throws: {
                "\($0)".contains("is a room, not a waiting controller")
            }
            #expect(ContinuousClock.now - began < .seconds(3) + machine.total)
        }
    }

    @Test("Wrong use is said before anybody is looked for")
    func wrongUse() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let wrong: [@Sendable () async throws -> Void] = [
                { _ = try await room.invite("Nobody", seat: 99) },
                { _ = try await room.invite("Nobody", context: [UInt8](repeating: 65, count: 3_000)) },
                { _ = try await room.invite("Nobody", timeout: .seconds(3_600)) },
                { _ = try await room.invite(at: "127.0.0.1:9", seat: 0) },
                { _ = try await room.inviteAll(timeout: .zero) },
            ]
            for use in wrong {
                await #expect { try await use() } throws: { ($0 as? RoomError)?.code == .badOption }
            }
        }
    }

    @Test("A line without end, and lines without end, fill no memory and end the call")
    func endless() async throws {
        for piece in [String(repeating: "x", count: 1_000), #"{"type":"waiting","timeout":1}"# + "\n"] {
            let outcome = try await invite { outbound, talk in
                try await outbound.write(ByteBuffer(string: Self.greeting))
                for _ in 0..<1_000 { try await outbound.write(ByteBuffer(string: piece)) }
                // Hung up on, it does not hang up itself: that would be told of as such.
                while try await talk.next() != nil {}
            }
            #expect(outcome.reason == "badAnswer", "\(outcome)")
        }
    }

    @Test("Another controller at the address gets no ticket, and neither does one with another key than was announced")
    func another() async throws {
        let heard = Heard<CallMessage>()
        let other = Self.greeting.replacing("0f0f", with: "0e0e")
        let outcome = try await invite { outbound, talk in
            try await outbound.write(ByteBuffer(string: other))
            if let message = try await talk.next() { heard.note(message) }
        }
        #expect(outcome.reason == "badAnswer", "\(outcome)")
        let key = try await invite(pin: Pin(bytes: [UInt8](repeating: 7, count: 32))) { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting))
            if let message = try await talk.next() { heard.note(message) }
        }
        #expect(key.reason == "badAnswer" && key.message.contains("another key"), "\(key)")
        #expect(heard.all.isEmpty)
    }

    @Test("A controller of another version is told apart, in words that name both")
    func version() async throws {
        let outcome = try await invite { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting.replacing(#""v":1"#, with: #""v":7"#)))
            _ = try await talk.next()
        }
        #expect(outcome.reason == "wrongVersion" && outcome.message.contains("version 7, this host version 1"))
    }

    @Test("One that hangs up, or says yes and never comes, is unreachable; one that says nothing at all expires")
    func gone() async throws {
        let hungUp = try await invite { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting))
            _ = try await talk.next()
        }
        #expect(hungUp.reason == "unreachable" && hungUp.retryAfter != nil, "\(hungUp)")
        let accepted = try await invite { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting))
            _ = try await talk.next()
            try await outbound.write(CallMessage.accepted.line)
        }
        #expect(accepted.reason == "unreachable" && accepted.message.contains("accepted"), "\(accepted)")
        let joined = try await invite(timeout: .seconds(3)) { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting))
            _ = try await talk.next()
            try await outbound.write(CallMessage.joined.line)
        }
        #expect(joined.reason == "expired", "\(joined)")
        let silent = try await invite(timeout: .seconds(3)) { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting))
            while try await talk.next() != nil {}
        }
        #expect(silent.reason == "expired", "\(silent)")
    }

    @Test("A connection that breaks is made again, and the same offer said on it, which is answered the same")
    func broken() async throws {
        let offers = Heard<RoomOffer>()
        let outcome = try await invite { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting))
            guard case .offer(let offer)? = try await talk.next() else { return }
            offers.note(offer)
            guard offers.all.count == 2 else { return }
            try await outbound.write(CallMessage.refused(Refusal(.declined, message: "Second thoughts.")).line)
        }
        #expect(outcome.reason == "declined" && outcome.message.contains("Second thoughts."), "\(outcome)")
        #expect(offers.all.count == 2 && offers.all[0] == offers.all[1])
    }

    @Test("What a controller gives as its reason is cut and made printable")
    func reason() async throws {
        let refusal = Refusal(
            RefusalReason(rawValue: "\u{7}" + String(repeating: "r", count: 100)),
            message: String(repeating: "\u{1B}[31mno ", count: 100), retryAfter: -5)
        let outcome = try await invite { outbound, talk in
            try await outbound.write(ByteBuffer(string: Self.greeting))
            _ = try await talk.next()
            try await outbound.write(CallMessage.refused(refusal).line)
        }
        #expect(outcome.reason == String(repeating: "r", count: 31) && outcome.retryAfter == 0)
        #expect(outcome.message.utf8.count < 330 && !outcome.message.contains("\u{1B}"))
    }

    @Test("A call that no one answers says so: nothing listens, or no address at all")
    func nobody() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            for addresses in [["127.0.0.1:9"], [], ["nonsense"]] {
                let nobody = NearbyController(
                    id: Self.id, name: "Blue", addresses: addresses, pin: nil, haptics: false, waitedFor: 0)
                let outcome = try await room.invite(nobody, seat: nil, context: [], timeout: .seconds(60))
                #expect(outcome.isUnreachable, "\(outcome)")
            }
        }
    }
}
