import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

extension Evening {
    /// What somebody does, or what befalls them.
    enum Deed: Sendable {
        /// A hand pushes its controller.
        case push(Int)
        /// The controller's network is cut, or whole again.
        case cut(Int)
        case heal(Int)
        /// Another network from now on.
        case weather(Int)
        /// Another address.
        case roam(Int)
        /// The program dies, and comes back on a clock that may stand anywhere.
        case crash(Int)
        /// The device slept: its clock leapt ahead.
        case clockLeaps(Int)
        /// The device's clock is set while it runs, ahead or back.
        case clockIsSet(Int)
        case pause(Int)
        case resume(Int)
        case leave(Int)
        case arrive(Int)
        case command(RoomCommand)
        case hostRestarts
        case hostSleeps
        /// The host's own invitation to somebody who is away.
        case offer(Int)
        /// Bytes from nowhere.
        case garbage
        /// The hostile guest asks for a seat, or uses the one it has.
        case hostility
    }

    mutating func drawDeed() -> Deed {
        let place = Int(random.next() % UInt64(controllers.count))
        switch random.next() % 100 {
        case 0..<38: return .push(place)
        case 38..<43: return .cut(place)
        case 43..<46: return .weather(place)
        case 46..<50: return .roam(place)
        case 50..<54: return .crash(place)
        case 54..<55: return .clockLeaps(place)
        case 55..<56: return .clockIsSet(place)
        case 56..<58: return .pause(place)
        case 58..<60: return .leave(place)
        case 60..<68: return .arrive(place)
        case 68..<69: return random.chance(0.5) ? .hostRestarts : .hostSleeps
        case 69..<70: return .offer(place)
        case 70..<80 where plan.isHostile: return random.chance(0.3) ? .garbage : .hostility
        default: return .command(drawCommand())
        }
    }

    mutating func carryOut(_ deed: Deed) {
        switch deed {
        case .push(let place): push(place)
        case .cut(let place): cut(place)
        case .heal(let place):
            controllers[place].isUp = true
            // Only now can the host learn of it.
            if controllers[place].clockWasSet(within: .seconds(30), now) { controllers[place].clockSetAt = now }
            pushes.disturb(controllers[place].id, now: now, until: now + .seconds(1))
        case .weather(let place): change(place)
        case .roam(let place):
            guard !controllers[place].transport.isReliable else { return }
            controllers[place].address.port = UInt16(20_000 + random.next() % 40_000)
            report.note("roams")
        case .crash(let place): crash(place)
        case .clockLeaps(let place):
            guard controllers[place].stay == .seated else { return }
            controllers[place].clock.offset += Int64(1 + random.next() % 100) * 1_000_000_000
            controllers[place].clockSetAt = now
            pushes.beginsAnew(of: controllers[place].id, now: now)
            pushes.disturb(controllers[place].id, now: now, until: now + .seconds(1))
            report.note("clocks that leap")
        case .clockIsSet(let place):
            guard controllers[place].stay == .seated else { return }
            let size = Int64(200 + random.next() % (random.chance(0.5) ? 700 : 60_000)) * 1_000_000
            controllers[place].clock.offset += random.chance(0.5) ? size : -size
            controllers[place].clockSetAt = now
            pushes.beginsAnew(of: controllers[place].id, now: now)
            pushes.disturb(controllers[place].id, now: now, until: now + .seconds(2))
            report.note("clocks that are set")
        case .pause(let place): pause(place)
        case .resume(let place): resume(place)
        case .leave(let place): leave(place)
        case .arrive(let place): if controllers[place].stay == .away { controllers[place].stay = .asksAt(now) }
        case .command(let command): give(command)
        case .hostRestarts: if hostSleepsUntil == nil { restartHost() }
        case .hostSleeps:
            hostSleepsUntil = now + .milliseconds(Int64(200 + random.next() % 4_000))
            disturbAll(for: .seconds(6))
            report.note("host pauses")
        case .offer(let place): offer(place)
        case .garbage: throwGarbage()
        case .hostility: beHostile()
        }
    }

