import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("Callers that a waiting controller should not believe", .serialized, .timeLimit(.minutes(4)))
struct HostileCallerTests {
    /// A caller of the test's own, who shows some room's certificates, or none.
    private final class Caller: Sendable {
        let authority: RoomAuthority
        let showsItself: Bool
        private let temporary = TemporaryFolder()

        init(showsItself: Bool = true) throws {
            self.showsItself = showsItself
            authority = try RoomAuthority(
                folder: temporary.folder, names: ServerNames(dnsNames: ["localhost"], addresses: []))
        }

        func offer(to waiting: WaitingController) -> RoomOffer {
            RoomOffer(
                offer: "00112233445566aa", controller: waiting.id, room: authority.roomID.description,
                pin: authority.pin.description, name: "Trap", port: 9, addresses: [],
                ticket: String(repeating: "40", count: 32), timeout: 60_000)
        }

        /// Sends these bytes, and returns what was answered until the controller hung up, or so many answers came.
        func call(
            _ waiting: WaitingController, _ bytes: [UInt8], answers: Int = .max, limit: Duration = patience
        ) async throws -> [CallMessage] {
            var configuration = try authority.callConfiguration()
            if !showsItself { (configuration.certificateChain, configuration.privateKey) = ([], nil) }
            let context = try NIOSSLContext(configuration: configuration)
            let handshake = CallHandshake(expecting: waiting.pin)
            let pipe = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: Int(waiting.port)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(
                            context: context, serverHostname: nil, customVerificationCallback: handshake.verification)
                        try channel.pipeline.syncOperations.addHandler(tls)
                        return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            let channel = pipe.channel
            let timer = channel.eventLoop.scheduleTask(in: .nanoseconds(limit.wholeNanoseconds)) {
                channel.close(promise: nil)
            }
            defer { timer.cancel() }
            let heard = Heard<CallMessage>()
            try? await pipe.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: bytes))
                var talk = CallTalk(inbound, on: channel)
                while heard.all.count < answers, let message = try await talk.next() { heard.note(message) }
            }
            return heard.all
        }

        func call(_ waiting: WaitingController, _ offer: RoomOffer, answers: Int = .max) async throws -> [CallMessage] {
            var line = CallMessage.offer(offer).line
            return try await call(waiting, line.readBytes(length: line.readableBytes) ?? [], answers: answers)
        }
    }

    private func wait<Result: Sendable>(
        _ body: (WaitingController) async throws -> Result
    ) async throws -> Result {
        let house = try TestHouse()
        defer { house.remove() }
        return try await withWaitingController(house.waiting("Blue")) { try await body($0) }
    }

    private func refusal(_ messages: [CallMessage]) -> Refusal? {
        if case .refused(let refusal)? = messages.last { refusal } else { nil }
    }

    @Test("An offer in which something is wrong is refused in words, and nobody is asked")
    func badOffers() async throws {
        let caller = try Caller()
        try await wait { waiting in
            let asked = Heard<String>()
            let listening = Task { for await invitation in waiting.invitations { asked.note(invitation.room.name) } }
            let mistakes: [(RefusalReason, @Sendable (inout RoomOffer) -> Void)] = [
                (.wrongVersion, { $0.v = 2 }),
                (.badInvitation, { $0.controller = String(repeating: "0", count: 32) }),
                (.untrusted, { $0.pin = String(repeating: "0", count: 64) }),
                (.untrusted, { $0.room = String(repeating: "0", count: 32) }),
                (.badInvitation, { $0.offer = "12" }),
                (.badInvitation, { $0.ticket = "12" }),
                (.badInvitation, { $0.timeout = 0 }),
                (.badInvitation, { $0.timeout = 600_001 }),
                (.badInvitation, { $0.name = "" }),
                (.badInvitation, { $0.name = String(repeating: "x", count: 64) }),
                (.badInvitation, { $0.context = String(repeating: "00", count: 1_025) }),
                (.badInvitation, { $0.port = 0 }),
            ]
            for (place, (reason, change)) in mistakes.enumerated() {
                var offer = caller.offer(to: waiting)
                change(&offer)
                let answer = refusal(try await caller.call(waiting, offer))
                #expect(answer?.reason == reason, "\(place): \(String(describing: answer))")
            }
            #expect(asked.all.isEmpty)
            listening.cancel()
        }
    }

    @Test("Who shows no certificate, or says no offer, is hung up on; an honest offer is heard afterwards")
    func nonsense() async throws {
        let (caller, masked) = (try Caller(), try Caller(showsItself: false))
        try await wait { waiting in
            let listening = waiting.answer { $0.decline() }
            #expect(try await masked.call(waiting, masked.offer(to: waiting)).isEmpty)
            for text in ["\n", "{}\n", "GET / HTTP/1.1\r\n\r\n", #"{"type":"joined"}"# + "\n"] {
                let heard = try await caller.call(waiting, Array(text.utf8))
                #expect(heard.map(\.type) == ["pad"], "\(text): \(heard)")
            }
            let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            #expect(try await caller.call(waiting, long).count <= 1)
            let heard = try await caller.call(waiting, caller.offer(to: waiting))
            #expect(heard.first?.type == "pad" && refusal(heard)?.reason == .declined)
            try await listening.value
        }
    }

    @Test("Who says nothing, byte by byte or not at all, is let go after five seconds, and stands in nobody's way")
    func slow() async throws {
        let caller = try Caller()
        try await wait { waiting in
            let (began, machine) = (ContinuousClock.now, Standstill())
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 { group.addTask { try await caller.call(waiting, [UInt8(ascii: "{")]).count } }
                let greetings = try await group.reduce(into: []) { $0.append($1) }
                #expect(greetings == [1, 1])
            }
            let took = ContinuousClock.now - began
            #expect(took > .seconds(4.5) && took < .seconds(7) + machine.total, "\(took)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 { group.addTask { _ = try? await caller.call(waiting, [UInt8(ascii: "{")]) } }
                try await Task.sleep(for: .milliseconds(700))
                let listening = waiting.answer { $0.decline() }
                let (asked, machine) = (ContinuousClock.now, Standstill())
                #expect(refusal(try await caller.call(waiting, caller.offer(to: waiting)))?.reason == .declined)
                #expect(ContinuousClock.now - asked < .seconds(3) + machine.total)
                try await listening.value
                group.cancelAll()
            }
        }
    }

    @Test("Whoever calls just as a controller stops waiting hears no more than a greeting, and leaves nothing behind")
    func late() async throws {
        let caller = try Caller()
        // What a first call makes once, such as the loops' own descriptors, is made.
        try await wait { waiting in _ = try await caller.call(waiting, [], answers: 1) }
        let before = try Self.sockets()
        for round in 0..<10 {
            try await withThrowingTaskGroup(of: [CallMessage].self) { group in
                let port = try await wait { waiting in
                    for _ in 0..<20 {
                        group.addTask { (try? await caller.call(waiting, [], limit: .seconds(1))) ?? [] }
                    }
                    try await Task.sleep(for: .milliseconds(2 * round))
                    // Whoever calls like that is heard, in the last round for certain before it stops: once the others, who
                    // stay for a second, leave it a place.
                    if round == 9 {
                        var heard: [CallMessage] = []
                        let deadline = ContinuousClock.now + patience
                        while heard.isEmpty, ContinuousClock.now < deadline {
                            heard = (try? await caller.call(waiting, [], answers: 1)) ?? []
                        }
                        #expect(heard.map(\.type) == ["pad"], "\(heard)")
                    }
                    return waiting.port
                }
                // It has stopped, callers or not: nobody listens any more.
                await #expect(throws: (any Error).self) {
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: Int(port)).get().close()
                }
                for try await heard in group { #expect(heard.allSatisfy { $0.type == "pad" }, "\(heard)") }
            }
        }
        let deadline = ContinuousClock.now + patience
        while try !Self.sockets().isSubset(of: before), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try Self.sockets().subtracting(before) == [])
    }

    /// The sockets that this process holds, as the kernel names them.
    private static func sockets() throws -> Set<String> {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let targets = descriptors.compactMap {
            // One that was closed meanwhile is none.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        return Set(targets.filter { $0.hasPrefix("socket:") })
    }

    @Test("A room that was never joined can have its user asked for two minutes, whatever it says")
    func strangersLimit() async throws {
        let caller = try Caller()
        try await wait { waiting in
            let asked = waiting.answer { invitation in
                #expect(invitation.expiresAt - .now <= .seconds(120))
                try await Task.sleep(for: .milliseconds(200))
                invitation.decline()
            }
            var offer = caller.offer(to: waiting)
            offer.timeout = 600_000
            let heard = try await caller.call(waiting, offer)
            guard case .waiting(let limit)? = heard.dropFirst().first else {
                Issue.record("\(heard)")
                return
            }
            #expect(limit.timeout <= 120_000)
            try await asked.value
        }
    }

    @Test("An answer that comes when its time is over is none: the caller hears that it expired")
    func tooLate() async throws {
        let caller = try Caller()
        try await wait { waiting in
            let answered = waiting.answer { invitation in
                while invitation.isOpen {}
                invitation.decline("Too late.")
            }
            var offer = caller.offer(to: waiting)
            offer.timeout = 500
            #expect(refusal(try await caller.call(waiting, offer))?.reason == .expired)
            try await answered.value
        }
    }

    @Test("Invitations that ended before anybody read them are not handed out, and take the place of none that is open")
    func endedUnread() async throws {
        let caller = try Caller()
        try await wait { waiting in
            for number in 0..<4 {
                var offer = caller.offer(to: waiting)
                offer.offer = UInt64(number).paddedHex
                offer.timeout = 100
                #expect(refusal(try await caller.call(waiting, offer))?.reason == .expired)
            }
            var offer = caller.offer(to: waiting)
            offer.context = "05"
            _ = try await caller.call(waiting, offer, answers: 2)
            var invitations = waiting.invitations.makeAsyncIterator()
            let first = await invitations.next()
            #expect(first?.context == [5] && first?.isOpen == true)
        }
    }

    @Test("However many strangers' invitations are open, a room that was joined before finds a place for its own")
    func knownRoom() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let caller = try Caller()
        try await withRoom(house.options()) { room in
            let options = try house.waiting("Blue")
            try await withController(options, joining: room.local) { _ in }
            try await withWaitingController(options) { waiting in
                for number in 0..<4 {
                    var offer = caller.offer(to: waiting)
                    offer.offer = UInt64(number).paddedHex
                    _ = try await caller.call(waiting, offer, answers: 2)
                }
                let joined = Task {
                    for await invitation in waiting.invitations where invitation.isKnown {
                        return try await invitation.accept { _ in }
                    }
                }
                #expect(try await room.invite(at: waiting.address).isAccepted)
                try await joined.value
            }
        }
    }

    @Test("The same offer again is answered the same, also after the first connection is gone, and asked about once")
    func again() async throws {
        let caller = try Caller()
        try await wait { waiting in
            let asked = Heard<String>()
            let listening = Task {
                for await invitation in waiting.invitations {
                    asked.note(invitation.room.name)
                    try? await Task.sleep(for: .milliseconds(800))
                    invitation.decline("Later.")
                }
            }
            let offer = caller.offer(to: waiting)
            let first = try await caller.call(waiting, offer, answers: 2)
            #expect(first.map(\.type) == ["pad", "waiting"])
            for _ in 0..<2 { #expect(refusal(try await caller.call(waiting, offer))?.message == "Later.") }
            #expect(asked.all == ["Trap"])
            listening.cancel()
        }
    }

    @Test("A host that is not where it says to be costs a controller one dial, and it waits on")
    func nowhere() async throws {
        let caller = try Caller()
        try await wait { waiting in
            let dialled = waiting.answer { invitation in
                await #expect(throws: JoinError.self) { try await invitation.accept { _ in } }
            }
            let heard = try await caller.call(waiting, caller.offer(to: waiting))
            #expect(refusal(heard)?.reason == .unreachable, "\(heard)")
            try await dialled.value
            var again = caller.offer(to: waiting)
            again.offer = "00112233445566bb"
            let declined = waiting.answer { $0.decline() }
            #expect(refusal(try await caller.call(waiting, again))?.reason == .declined)
            try await declined.value
        }
    }

    @Test("However many different offers come, four are open at once, and the others hear when to call again")
    func crowd() async throws {
        let caller = try Caller()
        try await wait { waiting in
            let reasons = try await withThrowingTaskGroup(of: [CallMessage].self) { group in
                // Four connections at once at most, so these are made one after the other and cut off.
                for number in 0..<12 {
                    var offer = caller.offer(to: waiting)
                    offer.offer = UInt64(number).paddedHex
                    let heard = try await caller.call(waiting, offer, answers: 2)
                    group.addTask { heard }
                }
                return try await group.reduce(into: [RefusalReason]()) { all, heard in
                    if let refusal = refusal(heard) { all.append(refusal.reason) }
                }
            }
            #expect(reasons == [RefusalReason](repeating: .busy, count: 8))
        }
    }
}
