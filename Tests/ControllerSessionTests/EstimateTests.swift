import Testing

@testable import ControllerSession

@Suite("What a controller learns about the network")
struct EstimateTests {
    @Test("Redundancy begins at 2, rises to 3 at 8 % loss, and falls to 1 after a long calm")
    func redundancy() {
        var loss = LossEstimate()
        #expect(loss.redundancy == 2)
        loss.feed(pieces: 1, losing: 10)
        #expect(loss.redundancy == 3)
        #expect(loss.loss == 0.2)
        loss.feed(pieces: 1, losing: 1)
        #expect(loss.redundancy == 2)
        loss.feed(pieces: 7, losing: 0)
        #expect(loss.redundancy == 2)
        loss.feed(pieces: 1, losing: 0)
        #expect(loss.redundancy == 1)
        loss.feed(pieces: 1, losing: 1)
        #expect(loss.redundancy == 2)
    }

    @Test("A new link epoch counts from 0 and keeps what was learned")
    func restart() {
        var loss = LossEstimate()
        loss.feed(pieces: 1, losing: 10)
        loss.restart()
        loss.account(highest: 3, unique: 4)
        #expect(loss.redundancy == 3)
    }

    @Test("The round trip is measured on the highest number that the host names, each once")
    func roundTrip() {
        var estimate = RoundTripEstimate()
        for number in UInt32(0)..<10 { estimate.sent(number, at: Int64(number) * 10) }
        estimate.answered(highest: 4, sent: 10, at: 100)
        #expect((estimate.smoothed, estimate.least) == (60, 60))
        estimate.answered(highest: 4, sent: 10, at: 200)
        #expect(estimate.smoothed == 60)
        estimate.answered(highest: 8, sent: 10, at: 100)
        #expect((estimate.smoothed, estimate.least) == (55, 20))
    }

    @Test("A number sent too long ago to remember tells nothing")
    func forgotten() {
        var estimate = RoundTripEstimate()
        for number in UInt32(0)..<300 { estimate.sent(number, at: Int64(number)) }
        estimate.answered(highest: 10, sent: 300, at: 400)
        #expect(estimate.smoothed == nil)
    }

    @Test("Of the latest 256 numbers each has its own time; of one before them the time is another's by now")
    func remembered() {
        for (highest, reading) in [(UInt32(44), Int64(356)), (43, nil)] as [(UInt32, Int64?)] {
            var estimate = RoundTripEstimate()
            for number in UInt32(0)..<300 { estimate.sent(number, at: Int64(number)) }
            estimate.answered(highest: highest, sent: 300, at: 400)
            #expect(estimate.smoothed == reading)
        }
    }

    @Test("Datagrams that leave at once, as the samples did not fit into one, do not say how often samples come")
    func fullDatagrams() {
        let pace = ControllerLink.Pace(ControllerLink.Configuration())
        var timing = ControllerLink.Timing(now: 0, sendingInterval: 100_000_000)
        timing.sent(hasSamples: true, hasFresh: true, pace: pace)
        timing.leavesFresh = true
        _ = timing.advance(to: 1_000_000)
        timing.sent(hasSamples: true, hasFresh: true, pace: pace)
        #expect(timing.sendingInterval == 100_000_000)
        timing.leavesFresh = false
        _ = timing.advance(to: 21_000_000)
        timing.sent(hasSamples: true, hasFresh: true, pace: pace)
        #expect(timing.sendingInterval == 90_000_000)
    }
}

extension LossEstimate {
    /// Accounts of pieces of 50 datagrams, so many of each lost.
    fileprivate mutating func feed(pieces: Int, losing lost: UInt32) {
        let base: (highest: UInt32, unique: UInt32) = (1_000, 900)
        restart()
        account(highest: base.highest, unique: base.unique)
        for piece in 1...UInt32(pieces) {
            account(highest: base.highest + piece * 50, unique: base.unique + piece * (50 - lost))
        }
    }
}
