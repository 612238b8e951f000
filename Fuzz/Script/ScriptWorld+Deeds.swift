import ControllerSession
import RoomSimulation
import SessionCoordinator
import WireProtocol

extension ScriptWorld {
    /// Does what the script says next.
    mutating func act(_ script: inout ScriptReader) {
        let deed = script.byte()
        let place = Int(deed >> 5) % pads.count
        switch deed & 31 {
        case 0, 1: pads[place].flows.toggle()
        case 2: pass(script.duration())
        case 3: stand(script.duration())
        case 4: pads[place].sample(1 + script.number(below: 100), now: now)
        case 5: pads[place].nextSampleAt = pads[place].nextSampleAt == nil ? now : nil
        case 6...12: network(deed & 31, place, &script)
        case 13...19: controller(deed & 31, place, &script)
        case 20...26: operate(deed & 31, place, &script)
        case 27: restartHost()
        case 28: pads[place].clock.offset += script.duration().wholeNanoseconds
        case 29: stray(script.take(40), from: .lan(66))
        case 30: deliverUp(place, script.number(below: 48), age: script.duration())
        default: script.byte() == 7 ? close() : pass(script.duration())
        }
        step()
    }

    /// The host stands still, and then has one moment.
    private mutating func stand(_ duration: Duration) {
        now = now + duration
        serve()
    }

    private mutating func network(_ deed: UInt8, _ place: Int, _ script: inout ScriptReader) {
        let choice = script.number(below: 48)
        switch deed {
        case 6: deliverUp(place, choice)
        case 7: deliverUp(place, choice, isCopy: true)
        case 8: deliverUp(place, choice, source: .lan(UInt8(60 + choice % 3)), isCopy: choice & 4 == 0)
        case 9: deliverDamaged(place, choice, bit: UInt64(script.byte()) << 6 | UInt64(script.byte()))
        case 10: deliverDown(place, choice, isCopy: choice & 1 == 1)
        case 11: deliverDown(place, choice, bit: UInt64(script.byte()) << 6 | UInt64(script.byte()))
        default:
            if choice & 1 == 0 { pads[place].up.removeAll() } else { pads[place].down.removeAll() }
        }
    }

    private mutating func controller(_ deed: UInt8, _ place: Int, _ script: inout ScriptReader) {
        let time = pads[place].clock.device(now)
        switch deed {
        case 13: join(place, secret: pads[place].seated?.secret)
        case 14:
            let how = script.byte()
            // With a secret of its own, another's, none or a wrong one; with the code or without; heard or not.
            let secrets = [pads[place].seated?.secret, pads[0].seated?.secret, nil, String(repeating: "a", count: 64)]
            join(
                place, code: how & 4 == 0 ? "ABC" : how & 8 == 0 ? nil : "XYZ", secret: secrets[Int(how & 3)],
                isHeard: how & 16 == 0)
        case 15: pads[place].restart(keepsSecret: script.flag(), now: now)
        case 16: pads[place].link.goodbye(script.flag() ? .left : .paused, now: time)
        case 17: pads[place].link.resume(now: time)
        case 18: pads[place].address.port &+= 1
        default:
            let size = script.number(below: 200)
            if size % 3 == 0 {
                try? pads[place].link.sendNewest(Array(repeating: 7, count: size), channel: UInt8(size % 20))
            } else {
                let body = promises.message(number: pads[place].messagesSent, from: pads[place].guest, size: size)
                if (try? pads[place].link.send(.application(body))) != nil { pads[place].messagesSent += 1 }
            }
        }
    }

    private mutating func operate(_ deed: UInt8, _ place: Int, _ script: inout ScriptReader) {
        switch deed {
        case 20: host.perform(host.coordinator.lock(now: now))
        case 21: host.perform(host.coordinator.unlock(now: now))
        case 22: host.perform(host.coordinator.kick(script.number(below: 5), message: nil, now: now))
        case 23:
            let how = script.byte()
            let who = how & 2 == 0 ? "Pad \(place + 1)" : nil
            let answer =
                how & 1 == 1
                ? host.coordinator.accept(who, now: now) : host.coordinator.decline(who, message: nil, now: now)
            if case .success(let actions) = answer { host.perform(actions) }
        case 24:
            guard let conversation = pads[place].conversation else { return }
            if script.flag() {
                host.perform(host.coordinator.disconnected(conversation, now: now))
            } else {
                let farewell = Farewell(reason: script.flag() ? "paused" : "left")
                host.perform(host.coordinator.goodbye(farewell, from: conversation, now: now))
            }
        case 25: _ = host.coordinator.play(intensity: 1, sharpness: 0, on: place)
        default:
            let size = script.number(below: 250)
            _ = host.coordinator.sendNewest(Array(repeating: 1, count: size), channel: 1, to: place)
            _ = host.coordinator.send(.application(Array(repeating: 2, count: size * 2)), to: place)
        }
        settle()
    }
}
