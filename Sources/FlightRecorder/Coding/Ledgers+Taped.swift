import SessionCoordinator
import WireProtocol

// What a link has counted until a recording began, and all links of a lease before it.

extension DatagramLedger: Taped {
    func write(to pen: inout TapePen) {
        for count in [unique, duplicate, tooOld, reordered] { pen.number(count) }
        pen.put(highest)
        pen.put(lastSent)
        for count in [bytes, unreadable, rateLimited] { pen.number(count) }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(
            unique: try tape.number(), duplicate: try tape.number(), tooOld: try tape.number(),
            reordered: try tape.number(), highest: try tape.takeIfAny(), lastSent: try tape.takeIfAny(),
            bytes: try tape.number(), unreadable: try tape.number(), rateLimited: try tape.number())
    }
}

extension SampleLedger: Taped {
    func write(to pen: inout TapePen) {
        for count in [delivered, late, beforeSeat, abandoned, redundant] { pen.number(count) }
        pen.put(highest)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(
            delivered: try tape.number(), late: try tape.number(), beforeSeat: try tape.number(),
            abandoned: try tape.number(), redundant: try tape.number(), highest: try tape.takeIfAny())
    }
}

extension DatagramTotals: Taped {
    func write(to pen: inout TapePen) {
        for count in [
            epochs, unique, duplicate, tooOld, reordered, missing, tailMissing, bytes, unreadable, rateLimited,
        ] { pen.number(count) }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init()
        epochs = try tape.number()
        unique = try tape.number()
        duplicate = try tape.number()
        tooOld = try tape.number()
        reordered = try tape.number()
        missing = try tape.number()
        tailMissing = try tape.number()
        bytes = try tape.number()
        unreadable = try tape.number()
        rateLimited = try tape.number()
    }
}

extension SampleTotals: Taped {
    func write(to pen: inout TapePen) {
        for count in [epochs, delivered, late, beforeSeat, abandoned, missing, redundant] { pen.number(count) }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init()
        epochs = try tape.number()
        delivered = try tape.number()
        late = try tape.number()
        beforeSeat = try tape.number()
        abandoned = try tape.number()
        missing = try tape.number()
        redundant = try tape.number()
    }
}
