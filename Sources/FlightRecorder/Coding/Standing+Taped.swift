import RoomEngine
import SessionCoordinator
import WireProtocol

// How a room stood when its recording began in the middle of an evening. No key of a link is among it; what a file claims
// is held against itself before an engine takes it (`Coordinator.stand(_:now:)`).

extension RoomStanding: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(isLocked)
            pen.put(banned)
            pen.put(generations)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(isLocked: try fields.take(), banned: try fields.takeList(), generations: try fields.takeList())
    }
}

extension Standing: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.number(UInt64(peer))
            pen.put(lease)
            pen.put(seat)
            pen.put(admittedAt)
            pen.put(lastHeard)
            pen.put(yieldsAt)
            pen.put(usedAt)
            pen.put(linkState)
            pen.put(ownName)
            pen.put(tally)
            pen.put(isTallyFinal)
            pen.put(programs)
            pen.put(pastDatagrams)
            pen.put(pastSamples)
            pen.put(clock)
            switch way {
            case .awaited: pen.byte(0)
            case .linked(let link):
                pen.byte(1)
                pen.put(link)
            case .legacy(let address):
                pen.byte(2)
                pen.put(address)
            }
            pen.put(isUnheard)
            pen.put(unheardLinks)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        let peer: UInt16 = try fields.take()
        self.init(
            peer: Int(peer), lease: try fields.take(), seat: try fields.take(), admittedAt: try fields.takeIfAny(),
            lastHeard: try fields.take(), yieldsAt: try fields.takeIfAny(), usedAt: try fields.takeIfAny(),
            linkState: try fields.take(), ownName: try fields.takeIfAny(), tally: try fields.takeIfAny(),
            isTallyFinal: try fields.take(), programs: try fields.take(), pastDatagrams: try fields.take(),
            pastSamples: try fields.take(),
            clock: try fields.takeIfAny(), way: .awaited)
        switch try fields.byte() {
        case 0: break
        case 1: way = .linked(try fields.take())
        case 2: way = .legacy(try fields.take())
        case let number: throw .newer("a way \(number)")
        }
        isUnheard = try fields.takeLater(or: false)
        unheardLinks = try fields.takeLater(or: 0)
    }
}

extension WaitingStanding: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(invitation)
            pen.put(conversation)
            pen.put(transport)
            pen.put(material)
            pen.put(source)
            pen.put(since)
            let (moment, number, isForSeat) = wait.parts
            pen.put(moment)
            pen.put(name)
            pen.put(number)
            pen.put(isForSeat)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(
            invitation: try fields.take(), conversation: try fields.takeIfAny(), transport: try fields.take(),
            material: try fields.take(), source: try fields.takeIfAny(), since: try fields.take(),
            wait: .forOperator(until: try fields.take(), seat: nil), name: try fields.take())
        let (number, isForSeat) = (try fields.takeIfAny(Int.self), try fields.take(Bool.self))
        wait = WaitingStanding.Wait(wait.parts.moment, number, isForSeat: isForSeat)
    }
}

extension WaitingStanding.Wait {
    /// Its moment and its number, and which of the two it is.
    fileprivate var parts: (moment: HostTime, number: Int?, isForSeat: Bool) {
        switch self {
        case .forOperator(let until, let seat): (until, seat, false)
        case .forSeat(let lastHeard, let toldPlace): (lastHeard, toldPlace, true)
        }
    }

    fileprivate init(_ moment: HostTime, _ number: Int?, isForSeat: Bool) {
        self =
            isForSeat
            ? .forSeat(lastHeard: moment, toldPlace: number) : .forOperator(until: moment, seat: number)
    }
}

extension OfferStanding: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(offer.id)
            pen.put(offer.controller)
            pen.put(offer.seat)
            pen.put(TapedDigest(offer.ticketHash))
            pen.put(offer.expiresAt)
            pen.put(keptSeat)
            pen.put(isAnswered)
            pen.put(offer.player)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        var offer = Offer(
            id: try fields.take(), controller: try fields.take(), seat: try fields.takeIfAny(),
            ticketHash: try fields.take(TapedDigest.self).bytes, expiresAt: try fields.take())
        let (keptSeat, isAnswered) = (try fields.takeIfAny(Int.self), try fields.take(Bool.self))
        offer.player = try fields.takeIfAnyLater()
        self.init(offer: offer, keptSeat: keptSeat, isAnswered: isAnswered)
    }
}

extension Occurrence.LinkChange.State: Taped {}

