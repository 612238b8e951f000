import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

extension RoomCommand: Taped {
    func write(to pen: inout TapePen) {
        switch self {
        case .alive: pen.byte(0)
        case .status(let minute):
            pen.byte(1)
            pen.put(minute)
        case .peers(let who, let minute):
            pen.byte(2)
            pen.put(who)
            pen.put(minute)
        case .departed: pen.byte(3)
        case .frames(let who):
            pen.byte(4)
            pen.put(who)
        case .offer(let terms) where terms.player == nil && terms.talents == nil:
            pen.byte(5)
            pen.put(terms)
        case .offer(let terms):
            pen.byte(28)
            pen.put(terms)
            pen.put(terms.player)
            pen.put(terms.talents)
        case .luggage(let who):
            pen.byte(29)
            pen.put(who)
        case .depart(let who, let message):
            pen.byte(30)
            pen.put(who)
            pen.put(message)
        case .endOffer(let id, let refusal):
            pen.byte(6)
            pen.put(id)
            pen.put(refusal)
        case .accept(let who):
            pen.byte(7)
            pen.put(who)
        case .decline(let who, let message):
            pen.byte(8)
            pen.put(who)
            pen.put(message)
        case .kick(let who, let message):
            pen.byte(9)
            pen.put(who)
            pen.put(message)
        case .lock: pen.byte(10)
        case .unlock: pen.byte(11)
        case .identify(let who):
            pen.byte(12)
            pen.put(who)
        case .rezero(let who):
            pen.byte(13)
            pen.put(who)
        case .move(let who, let seat):
            pen.byte(14)
            pen.put(who)
            pen.put(seat)
        case .swap(let who, let other):
            pen.byte(15)
            pen.put(who)
            pen.put(other)
        case .rename(let who, let name):
            pen.byte(16)
            pen.put(who)
            pen.put(name)
        case .play(let who, let intensity, let sharpness, let duration, let gesture):
            pen.byte(17)
            pen.put(who)
            pen.put(intensity)
            pen.put(sharpness)
            pen.put(duration)
            pen.put(gesture)
        case .send(let bytes, let who):
            pen.byte(18)
            pen.put(TapedBytes(bytes))
            pen.put(who)
        case .sendNewest(let bytes, let channel, let who):
            pen.byte(19)
            pen.put(TapedBytes(bytes))
            pen.put(channel)
            pen.put(who)
        case .players: pen.byte(20)
        case .motion(let player):
            pen.byte(21)
            pen.put(player)
        case .teaching(let command):
            pen.byte(22)
            pen.put(command)
        case .deliver(let delivery, let who, let stream, let listener):
            pen.byte(23)
            pen.put(delivery)
            pen.put(who)
            pen.put(stream)
            pen.put(listener)
        case .change(let terms):
            pen.byte(24)
            pen.put(terms)
        case .detect(let gestures):
            pen.byte(25)
            pen.put(gestures)
        case .watermarks: pen.byte(31)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        let kind = try tape.byte()
        switch kind {
        case 0: self = .alive
        case 1: self = .status(minute: try tape.take())
        case 2: self = .peers(try tape.takeIfAny(), minute: try tape.take())
        case 3: self = .departed
        case 4: self = .frames(try tape.takeIfAny())
        case 5: self = .offer(try tape.take())
        case 6: self = .endOffer(try tape.take(), try tape.take())
        case 7: self = .accept(try tape.takeIfAny())
        case 8: self = .decline(try tape.takeIfAny(), message: try tape.takeIfAny())
        case 9: self = .kick(try tape.take(), message: try tape.takeIfAny())
        case 10: self = .lock
        case 11: self = .unlock
        case 12: self = .identify(try tape.take())
        case 13: self = .rezero(try tape.take())
        case 14: self = .move(try tape.take(), seat: try tape.take())
        case 15: self = .swap(try tape.take(), try tape.take())
        case 16: self = .rename(try tape.take(), to: try tape.take())
        case 17:
            self = .play(
                try tape.take(), intensity: try tape.take(), sharpness: try tape.take(), duration: try tape.take(),
                answering: try tape.takeIfAny())
        case 18: self = .send(try tape.take(TapedBytes.self).bytes, try tape.take())
        case 19:
            self = .sendNewest(try tape.take(TapedBytes.self).bytes, channel: try tape.take(), try tape.take())
        case 20: self = .players
        case 21: self = .motion(of: try tape.take())
        case 22: self = .teaching(try tape.take())
        case 23:
            self = .deliver(try tape.take(), of: try tape.take(), stream: try tape.take(), to: try tape.take())
        case 24: self = .change(try tape.take())
        case 25: self = .detect(try tape.takeList())
        case 28:
            var terms = try tape.take(OfferTerms.self)
            terms.player = try tape.takeIfAny()
            terms.talents = try tape.takeIfAny()
            self = .offer(terms)
        case 29: self = .luggage(try tape.take())
        case 30: self = .depart(try tape.take(), message: try tape.take())
        case 31: self = .watermarks
        default: throw .newer("command \(kind)")
        }
    }
}

extension TeachingCommand: Taped {
    func write(to pen: inout TapePen) {
        switch self {
        case .teach(let who, let gesture, let times):
            pen.byte(0)
            pen.put(who)
            pen.put(gesture)
            pen.put(times)
        case .cancel(let who):
            pen.byte(1)
            pen.put(who)
        case .taught(let who):
            pen.byte(2)
            pen.put(who)
        case .rename(let who, let old, let new):
            pen.byte(3)
            pen.put(who)
            pen.put(old)
            pen.put(new)
        case .remove(let who, let gesture):
            pen.byte(4)
            pen.put(who)
            pen.put(gesture)
        case .sensitivity(let who, let value):
            pen.byte(5)
            pen.put(who)
            pen.put(value)
        case .refuseLatest(let who):
            pen.byte(6)
            pen.put(who)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        let kind = try tape.byte()
        switch kind {
        case 0: self = .teach(try tape.take(), gesture: try tape.take(), times: try tape.take())
        case 1: self = .cancel(try tape.take())
        case 2: self = .taught(try tape.takeIfAny())
        case 3: self = .rename(try tape.take(), try tape.take(), to: try tape.take())
        case 4: self = .remove(try tape.take(), try tape.take())
        case 5: self = .sensitivity(try tape.take(), try tape.take())
        case 6: self = .refuseLatest(try tape.take())
        default: throw .newer("teaching \(kind)")
        }
    }
}

extension MovingPlayer: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(name)
            pen.put(color)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(name: try fields.take(), color: try fields.take())
    }
}

