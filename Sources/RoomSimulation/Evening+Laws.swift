import RoomEngine
import SessionCoordinator
import WireProtocol

/// What must hold at every step of every evening.
extension Evening {
    mutating func checkLaws() {
        for problem in events.takeProblems() + pushes.takeProblems() { report.broken(problem) }
        guard now >= lawsDueAt, host.isSettled else { return }
        lawsDueAt = now + .milliseconds(250)
        pushes.settle(now: now)
        let reports = host.engine.coordinator.reports(now: now)
        let seats = plan.configuration.room.seats
        if Set(reports.map(\.seat)).count != reports.count { report.broken("two controllers own one seat") }
        if Set(reports.map(\.player)).count != reports.count { report.broken("two controllers drive one player") }
        if Set(reports.map(\.controller)).count != reports.count { report.broken("one controller owns two seats") }
        if reports.contains(where: { !(1...seats).contains($0.seat) }) { report.broken("there is no such seat") }
        if host.engine.coordinator.freeSeats + reports.count > seats { report.broken("more seats than there are") }
        if reports.map(\.player).sorted() != events.present { report.broken("who is told to be here is not who sits") }
        for (what, count, most) in host.engine.load where count > most {
            report.broken("\(count) \(what) are kept, at most \(most) may be")
        }
        for report in reports { judge(report) }
        let strangers = host.engine.coordinator.strangers
        let booked = (reports + host.engine.departed.map(\.report)).reduce(
            strangers.badAuth + strangers.unknown + strangers.malformed
        ) { $0 + $1.datagrams.authenticated }
        if booked != arrivals { report.broken("\(arrivals) datagrams arrived, \(booked) are booked") }
    }

    /// One lease's ledgers against the truth; of a guest who lies about everything only that they balance.
    mutating func judge(_ peer: PeerReport) {
        guard peer.controller != guest.id else {
            if !peer.epoch.isBalanced { report.broken("the hostile guest's ledger does not balance") }
            return
        }
        guard let truth = books[peer.peer] else {
            // Kept over the host's restart, and not come back.
            if peer.datagrams.authenticated > 0 { report.broken("\(peer.name) has no books in the truth") }
            return
        }
        for difference in truth.differences(peer) { report.broken(difference) }
    }

    /// The room closes; then nothing may be left.
    mutating func close() {
        host.handle(.close, at: now)
        for _ in 0..<100 {
            serve()
            if host.engine.hasSaidGoodbye { break }
            now = now + .milliseconds(10)
        }
        if events.openGestures > 0 { report.broken("\(events.openGestures) gestures began and never ended") }
        if !waitingRequests.isEmpty { report.broken("\(waitingRequests.count) questions were never answered") }
        for (conversation, count) in finals where count != 1 {
            report.broken("invitation \(conversation.rawValue) got \(count) final answers")
        }
        if offersOut != offersEnded { report.broken("\(offersOut.subtracting(offersEnded).count) offers never ended") }
        for problem in events.takeProblems() + pushes.takeProblems() { report.broken(problem) }
        if !host.engine.hasSaidGoodbye { report.broken("the room never said goodbye") }
    }
}
