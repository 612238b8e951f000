import NIOCore
import NIOPosix
import NIOSSL
import NIOWebSocket
import Synchronization
import Testing
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import PrivateFiles
@testable import Roomful

@Suite("Joining a host that may be anyone", .timeLimit(.minutes(3)))
struct HostileHostTests {
    let temporary = TemporaryFolder()

    private func options(timeout: Duration = .seconds(20)) throws -> ControllerOptions {
        var options = ControllerOptions(
            name: "Blue", code: AdmissionCode("7KQM-2X9D"), timeout: timeout,
            stateFolder: try StateFolder(temporary.path))
        options.discovery = .none
        return options
    }

    /// Why the room could not be joined.
    private func error(_ host: ScriptedHost, trust: Trust? = nil, timeout: Duration = .seconds(20)) async throws
        -> JoinError?
    {
        let trust = trust ?? .fingerprint(host.authority.pin)
        do {
            try await withController(options(timeout: timeout), joining: host.address, trust: trust) { _ in }
            return nil
        } catch let error as JoinError {
            await host.close()
            return error
        }
    }

    @Test("A host that nobody vouches for is told neither code nor name; its fingerprint is shown")
    func stranger() async throws {
        let host = try await ScriptedHost()
        let error = try await error(host, trust: .knownHosts)
        #expect(error?.code == .untrusted)
        #expect(error?.pin == host.authority.pin)
        #expect(error?.message.contains(host.authority.pin.description) == true)
        #expect(host.heard.value.isEmpty)
    }

    @Test("A host with another fingerprint than the given one is refused in the handshake")
    func otherPin() async throws {
        let (host, other) = (try await ScriptedHost(), try await ScriptedHost())
        let error = try await error(host, trust: .fingerprint(other.authority.pin))
        #expect(error?.code == .untrusted)
        #expect(host.heard.value.isEmpty)
        await other.close()
    }

