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
    /// Once a room was heard of, its other addresses and its namesakes are waited for so long.
    private static let settling = Duration.milliseconds(400)

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
                return try await joinWhereAnnounced(
                    name, expecting: expectation, trust: trust, known: known, deadline: deadline)
            } catch let error as JoinError
                where error.code == .notFound || error.code == .cannotSearch || error.isOfOneAddress
            {
                // What is announced leads nowhere, or to somebody else; the room itself may be where it was.
                return try await askWhereItWas(
                    name, expecting: expectation, trust: trust, known: known, deadline: deadline, otherwise: error)
            }
        }
        let seating = try await ask(
            atAnyOf: ways, expecting: expectation, trust: trust, known: known, deadline: deadline)
        return (seating, ways)
    }

    /// Joins the room of that name at the addresses that are announced: at the first as soon as it is heard, if what is
    /// known says that it is the one.
    ///
    /// - Throws: ``JoinError``, `notFound`, `cannotSearch` and `ambiguous` among its kinds, or `CancellationError`.
    private func joinWhereAnnounced(
        _ name: String, expecting expectation: ExpectedRoom, trust: Trust, known: KnownHosts,
        deadline: ContinuousClock.Instant
    ) async throws -> (seating: Seating, ways: [Endpoint]) {
        let isRemembered = !known.entries(named: name).isEmpty
        let limit = min(isRemembered ? Self.rememberedSearchLimit : Self.searchLimit, options.timeout)
        let choice = RoomChoice(name: name, pin: expectation.pin, known: known)
        return try await withBrowser { browser in
            let finding = await browser.finding(of: name, timeout: limit, settling: Self.settling) {
                choice.isSettled(by: $0.rooms(named: name))
            }
            let ways = try choice.ways(from: finding)
            // What was seen is seen still once it has stopped.
            let heard: @Sendable () -> [Endpoint] = {
                (try? choice.ways(from: browser.snapshot().finding(of: name))) ?? []
            }
            // Who was not known was settled for already.
            let isEarly = choice.isSettled(by: finding.matches)
            if !isEarly { await browser.stop() }
            let further: @Sendable () async -> [Endpoint] = { await Self.settled(browser, heard) }
            let seating = try await ask(
                atAnyOf: ways, further: isEarly ? further : nil, expecting: expectation, trust: trust, known: known,
                deadline: deadline)
            return (seating, ways + heard().filter { !ways.contains($0) })
        }
    }

    /// What was heard of a room once all of it should have been. Nobody is looked for any more then: whoever waits for a
    /// seat may wait for hours.
    private static func settled(_ browser: RoomBrowser, _ heard: () -> [Endpoint]) async -> [Endpoint] {
        try? await Task.sleep(for: settling)
        let ways = heard()
        await browser.stop()
        return ways
    }

    /// A browser for as long as `body` takes, or until it stops it.
    private func withBrowser<Result>(_ body: (RoomBrowser) async throws -> Result) async throws -> Result {
        let browser = RoomBrowser(discovery: options.discovery)
        do {
            let result = try await body(browser)
            await browser.stop()
            return result
        } catch {
            await browser.stop()
            throw error
        }
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
            let moved: @Sendable (RoomSnapshot) -> [Endpoint] = { nearby in
                nearby.rooms.filter { $0.id.room.bytes == host.roomID.bytes && $0.id.pin?.bytes == host.pin.bytes }
                    .flatMap(\.ways).filter { !ways.contains($0) }
            }
            return try await withBrowser { browser in
                let finding = await browser.finding(
                    of: name ?? "", timeout: Self.shortSearchLimit, settling: Self.settling
                ) { !moved($0).isEmpty }
                let fresh = moved(finding.nearby)
                guard !fresh.isEmpty else { throw error }
                return try await ask(
                    atAnyOf: fresh, further: { await Self.settled(browser) { moved(browser.snapshot()) } },
                    expecting: expectation, trust: trust, known: KnownHosts(), limits: limits, hasAsked: hasAsked,
                    deadline: deadline)
            }
        }
    }

    /// Each further address is tried this much later, while none before has given a seat: a dead one costs as much, and
    /// one that opens and then says nothing costs no more (RFC 8305, with its order of ours).
    private static let stagger = Duration.milliseconds(150)

    /// While an address hangs, those where nobody was are tried again so often: of two hosts one may stand still, and the other
    /// be there only once the room is its own.
    private static let pause = Duration.milliseconds(500)

    /// The first of several addresses where the room gives a seat; by the earlier secret, where it knows no later one.
    ///
    /// - Parameter further: tells, once all of its addresses should have been heard, which were.
    private func ask(
        atAnyOf ways: [Endpoint], further: (@Sendable () async -> [Endpoint])? = nil,
        expecting expectation: ExpectedRoom, trust: Trust, known: KnownHosts, limits: AnswerLimits = AnswerLimits(),
        hasAsked: Watched<Bool>? = nil,
        deadline: ContinuousClock.Instant
    ) async throws -> Seating {
        func once() async throws -> Seating {
            try await askOnce(
                atAnyOf: ways, further: further, expecting: expectation, trust: trust, known: known, limits: limits,
                hasAsked: hasAsked, deadline: deadline)
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
        atAnyOf ways: [Endpoint], further: (@Sendable () async -> [Endpoint])?, expecting expectation: ExpectedRoom,
        trust: Trust, known: KnownHosts, limits: AnswerLimits, hasAsked: Watched<Bool>?,
        deadline: ContinuousClock.Instant
    ) async throws -> Seating {
        let pin = expectation.pin
        return try await withThrowingTaskGroup(of: Heard.self) { knocks in
            func knock(at endpoint: Endpoint, after pause: Duration, isFirst: Bool) {
                knocks.addTask {
                    try await Task.sleep(for: pause)
                    do {
                        let door = try await self.knock(at: endpoint, expecting: pin, limits: limits)
                        return .knock(Knock(endpoint: endpoint, isFirst: isFirst, outcome: .success(door)))
                    } catch let error as JoinError {
                        return .knock(Knock(endpoint: endpoint, isFirst: isFirst, outcome: .failure(error)))
                    }
                }
            }
            for (place, endpoint) in ways.enumerated() {
                knock(at: endpoint, after: Self.stagger * place, isFirst: true)
            }
            var unheard = ways.count
            if let further {
                unheard += 1
                knocks.addTask { .further(await further()) }
            }
            var toTell: JoinError?
            var seating: Seating?
            var deadline = deadline
            do {
                while seating == nil, unheard > 0, ContinuousClock.now < deadline, let heard = try await knocks.next() {
                    let knocked: Knock
                    switch heard {
                    case .further(let more):
                        let fresh = more.filter { !ways.contains($0) }
                        unheard += fresh.count - 1
                        for (place, endpoint) in fresh.enumerated() {
                            knock(at: endpoint, after: Self.stagger * place, isFirst: true)
                        }
                        continue
                    case .knock(let knock): knocked = knock
                    }
                    if knocked.isFirst { unheard -= 1 }
                    do {
                        let door = try knocked.outcome.get()
                        seating = try await ask(
                            at: door, expecting: expectation, trust: trust, known: known, limits: limits,
                            hasAsked: hasAsked, deadline: &deadline)
                    } catch let error as JoinError where error.isOfOneAddress {
                        if error.weight > toTell?.weight ?? -1 { toTell = error }
                        if error.isAbsence { knock(at: knocked.endpoint, after: Self.pause, isFirst: false) }
                    }
                }
            } catch {
                // A cancelled join too, whose waits end at once, has doors that open a moment later.
                await Self.hangUp(&knocks)
                throw error
            }
            await Self.hangUp(&knocks)
            guard let seating else {
                throw toTell ?? JoinError(.timedOut, "there was no answer in time; try again, or wait longer")
            }
            return seating
        }
    }

    private enum Heard: Sendable {
        case knock(Knock)
        case further([Endpoint])
    }

    /// What came of knocking at one address.
    private struct Knock: Sendable {
        var endpoint: Endpoint
        /// For the first time in this round, not again.
        var isFirst: Bool
        var outcome: Swift.Result<OpenDoor, JoinError>
    }

    /// Lets go of the doors that nobody went through.
    private static func hangUp(_ knocks: inout ThrowingTaskGroup<Heard, any Error>) async {
        knocks.cancelAll()
        while let result = await knocks.nextResult() {
            guard case .success(.knock(let knock)) = result, case .success(let door) = knock.outcome else { continue }
            await door.connection.close()
        }
    }
}
