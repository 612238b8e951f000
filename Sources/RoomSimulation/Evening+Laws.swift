import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

/// What must hold at every step of every evening.
extension Evening {
    mutating func checkLaws() {
        for problem in takeProblems() { report.broken(problem) }
        guard now >= lawsDueAt, host.isSettled else { return }
        lawsDueAt = now + .milliseconds(250)
        pushes.settle(now: now)
        lessons.settle(now: now, pushes)
        taps.settle(now: now, pushes)
        let reports = host.engine.coordinator.reports(now: now)
        let seats = plan.configuration.room.seats
        if Set(reports.map(\.seat)).count != reports.count { report.broken("two controllers own one seat") }
        if plan.configuration.room.mode == .competitive, Set(reports.map(\.player)).count != reports.count {
            report.broken("two controllers drive one player")
        }
        if Set(reports.map(\.controller)).count != reports.count { report.broken("one controller owns two seats") }
        if reports.contains(where: { !(1...seats).contains($0.seat) }) { report.broken("there is no such seat") }
        if host.engine.coordinator.freeSeats + reports.count > seats { report.broken("more seats than there are") }
        if Set(reports.map(\.controller)) != events.present { report.broken("who is told to be here is not who sits") }
        let room = host.engine.coordinator
        let isWaiting = room.newcomers.contains { $0.place != nil && $0.isPresent }
        if isWaiting, room.freeSeats > 0, !room.isLocked { report.broken("a seat is free, and somebody waits for one") }
        if room.newcomers.filter({ $0.place != nil }).map(\.controller) != events.queue {
            report.broken("who is told to queue is not who queues, or not in this order")
        }
        for newcomer in room.newcomers where newcomer.place != nil {
            if reports.contains(where: { $0.controller == newcomer.controller }) {
                report.broken("\(newcomer.name) waits for a seat and has one")
            }
        }
        for (what, count, most) in host.engine.load where count > most {
            report.broken("\(count) \(what) are kept, at most \(most) may be")
        }
        for report in reports { judge(report) }
        judgeDeparted()
        for problem in timing.problems(reports, now) { report.broken(problem) }
        let booked = host.engine.classified(now: now)
        if booked != arrivals { report.broken("\(arrivals) datagrams arrived, \(booked) are booked") }
    }

    private mutating func takeProblems() -> [String] {
        events.takeProblems() + pushes.takeProblems() + line.takeProblems() + lessons.takeProblems()
            + nonces.takeProblems() + dives.takeProblems() + taps.takeProblems()
    }

    /// One lease's ledgers against the truth; of a guest who lies about everything only that they balance.
    mutating func judge(_ peer: PeerReport) {
        guard peer.controller != guest.id else {
            if !peer.epoch.isBalanced { report.broken("the hostile guest's ledger does not balance") }
            return
        }
        guard peer.transport != .legacy else { return judgeLegacy(peer) }
        guard let truth = books[peer.peer] else {
            // Kept over the host's restart, and not come back.
            if peer.datagrams.authenticated > 0 { report.broken("\(peer.name) has no books in the truth") }
            return
        }
        judge(peer, by: truth)
    }

    private mutating func judge(_ peer: PeerReport, by truth: LeaseBooks) {
        for difference in truth.differences(peer) { report.broken(difference) }
        switch peer.agreement {
        case .contradicted(let how): report.broken("\(peer.name) and the host contradict each other: \(how)")
        case .confirmed:
            report.note("accounts confirmed")
            if !truth.hasSaidGoodbye { report.broken("\(peer.name) is confirmed without a goodbye") }
        case .unconfirmed(let why):
            // One program that was heard to the end, and whose every joining was heard of, is believed.
            if truth.hasSaidGoodbye, truth.programs == 1, peer.datagrams.rateLimited == 0,
                UInt64(truth.linkCount) == peer.datagrams.epochs
            {
                report.broken("\(peer.name) said goodbye, and yet: \(why)")
            }
        }
    }

    /// The accounts of those who left, once nothing of theirs can come any more.
    mutating func judgeDeparted() {
        while let first = closing.first, first.until <= now {
            closing.removeFirst()
            let found = host.engine.departed.last { $0.report.connection == first.books.connection }
            guard let found else { continue }
            judge(found.report, by: first.books)
        }
    }