extension StandingLink: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.fixed(connection.rawValue)
            pen.put(transport)
            pen.put(conversation)
            pen.put(process)
            pen.put(declarations.map { StreamOffer($0) })
            pen.put(hasHaptics)
            pen.put(TapedBytes(context))
            pen.put(pausedAfter)
            pen.put(ledger)
            pen.put(TapedBits(window.held))
            pen.put(streams)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        let connection = ConnectionID(rawValue: try fields.fixed())
        let (transport, conversation): (Transport, ConversationID?) = (try fields.take(), try fields.takeIfAny())
        let process: String = try fields.take()
        var declarations: [StreamDeclaration] = []
        for offer: StreamOffer in try fields.takeList() {
            guard case .success(let declaration) = offer.declaration() else {
                throw TapeError("it holds a stream as nobody can declare it")
            }
            declarations.append(declaration)
        }
        self.init(
            connection: connection, transport: transport, conversation: conversation, process: process,
            declarations: declarations, hasHaptics: try fields.take(),
            context: try fields.take(TapedBytes.self).bytes, pausedAfter: try fields.takeIfAny(),
            ledger: try fields.take(), window: ReplayWindow(), streams: [])
        let held = try fields.take(TapedBits.self).bits
        if let highest = ledger.highest {
            guard let window = ReplayWindow(highest: highest, held: held) else {
                throw TapeError("it holds datagrams that no account knows")
            }
            self.window = window
        }
        streams = try fields.takeList()
    }
}

extension StandingStream: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.byte(stream)
            pen.byte(epoch)
            pen.put(cumulative)
            pen.put(TapedBits(settled))
            pen.put(ledger)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(
            stream: try fields.byte(), epoch: try fields.byte(), cumulative: try fields.take(),
            settled: try fields.take(TapedBits.self).bits, ledger: try fields.take())
    }
}

extension SeatState: Taped {
    func write(to pen: inout TapePen) {
        switch self {
        case .reserved(let since):
            pen.byte(0)
            pen.put(since)
        case .active: pen.byte(1)
        case .lost(let until):
            pen.byte(2)
            pen.put(until)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        switch try tape.byte() {
        case 0: self = .reserved(since: try tape.take())
        case 1: self = .active
        case 2: self = .lost(until: try tape.take())
        case let number: throw .newer("a seat that stands as \(number)")
        }
    }
}

extension ClockMapping.State: Taped {}

extension ClockMapping: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(state)
            pen.signed(deviceAnchor.nanoseconds)
            pen.put(hostAnchor)
            pen.put(rateOffset)
            pen.put(uncertaintyNanoseconds.map { UInt64(max(0, $0)) })
            pen.put(measuredAt)
            pen.put(uncertaintyGrowth)
        }
    }

    /// What no quartz does is cut to what it can.
    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        let state: State = try fields.take()
        let device = try fields.signed()
        let (anchor, rate): (HostTime, Double) = (try fields.take(), try fields.take())
        let uncertainty: UInt64? = try fields.takeIfAny()
        let (measuredAt, growth): (HostTime, Double) = (try fields.take(), try fields.take())
        self.init(
            state: state, deviceAnchor: DeviceTime(nanoseconds: device), hostAnchor: anchor,
            rateOffset: rate.isFinite ? max(-0.01, min(0.01, rate)) : 0,
            uncertaintyNanoseconds: uncertainty.map { Int64(min($0, 1 << 60)) }, measuredAt: measuredAt,
            uncertaintyGrowth: growth.isFinite ? max(0, min(0.01, growth)) : 0.01)
    }
}

/// Yes or no, many times: eight to a byte.
private struct TapedBits: Taped {
    var bits: [Bool]
    init(_ bits: [Bool]) { self.bits = bits }

    func write(to pen: inout TapePen) {
        pen.number(UInt64(bits.count))
        for start in stride(from: 0, to: bits.count, by: 8) {
            var byte: UInt8 = 0
            for place in start..<min(start + 8, bits.count) where bits[place] { byte |= 1 << UInt8(place - start) }
            pen.byte(byte)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        let count = try tape.number()
        guard count <= UInt64(tape.remaining) * 8 else { throw .cut }
        bits = []
        for start in stride(from: 0, to: Int(count), by: 8) {
            let byte = try tape.byte()
            for place in start..<min(start + 8, Int(count)) { bits.append(byte & 1 << UInt8(place - start) != 0) }
        }
    }
}