    private mutating func push(_ place: Int) {
        guard controllers[place].stay == .seated else { return }
        let at = now + .milliseconds(Int64(50 + random.next() % 300))
        guard controllers[place].drawings.isEmpty else { return }
        if let last = controllers[place].pushes.last, at - last < .milliseconds(1_500) { return }
        if let last = lastPush[controllers[place].id], at - last < .milliseconds(1_500) { return }
        let tap = controllers[place].knocks.last ?? controllers[place].finds.last?.at
        if let tap, at - tap < PushLaw.calm { return }
        lastPush[controllers[place].id] = at
        controllers[place].pushes.append(at)
    }

    private mutating func cut(_ place: Int) {
        guard controllers[place].isUp else { return }
        controllers[place].isUp = false
        let length = Duration.milliseconds(Int64(100 + random.next() % (random.chance(0.3) ? 14_000 : 2_000)))
        pushes.disturb(controllers[place].id, now: now, until: now + length + .seconds(1))
        put(.heal(place), at: now + length)
        // A stream that is cut for long breaks.
        if length > .seconds(2) { disconnect(place) }
        report.note("cuts")
    }

    private mutating func change(_ place: Int) {
        let text = EveningPlan.networks[Int(random.next() % UInt64(EveningPlan.networks.count))]
        guard let conditions = try? NetworkConditions(parsing: text) else { return }
        pushes.disturb(controllers[place].id, now: now, until: now + .milliseconds(500))
        // A stream keeps its order: its delay does not shrink under what is on its way.
        if !controllers[place].transport.isReliable { controllers[place].conditions = conditions }
    }

    private mutating func crash(_ place: Int) {
        guard controllers[place].stay == .seated else { return }
        disconnect(place)
        let magnitude = Int64(1) << Int64(random.next() % 60)
        var clock = controllers[place].clock
        clock.offset = max(-(1 << 61), min(1 << 61, clock.offset &+ (random.chance(0.5) ? magnitude : -magnitude)))
        clock.drift = (random.fraction() * 2 - 1) * 0.0002
        controllers[place].startAnew(clock, now: now)
        let away = Duration.milliseconds(Int64(random.next() % 6_000))
        controllers[place].stay = .asksAt(now + away)
        controllers[place].pushes = []
        controllers[place].drawings = []
        pushes.disturb(controllers[place].id, now: now, until: now + away + .milliseconds(500))
        report.note("programs that came back")
    }

    private mutating func pause(_ place: Int) {
        guard controllers[place].stay == .seated else { return }
        controllers[place].link.goodbye(.paused, now: controllers[place].clock.device(now))
        controllers[place].pausedAt = now
        controllers[place].nextSampleAt = nil
        let length = Duration.milliseconds(Int64(500 + random.next() % 20_000))
        pushes.disturb(controllers[place].id, now: now, until: now + length + .seconds(1))
        put(.resume(place), at: now + length)
        report.note("pauses")
    }

    private mutating func resume(_ place: Int) {
        pushes.disturb(controllers[place].id, now: now, until: now + .seconds(1))
        guard controllers[place].stay == .seated, controllers[place].link.state == .ended(.paused) else { return }
        // The device slept, and in some its clock with it: it stands elsewhere against the host's than before.
        if random.chance(0.5) {
            controllers[place].clock.drift = (random.fraction() * 2 - 1) * 0.0002
            controllers[place].clockSetAt = now
        }
        pushes.beginsAnew(of: controllers[place].id, now: now)
        controllers[place].link.resume(now: controllers[place].clock.device(now))
        if controllers[place].nextSampleAt == nil { controllers[place].nextSampleAt = now + .milliseconds(1) }
    }

    private mutating func leave(_ place: Int) {
        guard controllers[place].stay == .seated else { return }
        goHome(place)
        controllers[place].secret = nil
        report.note("goodbyes")
    }

    mutating func goHome(_ place: Int) {
        controllers[place].link.goodbye(.left, now: controllers[place].clock.device(now))
        controllers[place].nextSampleAt = nil
        controllers[place].pushes = []
        controllers[place].drawings = []
        controllers[place].stay = .away
        controllers[place].ticket = nil
        pushes.disturb(controllers[place].id, now: now)
    }

    mutating func disturbAll(for length: Duration) {
        for controller in controllers { pushes.disturb(controller.id, now: now, until: now + length) }
    }

    private mutating func put(_ deed: Deed, at time: HostTime) {
        let place = later.firstIndex { $0.at > time } ?? later.endIndex
        later.insert((time, deed), at: place)
    }
}
