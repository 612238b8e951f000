import SessionCoordinator
import WireProtocol

// Of what a controller says to get in, everything that decides is kept, and nothing that would let anyone else in:
// secrets and tickets are left out, digests cut short, and the code is only told to be right or wrong.

extension Invitation: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(v)
            pen.put(controller)
            pen.put(process)
            pen.put(name)
            pen.put(streams)
            pen.put(haptics)
            pen.put(context)
            pen.put(timeout)
            pen.put(code)
            pen.put(wait)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(
            v: try fields.take(), controller: try fields.take(), process: try fields.take(), name: try fields.take(),
            streams: try fields.takeList(), haptics: try fields.take(), context: try fields.takeIfAny(),
            timeout: try fields.takeIfAny(), code: try fields.takeIfAny())
        wait = try fields.takeIfAnyLater()
    }
}

extension StreamOffer: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(stream)
            pen.put(measures)
            pen.put(accelerationRange)
            pen.put(rotationRange)
            pen.put(rate)
            pen.put(latency)
            pen.put(batch)
            pen.put(location)
            if buttonGestures != nil || maximumDepth != nil { pen.put(buttonGestures ?? []) }
            if let maximumDepth { pen.put(maximumDepth) }
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(StreamDeclaration())
        stream = try fields.take()
        measures = try fields.takeList()
        accelerationRange = try fields.take()
        rotationRange = try fields.take()
        rate = try fields.take()
        latency = try fields.takeIfAny()
        batch = try fields.takeIfAny()
        location = try fields.takeIfAny()
        buttonGestures = try fields.isAtEnd ? nil : fields.takeList()
        maximumDepth = try fields.isAtEnd ? nil : fields.take()
    }
}

extension LinkMaterial: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(probeKey)
            pen.put(TapedDigest(secretHash))
            pen.put(presentedHash.map(TapedDigest.init))
            pen.put(ticketHash.map(TapedDigest.init))
        }
    }

    /// Its link opens nothing: a replay needs no key but the one of which the ids of probes are made.
    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        let none = LinkKey(a: 0, b: 0, c: 0, d: 0)
        self.init(
            motionKey: none, feedbackKey: none, probeKey: try fields.take(), secret: "",
            secretHash: try fields.take(TapedDigest.self).bytes,
            presentedHash: try fields.takeIfAny(TapedDigest.self)?.bytes,
            ticketHash: try fields.takeIfAny(TapedDigest.self)?.bytes)
    }
}

extension SensorReport: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(permission)
            pen.put(rate)
            pen.put(gaps)
            pen.put(longestGap)
            pen.put(stalls)
            pen.put(longestStall)
            pen.put(accelerationStep)
            pen.put(rotationStep)
            pen.put(timeStep)
            pen.put(vibrates)
            pen.put(sign)
            pen.put(battery)
            pen.put(charging)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init()
        permission = try fields.takeIfAny()
        rate = try fields.takeIfAny()
        gaps = try fields.takeIfAny()
        longestGap = try fields.takeIfAny()
        stalls = try fields.takeIfAny()
        longestStall = try fields.takeIfAny()
        accelerationStep = try fields.takeIfAny()
        rotationStep = try fields.takeIfAny()
        timeStep = try fields.takeIfAny()
        vibrates = try fields.takeIfAny()
        sign = try fields.takeIfAny()
        battery = try fields.takeIfAnyLater()
        charging = try fields.takeIfAnyLater()
    }
}

extension Farewell: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(reason.rawValue)
            pen.put(message)
            pen.put(lastSent)
            pen.put(tally)
            pen.put(backIn)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(
            reason: FarewellReason(rawValue: try fields.take()), message: try fields.takeIfAny(),
            lastSent: try fields.takeIfAny(), tally: try fields.takeIfAny(), backIn: try fields.takeIfAny())
    }
}

extension SenderTally: Taped {
    func write(to pen: inout TapePen) {
        pen.fixed(links)
        pen.number(datagrams)
        pen.number(samples)
        pen.number(confirmed)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(
            links: try tape.fixed(), datagrams: try tape.number(), samples: try tape.number(),
            confirmed: try tape.number())
    }
}

extension Refusal: Taped {
    func write(to pen: inout TapePen) {
        pen.put(reason)
        pen.put(message)
        pen.put(retryAfter)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(try tape.take(), message: try tape.take(), retryAfter: try tape.takeIfAny())
    }
}

extension Lease: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(controller)
            pen.put(seat)
            pen.put(player)
            pen.put(name)
            pen.put(color)
            pen.put(TapedDigest(secretHash))
            pen.put(previousSecretHash.map(TapedDigest.init))
            pen.put(generation)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(
            controller: try fields.take(), seat: try fields.take(), player: try fields.take(),
            name: try fields.take(), color: try fields.take(), secretHash: try fields.take(TapedDigest.self).bytes,
            previousSecretHash: try fields.takeIfAny(TapedDigest.self)?.bytes, generation: try fields.take())
    }
}
