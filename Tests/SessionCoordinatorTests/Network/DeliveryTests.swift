import ControllerSession
import InputMerge
import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("No sample is lost while the link lives")
struct DeliveryTests {
    @Test("With 20 % random loss no sample is missing, and 99 % come within 3 sending intervals: N1", arguments: 1...4)
    func loss(seed: UInt64) throws {
        var room = SimulatedRoom(2, try NetworkConditions(parsing: "loss=20%,delay=5ms"), seed: seed)
        room.joinAll()
        room.run(for: .seconds(6))
        room.drain(.seconds(2))
        #expect(room.differences == [], "seed \(seed)")
        for place in room.pads.indices {
            let delays = room.delays(of: place)
            #expect(delays.count == room.pads[place].appended.count, "seed \(seed)")
            let p99 = delays[delays.count * 99 / 100]
            #expect(p99 <= .milliseconds(5 + 3 * 10), "seed \(seed): p99 is \(p99)")
            #expect(room.host.report(of: room.pads[place].guest)?.samples.missing == 0)
        }
    }

    @Test("Outages of 200 ms, one a second, lose nothing", arguments: 1...3)
    func bursts(seed: UInt64) throws {
        var room = SimulatedRoom(2, try NetworkConditions(parsing: "loss=1%,delay=10±5ms"), seed: seed)
        room.joinAll()
        for _ in 0..<5 {
            room.run(for: .milliseconds(800))
            for place in room.pads.indices { room.pads[place].isUp.toggle() }
            room.run(for: .milliseconds(200))
            for place in room.pads.indices { room.pads[place].isUp.toggle() }
        }
        room.drain(.seconds(2))
        #expect(room.differences == [], "seed \(seed)")
        for place in room.pads.indices {
            #expect(room.lostSamples(of: place) == 0, "seed \(seed)")
            #expect(room.host.report(of: room.pads[place].guest)?.samples.abandoned == 0)
        }
    }

    @Test("An outage of 9 s at 100 Hz loses nothing, with a new joining or without", arguments: [true, false])
    func longOutage(joinsAgain: Bool) throws {
        var room = SimulatedRoom(1, try NetworkConditions(parsing: "delay=10ms"), seed: 9)
        room.pads[0].joinsAgain = joinsAgain
        room.joinAll()
        room.run(for: .seconds(2))
        room.pads[0].isUp = false
        room.run(for: .seconds(9))
        room.pads[0].isUp = true
        room.run(for: .seconds(2))
        room.drain(.seconds(2))
        #expect(room.differences == [])
        #expect(room.lostSamples(of: 0) == 0)
        let report = try #require(room.host.report(of: room.pads[0].guest))
        #expect((report.samples.missing, report.samples.abandoned) == (0, 0))
        #expect(report.samples.late > 500)
        #expect(report.datagrams.epochs == (joinsAgain ? 2 : 1))
    }

    @Test("Of an outage of 30 s exactly that is abandoned which fell off the controller's history of 10 s")
    func tooLongOutage() throws {
        var room = SimulatedRoom(1, try NetworkConditions(parsing: "delay=10ms"), seed: 30)
        room.joinAll()
        room.run(for: .seconds(1))
        room.pads[0].isUp = false
        room.run(for: .seconds(30))
        let heldSince = room.now - .seconds(10)
        room.pads[0].isUp = true
        room.run(for: .seconds(2))
        room.drain(.seconds(2))
        #expect(room.differences == [])
        let report = try #require(room.host.report(of: room.pads[0].guest))
        let sender = room.pads[0].link.report.streams[0]
        #expect(report.samples.missing == 0)
        #expect(report.samples.abandoned == UInt64(room.lostSamples(of: 0)))
        // The sender gave up a few more: they had arrived, but the word of it was lost with the cable.
        #expect((0...25).contains(sender.abandoned - Int(report.samples.abandoned)))
        #expect((1_990...2_010).contains(report.samples.abandoned))
        for (sample, arrival) in zip(room.pads[0].appended, room.arrivals(of: 0)) where arrival == nil {
            #expect(sample.at < heldSince + .milliseconds(20))
        }
        #expect(report.seat == 1 && report.seatState == .active)
    }

