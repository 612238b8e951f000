import ControllerSession
import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Faults: datagrams are lost, copied, overtaken")
struct LossFaultTests {
    @Test(
        "The host counts exactly those datagrams as missing that the network lost: N1, N2",
        arguments: [
            "loss=1%", "loss=5%", "loss=20%", "burst=0.005:0.25", "burst=0.002:0.05", "loss=2%,burst=0.01:0.25",
        ], Soak.seeds(2))
    func lossIsCounted(network: String, seed: UInt64) throws {
        let room = try SimulatedRoom.played(network + ",delay=10ms", seed: seed, joinsAgain: false)
        #expect(room.differences == [], "\(network), seed \(seed)")
        #expect(room.host.playerStates.allSatisfy { $0 == .joined }, "\(network), seed \(seed)")
        for pad in room.pads {
            let books = try #require(room.host.report(of: pad.guest)?.datagrams)
            let lost = UInt64(pad.up.counters.lost)
            #expect((books.missing, books.tailMissing) == (lost, 0), "\(network), seed \(seed)")
            #expect(books.unique + lost == UInt64(pad.up.counters.sent), "\(network), seed \(seed)")
        }
        for place in room.pads.indices { #expect(room.lostSamples(of: place) == 0, "\(network), seed \(seed)") }
    }

    @Test(
        "Whatever overtakes what, the game has each sample once and in order, and each is in one class: N4, N5, N6",
        arguments: [
            "delay=20±8ms", "delay=40±40ms", "delay=10ms,reorder=1%", "delay=10ms,reorder=4%",
            "delay=10ms,reorder=30%",
            "delay=10ms,reorder=30%:70ms", "delay=10ms,dup=1%", "delay=30±30ms,dup=100%,reorder=10%,loss=5%",
        ], Soak.seeds(2))
    func order(network: String, seed: UInt64) throws {
        let room = try SimulatedRoom.played(network, seed: seed, for: .seconds(2))
        #expect(room.differences == [], "\(network), seed \(seed)")
        var order = SampleOrder()
        #expect(order.problems(room.host.sink) == [], "\(network), seed \(seed)")
        #expect(order.count >= 380, "\(network), seed \(seed): only \(order.count) came out")
        for pad in room.pads {
            let (books, injected) = (try #require(room.host.report(of: pad.guest)?.datagrams), pad.up.counters)
            #expect(books.unique == UInt64(injected.unique), "\(network), seed \(seed)")
            #expect(books.duplicate == UInt64(injected.repeated), "\(network), seed \(seed)")
            #expect(books.reordered == UInt64(injected.reordered), "\(network), seed \(seed)")
        }
    }

    @Test(
        "The round trip is measured to 2 ms and a tenth, and what is said on the link arrives: N3",
        arguments: [20, 50, 100, 200] as [Int64])
    func delay(milliseconds: Int64) throws {
        var room = SimulatedRoom(2, try NetworkConditions(parsing: "delay=\(milliseconds)ms"), seed: 3)
        room.joinAll()
        room.run(for: .seconds(1))
        for place in room.pads.indices {
            try room.pads[place].link.send(.application([1]))
            let isTaken = room.host.coordinator.send(.application([2]), to: place)
            #expect(isTaken)
        }
        room.run(for: .seconds(3))
        #expect(room.differences == [])
        for (place, pad) in room.pads.enumerated() {
            let report = try #require(room.host.report(of: pad.guest))
            let (injected, measured) = (2 * milliseconds * 1_000_000, try #require(report.roundTrip))
            #expect(abs(measured - injected) <= 2_000_000 + injected / 10, "measured \(measured) ns")
            #expect(pad.messages == [[2]] && room.host.messages.contains { $0.peer == place && $0.body == [1] })
            #expect(report.link == .good && report.datagrams.epochs == 1)
        }
        let delays = zip(room.pads[0].appended, room.arrivals(of: 0)).compactMap { sample, at in
            at.map { $0 - sample.at }
        }
        let longest = try #require(delays.max())
        #expect(delays.count > 350 && longest <= .milliseconds(milliseconds + 11))
    }

    @Test("Samples at 800 Hz, in batches of a second, are spread over datagrams and all arrive: high-rate streams")
    func batches() throws {
        let conditions = try NetworkConditions(parsing: "loss=5%,delay=5ms")
        var room = SimulatedRoom(1, conditions, seed: 8, interval: 1_250_000, batch: 800)
        room.joinAll()
        room.run(for: .seconds(8))
        room.drain(.seconds(2))
        #expect(room.differences == [])
        #expect(room.pads[0].appended.count >= 5_600 && room.lostSamples(of: 0) == 0)
        let report = try #require(room.host.report(of: room.pads[0].guest))
        #expect((report.samples.missing, report.samples.abandoned, report.datagrams.rateLimited) == (0, 0, 0))
        #expect(room.pads[0].up.counters.sent < 10 * 126)
        let byBatch = zip(room.pads[0].appended, room.arrivals(of: 0)).map { sample, at in at.map { $0 - sample.at } }
        // The oldest of a batch is a second old when it is handed over.
        #expect(byBatch.compactMap { $0 }.max() ?? .zero <= .milliseconds(1_250))
    }

    @Test("An outage of 200 ms delays nothing by more than itself and three sending intervals", arguments: 0...9)
    func burstDelay(phase: Int) throws {
        var room = SimulatedRoom(1, try NetworkConditions(parsing: "delay=2ms"), seed: UInt64(phase) + 1)
        room.joinAll()
        room.run(for: .milliseconds(3_000 + phase * 17))
        room.pads[0].isUp = false
        room.run(for: .milliseconds(200))
        room.pads[0].isUp = true
        room.run(for: .seconds(1))
        room.drain(.seconds(1))
        #expect(room.differences == [])
        let delays = zip(room.pads[0].appended, room.arrivals(of: 0)).compactMap { sample, at in
            at.map { $0 - sample.at }
        }
        #expect(delays.count == room.pads[0].appended.count, "a sample is missing")
        let longest: Duration = .milliseconds(2 + 200 + 30)
        #expect(delays.allSatisfy { $0 <= longest }, "\(String(describing: delays.max()))")
    }
}
