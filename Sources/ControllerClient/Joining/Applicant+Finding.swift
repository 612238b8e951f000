package import Connections
import Datagrams
import Identity
import PeerDiscovery
import WireProtocol

/// From what a person knows of a room to a seat in it.
extension Applicant {
    /// How long a room is looked for by name: at first, and on a return.
    private static let searchLimit = Duration.seconds(5)
    /// The same, where there is an address to fall back on.
    private static let rememberedSearchLimit = Duration.milliseconds(2_500)
    private static let shortSearchLimit = Duration.seconds(2)

    /// Joins: looks for the room if only its name is known, and tries its addresses in order.
    ///
    /// - Throws: ``JoinError``, or `CancellationError`.
    package func join(_ address: RoomAddress, trust: Trust) async throws -> (seating: Seating, ways: [Endpoint]) {
        let deadline = ContinuousClock.now + options.timeout
        let known = try knownHosts()
        var expectation = ExpectedRoom()
        if case .fingerprint(let pin) = trust { expectation.pin = pin }
        let ways: [Endpoint]
        switch address {
        case .direct(let host, let port):
            guard (1...0xFFFF).contains(port), !host.isEmpty else {
                throw JoinError(.badOptions, "an address is HOST:PORT, with a port from 1 to 65535")
            }
            ways = [Endpoint(host: host, port: port)]
        case .ticket(let ticket):
            guard expectation.pin ?? ticket.pin == ticket.pin else {
                throw JoinError(.untrusted, "the ticket is for a host with another fingerprint", pin: ticket.pin)
            }
            expectation = ExpectedRoom(name: ticket.room, pin: ticket.pin, roomID: ticket.roomID)
            ways = ticket.addresses.map { Endpoint(host: $0.host, port: Int($0.port)) }
        case .named(let name):
            expectation.name = name
            do {
                ways = try await search(name, pin: expectation.pin, known: known)
            } catch let error as JoinError where error.code == .notFound || error.code == .cannotSearch {
                return try await askWhereItWas(
                    name, expecting: expectation, trust: trust, known: known, deadline: deadline, otherwise: error)
            }
            do {
                let seating = try await ask(
                    atAnyOf: ways, expecting: expectation, trust: trust, known: known, deadline: deadline)
                return (seating, ways)
            } catch let error as JoinError where error.isOfOneAddress {
                // What is announced leads nowhere, or to somebody else; the room itself may be where it was.
                return try await askWhereItWas(
                    name, expecting: expectation, trust: trust, known: known, deadline: deadline, otherwise: error)
            }
        }
        let seating = try await ask(
            atAnyOf: ways, expecting: expectation, trust: trust, known: known, deadline: deadline)
        return (seating, ways)
    }

    /// Where the room of that name is announced.
    ///
    /// - Throws: `notFound`, `cannotSearch`, `ambiguous` or `unreachable`.
    private func search(_ name: String, pin: Pin?, known: KnownHosts) async throws -> [Endpoint] {
        let isRemembered = !known.entries(named: name).isEmpty
        let limit = isRemembered ? Self.rememberedSearchLimit : Self.searchLimit
        let finding = await RoomBrowser.find(
            name, timeout: min(limit, options.timeout), discovery: options.discovery)
        return try RoomChoice(name: name, pin: pin, known: known).choose(
            from: finding.matches, nearby: finding.nearby.displayNames, availability: finding.nearby.availability
        ).flatMap(\.ways)
    }

    /// Where multicast does not reach, a room that was joined before is mostly where it was.
    ///
    /// - Throws: `otherwise`, with a word on the address, if it is not there either; ``JoinError`` of another kind if it
    ///   is there and says no.
    private func askWhereItWas(
        _ name: String, expecting expectation: ExpectedRoom, trust: Trust, known: KnownHosts,
        deadline: ContinuousClock.Instant, otherwise: JoinError
    ) async throws -> (seating: Seating, ways: [Endpoint]) {
        try Task.checkCancellation()
        let remembered = known.entries(named: name).filter { expectation.pin ?? $0.pin == $0.pin }
        var failures: [String] = []
        for entry in remembered {
            guard let address = Ticket.Address(entry.lastAddress) else { continue }
            let ways = [Endpoint(host: address.host, port: Int(address.port))]
            let itself = ExpectedRoom(name: name, pin: entry.pin, roomID: entry.roomID)
            do {
                let seating = try await ask(
                    atAnyOf: ways, expecting: itself, trust: trust, known: known, deadline: deadline)
                return (seating, ways)
            } catch let error as JoinError where error.isOfOneAddress {
                failures.append(entry.lastAddress)
            }
        }
        guard !failures.isEmpty else { throw otherwise }
        throw JoinError(
            otherwise.code,
            otherwise.message + "; nor does it answer where it was last, at " + failures.joined(separator: ", "),
            candidates: otherwise.candidates)
    }

