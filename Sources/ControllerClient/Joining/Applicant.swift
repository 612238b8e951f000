package import Connections
import Foundation
package import Identity
package import PrivateFiles
import Synchronization
package import WireProtocol

/// A controller on its way into a room: meets a host, finds out who it is, and only then asks for a seat.
package final class Applicant: Sendable {
    /// A seat that a host gave, and the connection on which it did.
    package struct Seating: Sendable {
        package var connection: ControlConnection
        var admission: Admission
        package var host: HostIdentity
        var endpoint: Endpoint
    }

    package let options: ControllerOptions
    private let code: AdmissionCode?
    private let memory: Mutex<ControllerMemory>
    /// What the disk has refused to keep, and for which room.
    private let owed = Mutex<(secret: String, roomID: RoomID)?>(nil)
    /// In which room its earlier secret is tried, as the host knows no later one.
    private let fallsBack = Mutex<RoomID?>(nil)
    /// How many hosts have taken a connection and are shaking hands.
    let handshakes = Watched(0)
    /// New for each run: tells the host a return from a restart.
    private let process = UInt64.random(in: .min ... .max).paddedHex

    /// - Throws: ``JoinError`` with `storage` if what the controller remembers cannot be read or kept.
    init(_ options: ControllerOptions, code: AdmissionCode?) throws(JoinError) {
        self.options = options
        self.code = code
        do throws(StorageError) {
            if let state = options.stateFolder {
                let remembered = try ControllerMemory.open(
                    options.name, in: state, onDamage: options.onDamagedMemory)
                memory = Mutex(remembered)
            } else {
                memory = Mutex(options.called.map { ControllerMemory(id: $0.id) } ?? .random())
            }
        } catch {
            throw JoinError(error)
        }
    }

    package var id: ControllerID { memory.withLock { $0.id } }

    /// The rooms that this user trusts.
    package func knownHosts() throws(JoinError) -> KnownHosts {
        guard let state = options.stateFolder else { return KnownHosts() }
        do throws(StorageError) { return try KnownHosts.load(from: state.folder) } catch { throw JoinError(error) }
    }

    /// Where ``knownHosts()`` come from, for people.
    var knownHostsFile: String { options.stateFolder.map { $0.folder.path(of: KnownHosts.fileName) } ?? "" }

    /// A host that has opened: at one of the room's addresses, with TLS done.
    package struct OpenDoor: Sendable {
        var endpoint: Endpoint
        package var connection: ControlConnection
        var handshake: PinnedHandshake
    }

    /// Connects to one address. A host that is not the expected one does not get past TLS.
    ///
    /// - Throws: ``JoinError``.
    func knock(at endpoint: Endpoint, expecting pin: Pin?, limits: AnswerLimits) async throws -> OpenDoor {
        let handshake = pin.map { PinnedHandshake(expecting: $0) } ?? .asking()
        let connection = try await ControlConnection.open(
            endpoint, handshake: handshake, within: limits.opening, underWay: handshakes)
        return OpenDoor(endpoint: endpoint, connection: connection, handshake: handshake)
    }

    /// Asks for a seat at one address, and closes the connection if there is none.
    ///
    /// - Parameters:
    ///   - deadline: moves by the time that a person takes to confirm the host.
    ///   - hasAsked: told from when to when the host has an invitation that it has not answered.
    /// - Throws: ``JoinError``, or `CancellationError`.
    package func ask(
        at door: OpenDoor, expecting expectation: ExpectedRoom, trust: Trust, known: KnownHosts,
        limits: AnswerLimits = AnswerLimits(), hasAsked: Watched<Bool>? = nil,
        deadline: inout ContinuousClock.Instant
    ) async throws -> Seating {
        let (endpoint, connection, handshake) = (door.endpoint, door.connection, door.handshake)
        do {
            let greeting = try await greeting(
                on: connection, at: endpoint, limit: limits.greeting, deadline: deadline)
            guard case .success(let finding)? = handshake.outcome else {
                throw JoinError(.untrusted, "\(endpoint) did not show who it is")
            }
            let (host, isVouchedFor) = try expectation.judge(finding, greeting, known: known, file: knownHostsFile)
            if isVouchedFor {
                // A disk that is full or read-only keeps nobody from a seat: who vouches now can do so again.
                try? remember(host, at: endpoint)
            } else {
                let asked = ContinuousClock.now
                try await confirm(host, greeting, trust)
                deadline += ContinuousClock.now - asked
                try remember(host, at: endpoint)
            }
            hasAsked?.change { $0 = true }
            defer { hasAsked?.change { $0 = false } }
            let admission = try await invite(host, on: connection, limit: limits.answer, deadline: deadline)
            return Seating(connection: connection, admission: admission, host: host, endpoint: endpoint)
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Keeps what brings the controller back to its seat: before the first datagram under the new keys, after which the
    /// secret before is worth nothing.
    package func keep(_ secret: String, for roomID: RoomID) throws(StorageError) {
        memory.withLock { $0.remember(secret, for: roomID) }
        guard let state = options.stateFolder else { return }
        owed.withLock { $0 = (secret, roomID) }
        try ControllerMemory.update(options.name, in: state, onDamage: options.onDamagedMemory) {
            $0.remember(secret, for: roomID)
        }
        owed.withLock { $0 = nil }
    }

    /// Tries once more to keep what the disk has refused, if it has: the secret before is worth nothing any more.
    func keepOwed() {
        guard let (secret, roomID) = owed.withLock({ $0 }) else { return }
        try? keep(secret, for: roomID)
    }

    /// Whether there is an earlier secret to try, after a host that has the seat did not take the one that it gave last: a host
    /// that went on with the room when another died may not have heard of that one.
    private func turnToEarlierSecret(in roomID: RoomID) -> Bool {
        guard memory.withLock({ $0.earlierSecret(for: roomID) }) != nil else { return false }
        return fallsBack.withLock { room in
            defer { room = roomID }
            return room != roomID
        }
    }

    /// - Parameter wasTaken: whether the host took it; then the later one is nobody's.
    func turnBack(wasTaken: Bool) {
        let room = fallsBack.withLock { room in
            defer { room = nil }
            return room
        }
        guard wasTaken, let room else { return }
        memory.withLock { $0.fallBack(in: room) }
        guard let state = options.stateFolder else { return }
        _ = try? ControllerMemory.update(options.name, in: state) { $0.fallBack(in: room) }
    }

    /// The seat is given up. What cannot be removed from the disk is worth nothing there.
    func forget(_ roomID: RoomID) {
        memory.withLock { $0.forget(roomID) }
        owed.withLock { $0 = nil }
        guard let state = options.stateFolder else { return }
        _ = try? ControllerMemory.update(options.name, in: state) { $0.forget(roomID) }
    }

    // MARK: Private

    private func greeting(
        on connection: ControlConnection, at endpoint: Endpoint, limit: Duration, deadline: ContinuousClock.Instant
    ) async throws -> RoomGreeting {
        let heard = await connection.conversation.first(within: min(limit, deadline - .now)) {
            $0.greeting != nil || $0.answer != nil || $0.isClosed
        }
        try Task.checkCancellation()
        if heard?.greeting == nil, case .refused(let refusal)? = heard?.answer, refusal.reason == .closing {
            throw JoinError(.roomVanished, "\(endpoint) has no room at present: \(refusal.message)")
        }
        guard let greeting = heard?.greeting else {
            throw JoinError(
                .notARoom, "\(endpoint) answers, but does not greet as a room does; check the address",
                isLate: heard == nil)
        }
        guard greeting.v == ControlMessage.version else {
            throw JoinError(
                .notARoom,
                "“\(greeting.name)” speaks version \(greeting.v), this program version \(ControlMessage.version); "
                    + "update the older of the two")
        }
        return greeting
    }

    /// Asks whoever may vouch for a host that nobody has vouched for yet.
    private func confirm(_ host: HostIdentity, _ greeting: RoomGreeting, _ trust: Trust) async throws {
        switch trust {
        case .ask(let confirm):
            if await confirm(host.pin, greeting) { return }
            throw JoinError(.notConfirmed, "“\(host.name)” was not trusted; nothing was sent to it", pin: host.pin)
        case .knownHosts, .fingerprint:
            throw JoinError(
                .untrusted,
                "“\(host.name)” is not known yet; compare its fingerprint with the host's screen, then join with "
                    + "--fingerprint \(host.pin), or with the host's ticket (--code-file)", pin: host.pin)
        }
    }

    private func remember(_ host: HostIdentity, at endpoint: Endpoint) throws(JoinError) {
        guard let state = options.stateFolder else { return }
        // Another room's word makes none known; what is known already stays at its newest address.
        if options.called?.isMoved == true {
            guard try knownHosts().entries.contains(where: { $0.roomID == host.roomID && $0.pin == host.pin }) else {
                return
            }
        }
        let entry = KnownHosts.Entry(
            roomID: host.roomID, pin: host.pin, name: host.name, firstSeen: Date(), lastAddress: endpoint.description)
        do throws(StorageError) {
            try KnownHosts.update(in: state.folder) { $0.remember(entry) }
        } catch {
            throw JoinError(error)
        }
    }

    private func invite(
        _ host: HostIdentity, on connection: ControlConnection, limit: Duration, deadline: ContinuousClock.Instant
    ) async throws -> Admission {
        connection.send(.invite(invitation(to: host, timeout: deadline - .now)))
        var heard = await connection.conversation.first(within: min(limit, deadline - .now)) {
            $0.answer != nil || $0.waiting != nil || $0.isClosed
        }
        if let conversation = heard, conversation.answer == nil, let waiting = conversation.waiting {
            heard = await wait(waiting, for: host, on: connection, deadline: deadline)
        }
        try Task.checkCancellation()
        switch heard?.answer {
        case .seated(let seated): return try Admission(seated)
        case .refused(let refusal) where refusal.reason == .closing && refusal.retryAfter != nil:
            // Of a room that another host goes on with, or that is to be back: it may be at another address already.
            throw JoinError(.roomVanished, "“\(host.name)” is closed for a while: \(refusal.message)")
        case .refused(let refusal):
            var error = JoinError(refusal, by: host.name)
            error.hasEarlierSecret = refusal.reason == .alreadySeated && turnToEarlierSecret(in: host.roomID)
            throw error
        case nil where heard?.isClosed == true:
            throw JoinError(.roomVanished, "“\(host.name)” went away before it answered; try again when it is back")
        case nil:
            throw JoinError(
                .timedOut, "“\(host.name)” did not answer in time; ask its operator, or wait longer", isLate: true)
        }
    }

    /// Waits for the operator until the deadline, for a seat as long as there is a place in the queue.
    private func wait(
        _ first: Waiting, for host: HostIdentity, on connection: ControlConnection,
        deadline: ContinuousClock.Instant
    ) async -> Conversation? {
        if first.place == nil { options.onWaiting?(.milliseconds(min(max(0, first.timeout), 600_000))) }
        var told = first
        while true {
            if let place = told.place {
                options.onQueue?(min(max(1, place), 9_999))
                // It brings another run of the program back to this place.
                if let secret = told.secret, isSecret(secret) { try? keep(secret, for: host.roomID) }
            }
            let last = told
            let isNews: @Sendable (Conversation) -> Bool = {
                $0.answer != nil || $0.isClosed || $0.waiting?.place != last.place
            }
            let heard =
                told.place == nil
                ? await connection.conversation.first(within: deadline - .now, where: isNews)
                : await connection.conversation.first(where: isNews)
            guard let heard, heard.answer == nil, !heard.isClosed, let next = heard.waiting else { return heard }
            told = next
        }
    }

    private func secret(for roomID: RoomID) -> String? {
        let isEarlier = fallsBack.withLock { $0 == roomID }
        return memory.withLock { isEarlier ? $0.earlierSecret(for: roomID) : $0.secret(for: roomID) }
    }

    private func invitation(to host: HostIdentity, timeout: Duration) -> Invitation {
        Invitation(
            controller: memory.withLock { $0.id.description }, process: process, name: options.name,
            streams: options.streams.map { StreamOffer($0) }, haptics: options.haptics != .none,
            context: options.context.isEmpty ? nil : Hexadecimal.encode(options.context),
            timeout: min(max(1, Int(timeout.milliseconds)), 600_000), code: code?.text,
            secret: secret(for: host.roomID), ticket: options.called?.ticket,
            wait: options.waitsForSeat ? true : nil)
    }
}