    private mutating func judgeLegacy(_ peer: PeerReport) {
        guard let legacy, peer.address == legacy.address else { return }
        let found =
            peer.datagrams.unique + peer.datagrams.duplicate + peer.datagrams.tooOld + peer.datagrams.rateLimited
        if found > legacy.sent { report.broken("\(legacy.sent) unsealed frames were sent, \(found) are booked") }
        if peer.agreement == .confirmed { report.broken("nobody can confirm frames without numbers") }
    }

    func isHonest(_ id: ControllerID) -> Bool { controllers.contains { $0.id == id } }

    /// The controller that sits where this player does.
    func seatedOn(_ player: PlayerNumber) -> ControllerID? {
        host.engine.coordinator.sitters.first { $0.player == player }?.controller
    }

    /// A seat is lost when its time of silence is over, and not before; unless its controller said that it pauses.
    mutating func judge(_ change: RoomEvent.Player) {
        guard let id = change.controllers.first else { return }
        if change.state == .joined { joinedAt[id] = now }
        if change.state == .left {
            // Who is moved leaves a player too, and keeps what it was taught.
            let hasSeat = host.engine.coordinator.sitters.contains { $0.controller == id }
            lessons.left(id, isGone: !hasSeat)
        }
        // Who is moved while it is lost joins elsewhere, and is lost there at once.
        guard change.state == .lost, joinedAt[id] != now, let place = controllers.firstIndex(where: { $0.id == id }),
            !controllers[place].hasPaused(within: .seconds(40), now),
            let connection = host.engine.coordinator.reports(now: now).first(where: { $0.controller == id })?.connection
        else { return }
        let idle = plan.configuration.room.idleTimeout
        for problem in timing.lost(connection, after: idle, now) { report.broken("\(change.name): \(problem)") }
    }

    /// A device is as deep as was told, as long as nobody sets its clock.
    mutating func judge(_ event: SubmersionEvent, of id: ControllerID) {
        guard let place = controllers.firstIndex(where: { $0.id == id }), let dive = controllers[place].dive,
            !controllers[place].clockWasSet(within: .seconds(20), now)
        else { return }
        dives.told(event, of: id, dive)
    }

    /// A haptic was played when its controller says, within what the room admits not to know.
    mutating func judge(_ haptic: RoomEvent.Haptic) {
        if case .played(_, let latency?) = haptic.outcome, let gesture = latency.gesture { taps.answered(gesture) }
        guard case .played(let at, let latency?) = haptic.outcome, let span = latency.played,
            let place = controllers.firstIndex(where: { $0.id == haptic.controller }),
            let truth = controllers[place].played[haptic.id], !controllers[place].clockWasSet(within: .seconds(8), now)
        else { return }
        let error = at.distance(to: truth)
        if error > span.uncertainty + .microseconds(2) {
            report.broken("haptic \(haptic.id) is told \(error) from the truth, ± \(span.uncertainty)")
        }
        report.note("haptics judged")
    }

    /// The room closes; then nothing may be left.
    mutating func close() {
        // Who came from the queue when all had gone sits still: what they have begun ends with the room, unsaid.
        let isEmpty = host.engine.coordinator.reports(now: now).isEmpty
        host.handle(.close(backIn: nil), at: now)
        for _ in 0..<100 {
            serve()
            if host.engine.hasSaidGoodbye { break }
            now = now + .milliseconds(10)
        }
        now = now + LeaseBooks.drainTime
        serve()
        judgeDeparted()
        if isEmpty, events.openGestures > 0 {
            report.broken("gestures began and never ended: \(events.openNames), \(plan.configuration.room.mode)")
        }
        if !waitingRequests.isEmpty { report.broken("\(waitingRequests.count) questions were never answered") }
        for (conversation, count) in finals where count != 1 {
            report.broken("invitation \(conversation.rawValue) got \(count) final answers")
        }
        if offersOut != offersEnded { report.broken("\(offersOut.subtracting(offersEnded).count) offers never ended") }
        for problem in takeProblems() { report.broken(problem) }
        if !host.engine.hasSaidGoodbye { report.broken("the room never said goodbye") }
    }
}