    @Test("A person is asked once about an unknown host; who confirms it need not be asked again")
    func confirmation() async throws {
        let host = try await ScriptedHost { _, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(1))] } else { [] }
        }
        #expect(try await error(host, trust: .ask { _, _ in false })?.code == .notConfirmed)
        #expect(host.heard.value.isEmpty)
        let again = try await ScriptedHost { _, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(1))] } else { [] }
        }
        let asked = Mutex<[Pin]>([])
        let asking = Trust.ask { pin, greeting in
            asked.withLock { $0.append(pin) }
            return greeting.name == "Scripted"
        }
        for trust in [asking, .knownHosts] {
            let seat = try await withController(options(), joining: again.address, trust: trust) { $0.seat }
            #expect(seat == Seat(seat: 1, player: 1, color: "#0072b2", name: "Blue"))
        }
        #expect(asked.withLock { $0 } == [again.authority.pin])
        await again.close()
    }

    @Test("While one address hangs, a host that has no room yet says so and is asked again: the seat comes from it")
    func twoAddresses() async throws {
        let hanging = Watched(0)
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                hanging.change { $0 += 1 }
                return channel.eventLoop.makeSucceededVoidFuture()
            }.bind(host: "127.0.0.1", port: 0).get()
        let host = try await ScriptedHost(greets: false) { connection, heard in
            switch heard {
            case .invite?: [.say(ScriptedHost.seat(1))]
            case nil where connection == 0: [.say(.refused(Refusal(.closing, message: "Not mine yet.")))]
            case nil: [.greet]
            default: []
            }
        }
        let addresses = [silent.localAddress?.port ?? 0, host.port].map {
            Ticket.Address(PeerAddress(ipv4: 0x7F00_0001, port: UInt16($0)))
        }
        let ticket = try Ticket(
            addresses: addresses, pin: host.authority.pin, code: nil, room: "Scripted", roomID: host.authority.roomID)
        let seat = try await withController(options(), joining: .ticket(ticket)) { $0.seat }
        #expect(seat.seat == 1)
        #expect(hanging.value == 1)
        try await silent.close()
        await host.close()

        let alone = try await ScriptedHost(greets: false) { _, _ in
            [.say(.refused(Refusal(.closing, message: "Not mine yet.")))]
        }
        let error = try await error(alone)
        #expect(error?.code == .roomVanished)
        #expect(error?.message.hasSuffix("has no room at present: Not mine yet.") == true)
    }

    @Test("Where one address refuses and another takes the connection and says nothing, the host is slow, not away")
    func slowAtOneAddress() async throws {
        let none = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let ports = [none, silent].map { UInt16($0.localAddress?.port ?? 0) }
        try await none.close()
        let host = try await ScriptedHost()
        let ticket = try Ticket(
            addresses: ports.map { Ticket.Address(PeerAddress(ipv4: 0x7F00_0001, port: $0)) },
            pin: host.authority.pin, code: nil, room: "Scripted", roomID: host.authority.roomID)
        let error = await #expect(throws: JoinError.self) {
            try await withController(options(), joining: .ticket(ticket)) { _ in }
        }
        #expect(error?.isLate == true)
        #expect(error?.message.contains("overloaded") == true)
        try await silent.close()
        await host.close()
    }

    @Test("A known room's name under another key is a stop, with the line to remove")
    func takenName() async throws {
        let (first, second) = (try await seating(), try await seating())
        try await withController(options(), joining: first.address, trust: .fingerprint(first.authority.pin)) { _ in }
        let error = try await error(second, trust: .ask { _, _ in true })
        #expect(error?.code == .nameBelongsToAnother)
        #expect(error?.message.contains("remove line 1 of \(temporary.path)/known_hosts") == true)
        await first.close()
    }

    @Test("A room that sends its players on makes their users know no room, and takes no known one's name for another")
    func sentOn() async throws {
        let options = try options()
        let folder = try #require(options.stateFolder).folder
        let attic = try await seating()
        let host = try await sending(to: attic, called: "Attic")
        let trust = Trust.fingerprint(host.authority.pin)
        try await withController(options, joining: host.address, trust: trust) { controller in
            try await until("its seat in the attic") { controller.room.id == attic.authority.roomID }
        }
        #expect(attic.invitations.first?.ticket != nil)
        #expect(try KnownHosts.load(from: folder).entries.map(\.roomID) == [host.authority.roomID])

        let trap = try await seating()
        let other = try await sending(to: trap, called: "SCRIPTED")
        let otherTrust = Trust.fingerprint(other.authority.pin)
        try await withController(options, joining: other.address, trust: otherTrust) { controller in
            try await until("that it stays") { Self.refused(other.heard.value) != nil }
            #expect(controller.room.id == other.authority.roomID)
        }
        #expect(Self.refused(other.heard.value)?.message.contains(temporary.path) == false)
        #expect(trap.invitations.isEmpty)
        for room in [host, attic, trap, other] { await room.close() }
    }

    private static func refused(_ heard: [ControlMessage]) -> Refusal? {
        for case .refused(let refusal) in heard { return refusal }
        return nil
    }

    /// A host that gives a seat, and at once offers one in another room.
    private func sending(to room: ScriptedHost, called name: String) async throws -> ScriptedHost {
        try await ScriptedHost { _, heard in
            guard case .invite(let invitation)? = heard else { return [] }
            let offer = RoomOffer(
                offer: "00112233445566aa", controller: invitation.controller, room: room.authority.roomID.description,
                pin: room.authority.pin.description, name: name, port: UInt16(room.port),
                addresses: ["127.0.0.1:\(room.port)"], ticket: String(repeating: "40", count: 32), timeout: 60_000)
            return [.say(ScriptedHost.seat(1)), .say(.offer(offer))]
        }
    }

    @Test("Nothing listens: the address and what to check are named")
    func nobody() async throws {
        let host = try await ScriptedHost()
        await host.close()
        let error = try await error(host)
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("127.0.0.1:\(host.port)") == true)
    }

    @Test("A host that offers only TLS 1.2 is not a room")
    func oldTLS() async throws {
        #expect(try await error(ScriptedHost(maximumVersion: .tlsv12))?.code == .notARoom)
    }

    @Test("A host that accepts the connection and says nothing is given up in 5 s, and may be overloaded")
    func mute() async throws {
        let error = try await error(ScriptedHost(upgrades: false))
        #expect(error?.code == .unreachable && error?.message.contains("overloaded") == true)
        #expect(error?.message.contains("long packets (MTU)") == true)
    }

    @Test("A host that goes away while it should answer has vanished")
    func vanishing() async throws {
        let host = try await ScriptedHost { _, heard in heard == nil ? [] : [.hangUp] }
        #expect(try await error(host)?.code == .roomVanished)
    }

    @Test("A host that never answers ends in the time limit")
    func silence() async throws {
        // Long enough for it to greet: what does not even do that is unreachable.
        #expect(try await error(ScriptedHost(), timeout: .seconds(3))?.code == .timedOut)
    }

    @Test(
        "Garbage in any form ends the conversation, and nothing else",
        arguments: [
            ScriptedHost.Move.text("{"), .text("[]"), .text(#"{"type":7}"#), .text(#"{"type":"seated"}"#),
            .text(String(repeating: "[", count: 60_000)), .frame(.text, bytes: 70_000), .frame(.binary, bytes: 10),
            .frame(.continuation, bytes: 10), .frame(.ping, bytes: 126),
        ])
    func garbage(_ move: ScriptedHost.Move) async throws {
        let host = try await ScriptedHost { _, heard in heard == nil ? [] : [move] }
        #expect(try await error(host)?.code == .roomVanished)
    }

    @Test("A type of a later version is answered with unknown, once, and joining goes on")
    func laterVersion() async throws {
        let host = try await ScriptedHost { _, heard in
            switch heard {
            case nil: [.text(#"{"type":"teleport","x":1}"#), .text(#"{"type":"unknown","kind":"invite"}"#)]
            case .invite: [.say(ScriptedHost.seat(1))]
            default: []
            }
        }
        try await withController(options(), joining: host.address, trust: .fingerprint(host.authority.pin)) { _ in }
        #expect(host.heard.value.filter { $0 == .unknown(type: "teleport") }.count == 1)
        #expect(!host.heard.value.contains(.unknown(type: "invite")))
        await host.close()
    }

    @Test("A refusal is told with the host's reason and when to ask again")
    func refusal() async throws {
        let refusal = Refusal(.full, message: "All 4 seats are taken.", retryAfter: 10_000)
        let host = try await ScriptedHost { _, heard in heard == nil ? [] : [.say(.refused(refusal))] }
        let error = try await error(host)
        #expect(error?.code == .refused)
        #expect(error?.refusal == refusal)
        #expect(error?.message == "“Scripted” says no: All 4 seats are taken; ask again in 10 s")
    }

    @Test("While the operator decides, the controller waits and is told for how long")
    func waiting() async throws {
        let host = try await ScriptedHost { _, heard in
            if case .invite? = heard {
                [.say(.waiting(Waiting(timeout: 30_000))), .say(ScriptedHost.seat(1))]
            } else {
                []
            }
        }
        let told = Mutex<[Duration]>([])
        var options = try options()
        options.onWaiting = { limit in told.withLock { $0.append(limit) } }
        try await withController(options, joining: host.address, trust: .fingerprint(host.authority.pin)) { _ in }
        #expect(told.withLock { $0 == [.seconds(30)] })
        await host.close()
    }

    @Test("Options that no room would take are named before anything is sent")
    func badOptions() async throws {
        for options in [
            ControllerOptions(name: ""), ControllerOptions(name: String(repeating: "é", count: 32)),
            ControllerOptions(name: "a\u{1B}b"), ControllerOptions(name: "Blue", streams: []),
            ControllerOptions(name: "Blue", streams: [StreamDeclaration(), StreamDeclaration()]),
            ControllerOptions(name: "Blue", timeout: .zero),
        ] {
            await #expect { try await withController(options, joining: .named("x")) { _ in } } throws: {
                ($0 as? JoinError)?.code == .badOptions
            }
        }
    }

    private func seating() async throws -> ScriptedHost {
        try await ScriptedHost { _, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(1))] } else { [] }
        }
    }
}
