package import Connections
import Datagrams
import Identity
import PeerDiscovery
import WireProtocol

/// From what a person knows of a room to a seat in it.
extension Applicant {
    /// How long a room is looked for by name, and where a ticket's addresses may be old.
    private static let searchLimit = Duration.seconds(5)
    /// The same, where there is an address to fall back on.
    private static let rememberedSearchLimit = Duration.milliseconds(2_500)
    /// How long a room is looked for beside its known addresses at each attempt to come back, and after what time: one that is
    /// there mostly answers before.
    private static let furtherSearchLimit = Duration.seconds(2)
    private static let furtherSearchDelay = Duration.seconds(1)
    /// Once a room was heard of, its other addresses and its namesakes are waited for so long.
    private static let settling = Duration.milliseconds(400)

    /// Joins: looks for the room if only its name is known, and tries its addresses in order.
    ///
    /// - Throws: ``JoinError``, or `CancellationError`.
    package func join(_ address: RoomAddress, trust: Trust) async throws -> (seating: Seating, ways: [Endpoint]) {
        var errand = Errand(
            expectation: ExpectedRoom(), trust: trust, known: try knownHosts(), deadline: .now + options.timeout)
        if case .fingerprint(let pin) = trust { errand.expectation.pin = pin }
        switch address {
        case .direct(let host, let port):
            guard (1...0xFFFF).contains(port), !host.isEmpty else {
                throw JoinError(.badOptions, "an address is HOST:PORT, with a port from 1 to 65535")
            }
            let ways = [Endpoint(host: host, port: port)]
            return (try await ask(atAnyOf: ways, errand), ways)
        case .ticket(let ticket):
            guard errand.expectation.pin ?? ticket.pin == ticket.pin else {
                throw JoinError(.untrusted, "the ticket is for a host with another fingerprint", pin: ticket.pin)
            }
            errand.expectation = ExpectedRoom(
                name: ticket.room, pin: ticket.pin, roomID: ticket.roomID, isMoved: options.called?.isMoved == true)
            let ways = ticket.addresses.map { Endpoint(host: $0.host, port: Int($0.port)) }
            let host = HostIdentity(roomID: ticket.roomID, pin: ticket.pin, name: ticket.room)
            let further = search(beside: ways, for: host, within: Self.searchLimit)
            return (try await ask(atAnyOf: ways, further: further, errand), ways)
        case .named(let name):
            errand.expectation.name = name
            do {
                return try await joinWhereAnnounced(name, errand)
            } catch let error as JoinError
                where error.code == .notFound || error.code == .cannotSearch || error.isOfOneAddress
            {
                // What is announced leads nowhere, or to somebody else; the room itself may be where it was.
                return try await askWhereItWas(name, errand, otherwise: error)
            }
        }
    }

    /// Joins the room of that name at the addresses that are announced: at the first as soon as it is heard, if what is
    /// known says that it is the one.
    ///
    /// - Throws: ``JoinError``, `notFound`, `cannotSearch` and `ambiguous` among its kinds, or `CancellationError`.
    private func joinWhereAnnounced(
        _ name: String, _ errand: Errand
    ) async throws -> (seating: Seating, ways: [Endpoint]) {
        guard options.discovery != .none else { throw RoomChoice.cannotSearch("discovery is off") }
        let isRemembered = !errand.known.entries(named: name).isEmpty
        let limit = min(isRemembered ? Self.rememberedSearchLimit : Self.searchLimit, options.timeout)
        let choice = RoomChoice(name: name, pin: errand.expectation.pin, known: errand.known)
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
            let seating = try await ask(atAnyOf: ways, further: isEarly ? further : nil, errand)
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
        _ name: String, _ errand: Errand, otherwise: JoinError
    ) async throws -> (seating: Seating, ways: [Endpoint]) {
        try Task.checkCancellation()
        let pin = errand.expectation.pin
        let remembered = errand.known.entries(named: name).filter { pin ?? $0.pin == $0.pin }
        var failures: [String] = []
        for entry in remembered {
            guard let address = Ticket.Address(entry.lastAddress) else { continue }
            let ways = [Endpoint(host: address.host, port: Int(address.port))]
            var errand = errand
            errand.expectation = ExpectedRoom(name: name, pin: entry.pin, roomID: entry.roomID)
            do {
                return (try await ask(atAnyOf: ways, errand), ways)
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

    /// Asks for the seat again, at the addresses known and where the room is announced now.
    ///
    /// - Parameter hasAsked: told from when to when the host has an invitation that it has not answered.
    /// - Throws: ``JoinError``, or `CancellationError`.
    func comeBack(
        to host: HostIdentity, by ways: [Endpoint], limits: AnswerLimits, hasAsked: Watched<Bool>
    ) async throws -> Seating {
        let errand = Errand(
            expectation: ExpectedRoom(name: host.name, pin: host.pin, roomID: host.roomID),
            trust: .fingerprint(host.pin), limits: limits, hasAsked: hasAsked, deadline: .now + options.timeout)
        let further = search(beside: ways, for: host, within: Self.furtherSearchLimit)
        return try await ask(atAnyOf: ways, further: further, errand)
    }

    /// Looks where else the room is announced, whose host may have another address by now, or another port; `nil` where
    /// nothing is looked for.
    private func search(
        beside ways: [Endpoint], for host: HostIdentity, within limit: Duration
    ) -> (@Sendable () async -> [Endpoint])? {
        let discovery = options.discovery
        guard discovery != .none else { return nil }
        let elsewhere: @Sendable (RoomSnapshot) -> [Endpoint] = { nearby in
            nearby.rooms.filter { $0.id.room == host.roomID && $0.id.pin == host.pin }
                .flatMap(\.ways).filter { !ways.contains($0) }
        }
        return { [handshakes] in
            guard (try? await Task.sleep(for: Self.furtherSearchDelay)) != nil else { return [] }
            // A host that gets no processor time is there, and is not asked the same at all of its addresses.
            guard await handshakes.first(where: { $0 == 0 }) != nil else { return [] }
            let browser = RoomBrowser(discovery: discovery, asksRooms: false)
            let finding = await browser.finding(
                of: host.name, timeout: limit, settling: limit
            ) { !elsewhere($0).isEmpty }
            guard elsewhere(finding.nearby).isEmpty else {
                return await Self.settled(browser) { elsewhere(browser.snapshot()) }
            }
            await browser.stop()
            return []
        }
    }

    /// The first of several addresses where the room gives a seat; by the earlier secret, where it knows no later one.
    ///
    /// - Parameter further: tells, once all of its addresses should have been heard, which were.
    private func ask(
        atAnyOf ways: [Endpoint], further: (@Sendable () async -> [Endpoint])? = nil, _ errand: Errand
    ) async throws -> Seating {
        let round = DoorRound { [self] endpoint in
            try await knock(at: endpoint, expecting: errand.expectation.pin, limits: errand.limits)
        } close: { door in
            await door.connection.close()
        }
        func once() async throws -> Seating {
            try await round.enter(ways, further: further, by: errand.deadline) { door, deadline in
                try await ask(
                    at: door, expecting: errand.expectation, trust: errand.trust, known: errand.known,
                    limits: errand.limits, hasAsked: errand.hasAsked, deadline: &deadline)
            }
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
}

/// What one asks a room for, at however many of its addresses.
private struct Errand: Sendable {
    var expectation: ExpectedRoom
    var trust: Trust
    var known = KnownHosts()
    var limits = AnswerLimits()
    /// Told from when to when the host has an invitation that it has not answered.
    var hasAsked: Watched<Bool>?
    var deadline: ContinuousClock.Instant
}