extension OfferTerms: Taped {
    func write(to pen: inout TapePen) {
        pen.put(id)
        pen.put(controller)
        pen.put(seat)
        pen.put(TapedDigest(ticketHash))
        pen.put(timeout)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(
            id: try tape.take(), controller: try tape.take(), seat: try tape.takeIfAny(),
            ticketHash: try tape.take(TapedDigest.self).bytes, timeout: try tape.take())
    }
}

extension RoomTerms: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(seats)
            pen.put(policy)
            pen.put(names)
            pen.put(idleTimeout)
            pen.put(graceTimeout)
            pen.put(gestures)
            pen.put(contests)
            pen.put(idleReset)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(EngineConfiguration(room: RoomConfiguration()))
        seats = try fields.take()
        policy = try fields.take()
        names = try fields.take()
        idleTimeout = try fields.take()
        graceTimeout = try fields.take()
        gestures = try fields.takeList()
        contests = try fields.take()
        idleReset = try fields.takeIfAnyLater()
        if let problem { throw .unusable(problem) }
    }
}

extension MotionDelivery: Taped {
    func write(to pen: inout TapePen) {
        switch self {
        case .none: pen.byte(0)
        case .each: pen.byte(1)
        case .batches(let every):
            pen.byte(2)
            pen.put(every)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        switch try tape.byte() {
        case 0: self = .none
        case 1: self = .each
        case 2: self = .batches(every: try tape.take())
        default: throw .newer("a way of delivery")
        }
    }
}
