import ControllerSession
import Foundation
import Synchronization
import Testing
import WireProtocol

@testable import Connections
@testable import ControllerClient
@testable import Identity
@testable import PrivateFiles
@testable import Roomful

@Suite("Coming back to a seat", .serialized, .timeLimit(.minutes(3)))
struct ReturnTests {
    let temporary = TemporaryFolder()

    private func options() throws -> ControllerOptions {
        var options = ControllerOptions(name: "Blue", stateFolder: try StateFolder(temporary.path))
        options.discovery = .none
        return options
    }

    private func secret(_ byte: UInt8) -> String { Hexadecimal.encode([UInt8](repeating: byte, count: 32)) }

    @Test("A host that is not heard for a second is asked again, with its last secret; that UDP is missing is told")
    func silentLink() async throws {
        let host = try await ScriptedHost { connection, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(UInt8(connection + 1), idle: 10_000))] } else { [] }
        }
        let events = try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { controller in
            let events = Heard<ControllerEvent>()
            try await controller.events.first("five events") { event in
                events.note(event)
                return events.all.count == 5 ? () : nil
            }
            return events.all
        }
        let seat = ControllerEvent.seated(Seat(seat: 1, player: 1, color: "#0072b2", name: "Blue"))
        // It has a socket for TCP alone.
        let reconnecting = ControllerEvent.reconnecting(
            reason: "the host answers by TCP, but no datagram of it has come: does a firewall between stop UDP?")
        #expect(events == [seat, reconnecting, seat, reconnecting, seat])
        #expect(host.invitations.map(\.secret) == [nil, secret(1), secret(2)])
        #expect(Set(host.invitations.map(\.process)).count == 1)
        #expect(host.invitations.map(\.code) == [nil, nil, nil])
        await host.close()
    }

    @Test("A controller whose disk takes nothing any more comes back to its seat all the same")
    func fullDisk() async throws {
        let host = try await ScriptedHost { connection, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(UInt8(connection + 1), idle: 10_000))] } else { [] }
        }
        try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { controller in
            // What it knows of the room is news again, and the lock is one that cannot be opened for writing: a folder.
            let lock = temporary.path + "/.known_hosts.lock"
            for path in [temporary.path + "/known_hosts", lock] { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
            let seats = Heard<ControllerEvent>()
            // The first it had; at the second it may have been on the way back already.
            try await controller.events.first("its seat for the third time") { event in
                if case .seated = event { seats.note(event) }
                return seats.all.count == 3 ? () : nil
            }
        }
        await host.close()
    }

    @Test("A program that starts again on a disk that takes nothing any more comes back to its seat, and stays")
    func restartOnFullDisk() async throws {
        let host = try await ScriptedHost { _, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(8))] } else { [] }
        }
        let state = try StateFolder(temporary.path)
        try ControllerMemory.update("Blue", in: state) { $0.remember(secret(7), for: host.authority.roomID) }
        let id = try ControllerMemory.open("Blue", in: state).id
        // The lock is one that cannot be opened for writing: a folder.
        let lock = temporary.path + "/controllers/.\(roomFolderName("Blue")).lock"
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        let seat = try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { controller in
            func kept() throws -> String? {
                try ControllerMemory.open("Blue", in: state).secret(for: host.authority.roomID)
            }
            #expect(try kept() == secret(7))
            // There is room again: what brings it back next time is kept after all.
            try FileManager.default.removeItem(atPath: lock)
            try await until("what the host gave is kept") { try kept() == secret(8) }
            return controller.seat.seat
        }
        #expect(seat == 1)
        #expect(host.invitations.allSatisfy { $0.controller == id.description })
        #expect(host.invitations.first?.secret == secret(7))
        await host.close()
    }

    /// A host that gives the seat by this secret alone.
    private func successor(knowing secret: String) async throws -> ScriptedHost {
        let refusal = Refusal(.alreadySeated, message: "That seat is taken.", retryAfter: 30_000)
        return try await ScriptedHost { _, heard in
            guard case .invite(let invitation)? = heard else { return [] }
            return [.say(invitation.secret == secret ? ScriptedHost.seat(9) : .refused(refusal))]
        }
    }

    @Test(
        "A host that went on with the room when another died, and knows only the secret before, is asked with that one")
    func earlierSecret() async throws {
        let host = try await successor(knowing: secret(7))
        let state = try StateFolder(temporary.path)
        for byte: UInt8 in [6, 7, 8] {
            try ControllerMemory.update("Blue", in: state) { $0.remember(secret(byte), for: host.authority.roomID) }
        }
        try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { _ in
            let memory = try ControllerMemory.open("Blue", in: state)
            #expect(memory.secret(for: host.authority.roomID) == secret(9))
            #expect(memory.earlierSecret(for: host.authority.roomID) == secret(7))
        }
        #expect(host.invitations.map(\.secret) == [secret(8), secret(7)])
        await host.close()
    }

    @Test("A host that takes neither is asked once with each, and nothing is forgotten")
    func neitherSecret() async throws {
        let host = try await successor(knowing: secret(5))
        let state = try StateFolder(temporary.path)
        for byte: UInt8 in [7, 8] {
            try ControllerMemory.update("Blue", in: state) { $0.remember(secret(byte), for: host.authority.roomID) }
        }
        await #expect(throws: JoinError.self) {
            try await withController(
                options(), joining: host.address, trust: .fingerprint(host.authority.pin)
            ) { _ in }
        }
        #expect(host.invitations.map(\.secret) == [secret(8), secret(7)])
        let memory = try ControllerMemory.open("Blue", in: state)
        #expect(memory.secret(for: host.authority.roomID) == secret(8))
        #expect(memory.earlierSecret(for: host.authority.roomID) == secret(7))
        await host.close()
    }

    @Test("A program that was killed comes back as the same controller, with its secret")
    func restart() async throws {
        let host = try await ScriptedHost { connection, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(UInt8(connection + 1)))] } else { [] }
        }
        let pin = host.authority.pin
        // What a killed program leaves behind: a seat taken, and no goodbye.
        try ControllerMemory.update("Blue", in: StateFolder(temporary.path)) {
            $0.remember(secret(7), for: host.authority.roomID)
        }
        let id = try ControllerMemory.open("Blue", in: StateFolder(temporary.path)).id
        try await withController(options(), joining: host.address, trust: .fingerprint(pin)) { _ in }
        #expect(host.invitations.map(\.controller) == [id.description])
        #expect(host.invitations.map(\.secret) == [secret(7)])
        // Whoever left has no seat to come back to.
        try await withController(options(), joining: host.address, trust: .fingerprint(pin)) { _ in }
        #expect(host.invitations.last?.secret == nil)
        #expect(Set(host.invitations.map(\.process)).count == 2)
        await host.close()
    }

    @Test("Leaving says goodbye with the last number sent")
    func goodbye() async throws {
        let host = try await ScriptedHost { _, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(1))] } else { [] }
        }
        let last = try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { await $0.report().lastSent }
        let heard = await host.heard.first(within: patience) { if case .goodbye? = $0.last { true } else { false } }
        guard case .goodbye(let farewell)? = heard?.last else {
            Issue.record("no goodbye")
            return
        }
        #expect(farewell.reason == .left)
        // Three copies of the goodbye, after what was sent before, if anything was: numbers begin with 0.
        #expect(farewell.lastSent.map { Int($0) } ?? -1 >= (last.map { Int($0) } ?? -1) + 3)
        await host.close()
    }

    @Test("A host that gives no reason to ask again ends it; one that is full is asked until the seat would be gone")
    func refusals() async throws {
        for (retryAfter, invitations) in [(nil, 2...2), (100, 3...20)] as [(Int?, ClosedRange<Int>)] {
            let refusal = Refusal(.full, message: "Full.", retryAfter: retryAfter)
            let host = try await ScriptedHost { connection, heard in
                guard case .invite? = heard else { return [] }
                return [.say(connection == 0 ? ScriptedHost.seat(1) : .refused(refusal))]
            }
            let events = try await withController(
                options(), joining: host.address, trust: .fingerprint(host.authority.pin)
            ) { controller in await controller.events.reduce(into: []) { $0.append($1) } }
            guard case .ended(let ending)? = events.last else {
                Issue.record("not ended: \(events)")
                return
            }
            #expect(ending.code == .refused)
            #expect(events.contains(.refused(refusal)))
            #expect(invitations.contains(host.invitations.count))
            await host.close()
        }
    }

    /// One that gives the same seat to whoever asks, and sends no datagram; times in ms.
    private static func host(idle: Int, grace: Int) async throws -> ScriptedHost {
        try await ScriptedHost { _, heard in
            if case .invite? = heard { [.say(ScriptedHost.seat(1, idle: idle, grace: grace))] } else { [] }
        }
    }

    @Test("A host that gives seats and is never heard is given up after its patience, and has its seat back at once")
    func neverHeard() async throws {
        let host = try await Self.host(idle: 500, grace: 1_000)
        let events = try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { controller in await controller.events.reduce(into: []) { $0.append($1) } }
        guard case .ended(let ending)? = events.last else {
            Issue.record("not ended: \(events)")
            return
        }
        #expect(ending.code == .unreachable && ending.description == Controller.unheard)
        #expect(host.invitations.count > 1)
        let heard = await host.heard.first(within: patience) { if case .goodbye? = $0.last { true } else { false } }
        guard case .goodbye(let farewell)? = heard?.last else {
            Issue.record("no goodbye")
            return
        }
        #expect(farewell.reason == .left)
        await host.close()
    }

    @Test("A host that is gone for longer than it keeps a seat is given up")
    func unreachable() async throws {
        let host = try await Self.host(idle: 500, grace: 500)
        let events = try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { controller in
            await host.close()
            return await controller.events.reduce(into: []) { $0.append($1) }
        }
        guard case .ended(let ending)? = events.last else {
            Issue.record("not ended: \(events)")
            return
        }
        #expect(ending.code == .unreachable)
    }

    @Test("A controller that its own earlier attempt replaced comes back, and goes on until somebody else ends it")
    func ownGhost() async throws {
        let host = try await ScriptedHost { connection, heard in
            guard case .invite? = heard else { return [] }
            let seat = ScriptedHost.Move.say(ScriptedHost.seat(1))
            return switch connection {
            case 0: [seat]
            // The answer is lost; the attempt itself reaches the host after the next one.
            case 1: [.hangUp]
            case 2: [seat, .say(.goodbye(Farewell(reason: "replaced")))]
            default: [seat, .say(.goodbye(Farewell(reason: "kicked")))]
            }
        }
        let events = try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { controller in await controller.events.reduce(into: []) { $0.append($1) } }
        guard case .ended(let ending)? = events.last else {
            Issue.record("not ended: \(events)")
            return
        }
        #expect(ending.code == .kicked && host.invitations.count == 4)
        let reasons = events.compactMap { if case .reconnecting(let reason) = $0 { reason } else { nil } }
        #expect(reasons.contains { $0.contains("earlier attempt") } && reasons.contains { $0.contains("went away") })
        await host.close()
    }

    @Test("A host's goodbye ends it, in the host's words", arguments: ["kicked", "closing", "replaced", "shrug"])
    func farewell(_ reason: String) async throws {
        let host = try await ScriptedHost { _, heard in
            guard case .invite? = heard else { return [] }
            return [
                .say(ScriptedHost.seat(1)),
                .say(.goodbye(Farewell(reason: FarewellReason(rawValue: reason), message: "Time\u{7} is up."))),
                .hangUp,
            ]
        }
        let events = try await withController(
            options(), joining: host.address, trust: .fingerprint(host.authority.pin)
        ) { controller in await controller.events.reduce(into: []) { $0.append($1) } }
        guard case .ended(let ending)? = events.last else {
            Issue.record("not ended: \(events)")
            return
        }
        #expect(ending.description == "Time is up.")
        #expect(ending.code.description == (reason == "shrug" ? "other" : reason))
        await host.close()
    }
}
