import ControlPort
import Identity
import InputMerge
import Logging
import RoomEngine
import SessionCoordinator
import Synchronization
import WireProtocol

/// Other options for a room that is open.
extension Room {
    /// A change that was looked over, and waits to be made.
    package struct Change: Sendable {
        fileprivate let options: RoomOptions
        fileprivate let applyToFronts: @Sendable () -> Void
    }

    /// What serves browsers gets ready in this way for other options, until the room closes.
    package func prepareFronts(by preparation: @escaping FrontPreparation) {
        fronts.withLock { $0 = preparation }
    }

    /// Whoever asks for it has the configuration read anew in this way, until the room closes.
    package func reload(by reloading: @escaping Reloading) { self.reloading.withLock { $0 = reloading } }

    /// As many seats as the connections that this room may hold can serve.
    package var mostSeats: Int { max(conversations.capacity - 8, 1) }

    /// Looks over what is to change; nothing does before ``make(_:)``.
    ///
    /// Of these options the room takes over seats, policy, names, idle, grace, the reset after disuse, hours, the
    /// thresholds of gestures, contests but for their seed, what is played or served, its address for browsers, which
    /// pages may use it, and whether games at the loopback port need a token. All others stay as they are.
    ///
    /// - Throws: ``RoomError`` with code `badOption`: all of it stays as it was.
    package func prepare(_ wanted: RoomOptions) throws -> Change {
        var options = try self.options.taking(wanted)
        options.seats = min(options.seats, max(mostSeats, self.options.seats))
        return Change(options: options, applyToFronts: try fronts.withLock { $0 }?(options) ?? {})
    }

    /// Makes a change that was looked over.
    ///
    /// - Returns: the options as they are valid now: there may be more seats than were wanted, as nobody loses one.
    /// - Throws: ``RoomError`` when the room has closed.
    package func make(_ change: Change) async throws -> RoomOptions {
        var options = change.options
        if let words = options.spoiltContests, words != self.options.spoiltContests { logger.warning("\(words)") }
        var engine = standing.withLock { $0.engine }
        engine.apply(options.terms)
        // Whoever hears of the change asks at once: what is served and shown is the new by then.
        try stand(by: options, engine)
        change.applyToFronts()
        guard case .terms(let terms) = try await carryOut(.change(options.terms)) else { return self.options }
        options.seats = terms.seats
        engine.room.seats = terms.seats
        try stand(by: options, engine)
        // What is advertised says the policy and how many seats there are.
        if case .success(.status(let state)) = await ask(.status(minute: false)) {
            doorSign.note(freeSeats: state.freeSeats)
        }
        return options
    }

    private func stand(by options: RoomOptions, _ engine: EngineConfiguration) throws {
        try standing.withLock { standing throws in
            standing.ticket = try Self.ticket(foundation, at: standing.addresses, port: port, options)
            (standing.options, standing.engine) = (options, engine)
        }
        conversations.greet(with: Self.greeting(options, foundation))
    }

    /// Sends people to other addresses of its machine from now on. That is no event: who plays stays, and a game need not
    /// begin anew. Whoever shows the ticket asks for it again from time to time.
    func move(to addresses: [PeerAddress]) {
        let isOther: Bool
        do {
            isOther = try standing.withLock { standing throws -> Bool in
                let ticket = try Self.ticket(foundation, at: addresses, port: port, standing.options)
                defer { (standing.ticket, standing.addresses) = (ticket, addresses) }
                return ticket != standing.ticket
            }
        } catch {
            return logger.error("the room is not told to be at this machine's new addresses: \(error)")
        }
        guard isOther else { return }
        logger.notice("the room is at \(ticket.addresses.map(\.description).joined(separator: ", ")) now")
    }
}

extension RoomOptions {
    /// What of these the engine goes by, and takes over while people play.
    var terms: RoomTerms {
        let room = RoomConfiguration(
            seats: seats, policy: policy.core, idleTimeout: idle, graceTimeout: grace, names: names.core,
            idleReset: idleReset)
        return RoomTerms(EngineConfiguration(room: room, merge: merge))
    }

    /// What is watched for by the gestures' own key.
    private var ownGestures: [GestureDefinition] {
        bringsPapersJump ? merge.gestures.filter { $0.kind != .keepCalmJump } : merge.gestures
    }

    /// Whether these watch for the same by the same thresholds, as far as that is the gestures' own key to say.
    package func watchesFor(theSameAs others: RoomOptions) -> Bool { Set(ownGestures) == Set(others.ownGestures) }

    /// What these judge, and a room of other options does not watch for, in words; `nil` where it could judge all.
    package func unwatchedContest(in room: RoomOptions) -> String? {
        merge.contests.missing(from: room.merge.gestures, of: GestureDefinition.all + merge.gestures)
    }

    /// Which contests the room's own haptics spoil, in words; `nil` where they spoil none.
    package var spoiltContests: String? {
        let hidden = answersGesturesWithHaptics ? merge.contestsHiddenByHaptics : []
        if hidden.isEmpty { return nil }
        return "contests about \(hidden.map(\.rawValue).joined(separator: ", ")) want --no-haptic-answers: "
            + "what a controller's own haptic could have made is told later or not at all, and may have been first"
    }

    /// These, with what of others a room can take over while people play.
    ///
    /// - Throws: ``RoomError`` with code `badOption`.
    package func taking(_ wanted: RoomOptions) throws -> RoomOptions {
        if let problem = wanted.problem { throw RoomError(.badOption, problem) }
        var options = self
        options.seats = wanted.seats
        options.policy = wanted.policy
        options.names = wanted.names
        options.idle = wanted.idle
        options.grace = wanted.grace
        options.idleReset = wanted.idleReset
        options.hours = wanted.hours
        if Set(options.ownGestures.map(\.kind)) == Set(wanted.ownGestures.map(\.kind)) {
            options.merge.gestures = options.merge.gestures.map { own in
                wanted.merge.gestures.first { $0.kind == own.kind } ?? own
            }
        }
        let before = options.merge.contests
        options.merge.contests = wanted.merge.contests
        options.merge.contests.seed = before.seed
        // What this room does not watch for can be judged once it is opened anew.
        if wanted.unwatchedContest(in: options) != nil { options.merge.contests.gestures = before.gestures }
        options.play = wanted.play
        options.serve = wanted.serve
        options.allowedOrigins = wanted.allowedOrigins
        options.opensLoopback = wanted.opensLoopback
        options.url = wanted.url
        return options
    }
}
