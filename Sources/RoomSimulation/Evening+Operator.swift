import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// What the operator does, and whom the host invites.
extension Evening {
    mutating func drawCommand() -> RoomCommand {
        let who = random.chance(0.9) ? "P\(1 + random.next() % 8)" : "nobody"
        switch random.next() % 24 {
        case 0, 1: return .peers(nil, minute: true)
        case 2: return .peers(who, minute: false)
        case 3: return .status(minute: true)
        case 4: return .frames(nil)
        case 5: return .departed
        case 6, 7: return .accept(nil)
        case 8: return .accept(controllers[Int(random.next() % UInt64(controllers.count))].id.description)
        case 9: return .decline(nil, message: nil)
        case 10: return .kick(who, message: "enough")
        case 11: return .lock
        case 12, 13: return .unlock
        case 14: return .identify(who)
        case 15: return .rezero(who)
        case 16: return .move(who, seat: Int(random.next() % 9))
        case 17: return .swap(who, "P1")
        case 18: return .rename(who, to: "Name \(random.next() % 5)")
        case 19:
            return .play(who, intensity: 1, sharpness: random.fraction(), duration: .milliseconds(60), answering: nil)
        case 20: return .send([1, 2, 3], who)
        case 21: return .teaching(.taught(nil))
        case 22: return .teaching(.sensitivity(who, 0.9 + random.fraction() * 0.2))
        default: return .motion(of: 1)
        }
    }

    mutating func give(_ command: RoomCommand) {
        guard hostSleepsUntil == nil else { return }
        requests += 1
        let request = RequestID(rawValue: requests)
        waitingRequests.insert(request)
        // Whom a command touches is the host's business: everyone may be whom it moves, shakes or throws out.
        switch command {
        case .accept: line.isMeddledWith()
        default: break
        }
        switch command {
        case .move, .swap, .kick, .play, .rezero, .teaching(.sensitivity):
            disturbAll(for: .milliseconds(700))
            for controller in controllers { pushes.beginsAnew(of: controller.id, now: now) }
        default: break
        }
        host.handle(.command(command, request), at: now)
        serve()
        report.note("commands")
    }

    mutating func offer(_ place: Int) {
        guard hostSleepsUntil == nil, controllers[place].stay == .away else { return }
        requests += 1
        waitingRequests.insert(RequestID(rawValue: requests))
        let id = OfferID(rawValue: requests)
        let terms = OfferTerms(
            id: id, controller: controllers[place].id, seat: nil, ticketHash: Self.hash("ticket \(requests)"),
            timeout: .seconds(Int64(1 + random.next() % 20)))
        host.handle(.command(.offer(terms), RequestID(rawValue: requests)), at: now)
        host.turn(now)
        if case .success(.offer(let standing)) = host.answers[RequestID(rawValue: requests)], standing == id {
            offersOut.insert(id)
            // Most come, by the ticket that they were given.
            if random.chance(0.6) {
                controllers[place].ticket = "ticket \(requests)"
                controllers[place].stay = .asksAt(now + .milliseconds(Int64(random.next() % 3_000)))
                report.note("tickets")
            }
        }
        serve()
        report.note("offers")
    }
}