    @Test("A sample that a new stream epoch numbers anew is counted anew, and played once")
    func numberedAnew() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<3), from: pad.address)
        // An epoch without a sample between them changes nothing.
        room.receive(pad.samples(0..<0, epoch: 1), from: pad.address)
        room.receive(pad.samples(0..<5, epoch: 2), from: pad.address)
        #expect(room.sink.sampledAt == (0..<5).map { DeviceTime(nanoseconds: $0 * 10_000_000) })
        let report = try #require(room.report(of: Guest(1)))
        #expect((report.samples.epochs, report.samples.expected, report.samples.missing) == (3, 8, 0))
        #expect((report.samples.delivered, report.samples.late) == (5, 3))
        // Nobody holds samples for 20 s: those of the fourth epoch were read by a clock that was set back.
        room.receive(pad.samples(2_000..<2_001, floor: 2_000, epoch: 2), from: pad.address)
        room.receive(pad.samples(0..<2, epoch: 3), from: pad.address)
        #expect(room.report(of: Guest(1))?.samples.delivered == 8)
    }

    @Test("What a merge has of a stream goes on at once behind what was numbered anew")
    func goesOnBehind() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        room.sink.merge = Merge(configuration: MergeConfiguration(holdback: .milliseconds(250)))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<3), from: pad.address)
        // The first that was numbered anew is lost: nobody waits for it.
        room.receive(pad.samples(1..<4, epoch: 1), from: pad.address)
        let key = StreamKey(peer: 0, stream: 0)
        #expect(room.sink.merge?.tally(of: key)?.fed == 1)
    }

    @Test(
        "Cut for 1 or 5 s a controller keeps seat and player; for 60 s it loses them, once: N10", arguments: [1, 5, 60])
    func cableCut(seconds: Int) throws {
        var room = SimulatedRoom(2, try NetworkConditions(parsing: "delay=5ms"), seed: UInt64(seconds))
        room.joinAll()
        room.run(for: .seconds(1))
        room.pads[1].nextSampleAt = seconds > 10 ? nil : room.pads[1].nextSampleAt
        room.pads[0].nextSampleAt = nil
        room.pads[0].isUp = false
        room.run(for: .seconds(seconds))
        room.pads[0].isUp = true
        room.run(for: .seconds(2))
        #expect(room.differences == [])
        #expect(room.host.report(of: room.pads[0].guest)?.seat == 1)
        #expect(room.host.report(of: room.pads[0].guest)?.seatState == .active)
        let afterwards: [Occurrence.PlayerChange.State] = seconds > 40 ? [.lost, .left, .joined] : []
        #expect(room.host.playerStates == [.joined, .joined] + afterwards)
        #expect(room.host.report(of: room.pads[1].guest)?.seatState == .active)
    }

    @Test("A controller that is deaf notices within 1.5 s, one not heard within 2 s, a host after 10 s: N12")
    func oneWay() throws {
        var room = SimulatedRoom(2, try NetworkConditions(parsing: "delay=5ms"), seed: 12)
        for place in room.pads.indices { room.pads[place].joinsAgain = false }
        room.joinAll()
        room.run(for: .seconds(1))
        room.pads[0].down.isUp = false
        room.pads[1].up.isUp = false
        room.run(for: .milliseconds(1_500))
        #expect(room.pads[0].link.needsRejoin)
        #expect(room.host.report(of: room.pads[1].guest)?.link == .silent)
        room.run(for: .milliseconds(500))
        #expect(room.pads[1].link.needsRejoin)
        room.run(for: .milliseconds(9_500))
        #expect(room.host.seatState(of: room.pads[0].guest) == "active")
        #expect(room.host.seatState(of: room.pads[1].guest) == "lost")
        #expect(room.pads[1].link.needsRejoin)
    }

    @Test("Where TCP comes through and no datagram does, a controller joins again more and more seldom")
    func noDatagram() throws {
        var room = SimulatedRoom(1, try NetworkConditions(parsing: "loss=100%"), seed: 13)
        room.joinAll()
        room.run(for: .seconds(60))
        // After 1 s twice, 2, 4 and then each 8 s. Each time the host has it begin anew, as it was never heard.
        let joinings = room.host.answers.count
        #expect((8...14).contains(joinings), "\(joinings) joinings in a minute")
        #expect(!room.pads[0].link.isHeard && room.pads[0].link.silenceLimit == .seconds(8))
    }

    @Test(
        "The game's messages arrive exactly once and in order, both ways, through 20 % loss and joining again",
        arguments: 1...4)
    func messages(seed: UInt64) throws {
        var room = SimulatedRoom(2, try NetworkConditions(parsing: "loss=20%,delay=15±10ms,dup=10%"), seed: seed)
        room.joinAll()
        room.run(for: .milliseconds(200))
        for number: UInt8 in 0..<60 {
            for place in room.pads.indices {
                try room.pads[place].link.send(.application([number, UInt8(place)]))
                let isTaken = room.host.coordinator.send(.application([number, UInt8(place)]), to: place)
                #expect(isTaken)
            }
            if number % 20 == 10 { room.join(Int(number / 20) % 2) }
            room.run(for: .milliseconds(50))
        }
        room.run(for: .seconds(3))
        #expect(room.differences == [], "seed \(seed)")
        for place in room.pads.indices {
            let expected = (UInt8(0)..<60).map { [$0, UInt8(place)] }
            #expect(room.pads[place].messages == expected, "to pad \(place), seed \(seed)")
            let heard = room.host.messages.filter { $0.peer == place }.map(\.body)
            #expect(heard == expected, "from pad \(place), seed \(seed)")
        }
        #expect(room.host.coordinator.reports(now: room.now).allSatisfy { $0.messagesWaiting == 0 })
        #expect(room.host.coordinator.reports(now: room.now).contains { $0.datagrams.epochs > 1 })
    }

    @Test("Feedback keeps to 5 a second in calm and 20 in need, whatever probes are lost", arguments: 1...3)
    func feedbackPace(seed: UInt64) throws {
        var room = SimulatedRoom(1, try NetworkConditions(parsing: "delay=5ms"), seed: seed)
        room.joinAll()
        room.run(for: .seconds(2))
        let calm = try #require(room.host.report(of: room.pads[0].guest)).feedbackSent
        room.run(for: .seconds(4))
        let calmLater = try #require(room.host.report(of: room.pads[0].guest)).feedbackSent
        #expect((20...29).contains(calmLater - calm), "seed \(seed): \(calmLater - calm) in 4 s")
        room.pads[0].conditions.loss = 0.2
        room.run(for: .seconds(4))
        let lossy = try #require(room.host.report(of: room.pads[0].guest)).feedbackSent
        #expect(lossy - calmLater <= 90, "seed \(seed): \(lossy - calmLater) in 4 s")
    }
}

extension SimulatedRoom {
    /// From a sample's taking to its arrival at the merge, for all that arrived, the shortest first.
    fileprivate func delays(of place: Int) -> [Duration] {
        zip(pads[place].appended, arrivals(of: place)).compactMap { sample, arrival in arrival.map { $0 - sample.at } }
            .sorted()
    }
}
