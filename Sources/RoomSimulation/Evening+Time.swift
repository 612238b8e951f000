import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// How an evening passes.
extension Evening {
    mutating func run(until end: HostTime, withDeeds: Bool) {
        while report.violations.count < 20 {
            let next = nextEvent(withDeeds: withDeeds)
            guard next <= end else { break }
            // No two moments are closer than a microsecond: whatever is due always comes to its turn.
            now = max(next, now + .microseconds(1))
            step(withDeeds: withDeeds)
            steps += 1
            let seconds = (now - Self.start).wholeNanoseconds / 1_000_000_000 + 1
            guard steps < Int(seconds) * 4_000 * (controllers.count + 1) else {
                return report.broken("\(steps) steps in \(seconds) s: somebody is due all the time")
            }
        }
        now = max(now, end)
        step(withDeeds: withDeeds)
    }

    private func nextEvent(withDeeds: Bool) -> HostTime {
        var next = HostTime.distantFuture
        if withDeeds { next = min(next, nextDeedAt, nextLessonAt, nextTapAt) }
        if let first = later.first { next = min(next, first.at) }
        if let wakes = hostSleepsUntil {
            next = min(next, wakes)
        } else if let due = host.engine.nextDeadline {
            next = min(next, due)
        }
        for place in controllers.indices {
            guard let time = controllers[place].nextEvent else { continue }
            next = min(next, hostSleepsUntil == nil ? time : max(time, now + .milliseconds(1)))
        }
        if let legacy, hostSleepsUntil == nil { next = min(next, legacy.nextAt) }
        return next
    }

    private mutating func step(withDeeds: Bool) {
        while let first = later.first, first.at <= now {
            later.removeFirst()
            carryOut(first.deed)
        }
        if withDeeds, now >= nextDeedAt {
            carryOut(drawDeed())
            nextDeedAt = now + .milliseconds(Int64(20 + random.next() % 600))
        }
        if withDeeds, now >= nextLessonAt { teachSomebody() }
        if withDeeds, now >= nextTapAt { tapSomebody() }
        for place in controllers.indices {
            readSensor(place)
            controllers[place].hear(now: now)
            controllers[place].send(now: now)
            controllers[place].joinAgainIfQuiet(now: now)
        }
        if let wakes = hostSleepsUntil {
            guard now >= wakes else { return }
            hostSleepsUntil = nil
            timing.hostWoke(now)
        }
        deliverToHost()
        sendLegacy()
        for place in controllers.indices { if case .asksAt(let at) = controllers[place].stay, at <= now { ask(place) } }
        serve()
        checkLaws()
    }

    private mutating func readSensor(_ place: Int) {
        controllers[place].readSensor(now: now)
        for find in controllers[place].takeFinds() { note(find, of: place) }
        guard let shown = controllers[place].shownPush else { return }
        controllers[place].shownPush = nil
        // Whoever does not hear the host may be speaking to nobody, and notices only after a while (``SilenceLimit``).
        let isHeard = controllers[place].stay == .seated && controllers[place].silence(now) < .seconds(1)
        if !isHeard { pushes.disturb(controllers[place].id, now: now) }
        pushes.pushed(
            controllers[place].id, at: shown, losesMuch: controllers[place].conditions.loss > 0.1,
            isPress: controllers[place].presses)
        report.note(controllers[place].presses ? "presses" : "pushes")
    }
}