    /// Asks for the seat again, at the addresses known and, for a room found by name, where it is announced now.
    ///
    /// - Parameter hasAsked: told from when to when the host has an invitation that it has not answered.
    /// - Throws: ``JoinError``, or `CancellationError`.
    func comeBack(
        to host: HostIdentity, by ways: [Endpoint], name: String?, limits: AnswerLimits, hasAsked: Watched<Bool>
    ) async throws -> Seating {
        let deadline = ContinuousClock.now + options.timeout
        let expectation = ExpectedRoom(name: host.name, pin: host.pin, roomID: host.roomID)
        let trust = Trust.fingerprint(host.pin)
        do {
            return try await ask(
                atAnyOf: ways, expecting: expectation, trust: trust, known: KnownHosts(), limits: limits,
                hasAsked: hasAsked, deadline: deadline)
        } catch let error as JoinError where error.isOfOneAddress && name != nil {
            // The host may have started again on another port.
            let finding = await RoomBrowser.find(
                name ?? "", timeout: Self.shortSearchLimit, discovery: options.discovery)
            let moved = finding.nearby.rooms.filter {
                $0.id.room.bytes == host.roomID.bytes && $0.id.pin?.bytes == host.pin.bytes
            }.flatMap(\.ways)
            let fresh = moved.filter { !ways.contains($0) }
            guard !fresh.isEmpty else { throw error }
            return try await ask(
                atAnyOf: fresh, expecting: expectation, trust: trust, known: KnownHosts(), limits: limits,
                hasAsked: hasAsked, deadline: deadline)
        }
    }

    /// Each further address is tried this much later, while none before has given a seat: a dead one costs as much, and
    /// one that opens and then says nothing costs no more (RFC 8305, with its order of ours).
    private static let stagger = Duration.milliseconds(150)

    /// While an address hangs, those where nobody was are tried again so often: of two hosts one may stand still, and the other
    /// be there only once the room is its own.
    private static let pause = Duration.milliseconds(500)

    /// The first of several addresses where the room gives a seat; by the earlier secret, where it knows no later one.
    private func ask(
        atAnyOf ways: [Endpoint], expecting expectation: ExpectedRoom, trust: Trust, known: KnownHosts,
        limits: AnswerLimits = AnswerLimits(), hasAsked: Watched<Bool>? = nil, deadline: ContinuousClock.Instant
    ) async throws -> Seating {
        func once() async throws -> Seating {
            try await askOnce(
                atAnyOf: ways, expecting: expectation, trust: trust, known: known, limits: limits, hasAsked: hasAsked,
                deadline: deadline)
        }
        do {
            return try await once()
        } catch let error as JoinError where error.hasEarlierSecret {
            do {
                let seating = try await once()
                turnBack(wasTaken: true)
                return seating
            } catch {
                turnBack(wasTaken: false)
                throw error
            }
        }
    }

    private func askOnce(
        atAnyOf ways: [Endpoint], expecting expectation: ExpectedRoom, trust: Trust, known: KnownHosts,
        limits: AnswerLimits, hasAsked: Watched<Bool>?, deadline: ContinuousClock.Instant
    ) async throws -> Seating {
        let pin = expectation.pin
        return try await withThrowingTaskGroup(of: Knock.self) { knocks in
            func knock(at endpoint: Endpoint, after pause: Duration, isFirst: Bool) {
                knocks.addTask {
                    try await Task.sleep(for: pause)
                    do {
                        let door = try await self.knock(at: endpoint, expecting: pin, limits: limits)
                        return Knock(endpoint: endpoint, isFirst: isFirst, outcome: .success(door))
                    } catch let error as JoinError {
                        return Knock(endpoint: endpoint, isFirst: isFirst, outcome: .failure(error))
                    }
                }
            }
            for (place, endpoint) in ways.enumerated() {
                knock(at: endpoint, after: Self.stagger * place, isFirst: true)
            }
            var unheard = ways.count
            var toTell: JoinError?
            var seating: Seating?
            var deadline = deadline
            while seating == nil, unheard > 0, ContinuousClock.now < deadline, let heard = try await knocks.next() {
                if heard.isFirst { unheard -= 1 }
                do {
                    let door = try heard.outcome.get()
                    seating = try await ask(
                        at: door, expecting: expectation, trust: trust, known: known, limits: limits,
                        hasAsked: hasAsked, deadline: &deadline)
                } catch let error as JoinError where error.isOfOneAddress {
                    if error.weight > toTell?.weight ?? -1 { toTell = error }
                    if error.isAbsence { knock(at: heard.endpoint, after: Self.pause, isFirst: false) }
                } catch {
                    await Self.hangUp(&knocks)
                    throw error
                }
            }
            await Self.hangUp(&knocks)
            guard let seating else {
                throw toTell ?? JoinError(.timedOut, "there was no answer in time; try again, or wait longer")
            }
            return seating
        }
    }

    /// What came of knocking at one address.
    private struct Knock: Sendable {
        var endpoint: Endpoint
        /// For the first time in this round, not again.
        var isFirst: Bool
        var outcome: Swift.Result<OpenDoor, JoinError>
    }

    /// Lets go of the doors that nobody went through.
    private static func hangUp(_ knocks: inout ThrowingTaskGroup<Knock, any Error>) async {
        knocks.cancelAll()
        while let result = await knocks.nextResult() {
            guard case .success(let knock) = result, case .success(let door) = knock.outcome else { continue }
            await door.connection.close()
        }
    }
}
