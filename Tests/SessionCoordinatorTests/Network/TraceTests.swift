import ControllerSession
import Foundation
import LinkEmulation
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

/// How many lives the suite runs through: few for every day, as many as `ROOMFUL_TRACES` says for a soak.
private let traces = ProcessInfo.processInfo.environment["ROOMFUL_TRACES"].flatMap(UInt64.init) ?? 16

@Suite("The books against the truth")
struct TraceTests {
    /// The catalogue's networks: N1 to N8.
    static let networks = [
        "loss=1%,delay=5ms", "loss=5%,delay=20ms", "loss=20%,delay=10ms", "burst=0.01:0.25,delay=10ms",
        "delay=40±40ms", "reorder=30%,delay=10ms", "dup=100%,delay=10ms", "corrupt=20%,delay=10ms",
        "loss=5%,delay=20±15ms,reorder=10%,dup=10%,corrupt=2%",
    ]

    @Test(
        "Every peer's books equal the sender's log joined with the network's word, whatever the network does: N1-N8",
        arguments: networks.indices)
    func network(number: Int) throws {
        let seed = UInt64(number) + 1
        var room = SimulatedRoom(3, try NetworkConditions(parsing: Self.networks[number]), seed: seed)
        room.joinAll()
        room.run(for: .seconds(4))
        #expect(room.differences == [], "\(Self.networks[number]), seed \(seed)")
        room.drain()
        #expect(room.differences == [], "\(Self.networks[number]), seed \(seed), after the end")
        for place in room.pads.indices {
            #expect(room.lostSamples(of: place) == 0, "\(Self.networks[number]), seed \(seed), pad \(place)")
            checkInjector(room, place, "\(Self.networks[number]), seed \(seed), pad \(place)")
        }
        let injected = room.pads.reduce(LinkCounters()) { $0 + $1.up.counters }
        let strangers = room.host.coordinator.strangers
        #expect(strangers.badAuth + strangers.unknown + strangers.malformed == UInt64(injected.corrupted))
    }

    /// The injector's own counters are a second witness beside the log: N1, N6, N8.
    private func checkInjector(_ room: SimulatedRoom, _ place: Int, _ comment: Comment) {
        let injected = room.pads[place].up.counters
        #expect(injected.isBalanced, comment)
        #expect(injected.lost + injected.repeated + injected.corrupted + injected.reordered > 0, comment)
        guard let books = room.host.report(of: room.pads[place].guest)?.datagrams else {
            Issue.record("nobody sits there: \(comment)")
            return
        }
        #expect(books.epochs == 1, comment)
        #expect(books.unique == UInt64(injected.unique), comment)
        #expect(books.duplicate == UInt64(injected.repeated), comment)
        #expect(books.reordered == UInt64(injected.reordered), comment)
    }

    @Test(
        "They equal it through outages, roaming, rejoining, pauses, leaving and a host that dies",
        arguments: 1...traces)
    func life(seed: UInt64) throws {
        var room = SimulatedRoom(3, try NetworkConditions(parsing: "loss=3%,delay=10±8ms,dup=3%"), seed: seed)
        var random = SeededGenerator(seed: seed &* 7_919)
        room.joinAll()
        for _ in 0..<12 {
            room.happen(&random)
            room.run(for: .milliseconds(Int(random.next() % 700) + 50))
            #expect(room.differences == [], "seed \(seed)")
        }
        room.drain()
        #expect(room.differences == [], "seed \(seed), after the end")
        for place in room.pads.indices { #expect(room.clockHoldsTruth(of: place), "seed \(seed), pad \(place)") }
    }

    @Test(
        "A copy of one in a hundred, or of everything, changes nothing but the count of copies: N6",
        arguments: [1, 100])
    func duplicatesChangeNothing(percent: Int) throws {
        var (once, twice) = (
            SimulatedRoom(2, try NetworkConditions(parsing: "loss=5%,delay=10ms"), seed: 6),
            SimulatedRoom(2, try NetworkConditions(parsing: "loss=5%,delay=10ms,dup=\(percent)%"), seed: 6)
        )
        once.joinAll()
        twice.joinAll()
        once.run(for: .seconds(3))
        twice.run(for: .seconds(3))
        once.drain()
        twice.drain()
        #expect(Set(once.host.sink.sampledAt) == Set(twice.host.sink.sampledAt))
        for (place, report) in twice.host.coordinator.reports(now: twice.now).enumerated() {
            #expect(report.datagrams.duplicate == UInt64(twice.pads[place].up.counters.repeated))
        }
    }

    @Test("One wrong number in a report is found, whichever it is")
    func wrongCounterIsFound() throws {
        let conditions = try NetworkConditions(parsing: "loss=10%,delay=10±5ms,dup=10%,corrupt=5%")
        var room = SimulatedRoom(1, conditions, seed: 99)
        room.joinAll()
        room.run(for: .seconds(2))
        let report = try #require(room.host.coordinator.report(of: 0, now: room.now))
        let truth = try #require(room.truth.peers[0]?.counts)
        #expect(Books.differences(report, truth) == [])
        #expect(Books.counters.count == truth.count)
        for counter in Books.counters {
            for step: UInt64 in [1, .max] {
                var wrong = report
                wrong[keyPath: counter.path] &+= step
                #expect(Books.differences(wrong, truth).count == 1, "\(counter.name)")
            }
        }
        for counter in Books.strangers {
            var wrong = room.truth.strangers
            wrong[keyPath: counter.path] &+= 1
            #expect(Books.differences(room.host.coordinator.strangers, wrong).count == 1, "\(counter.name)")
        }
    }
}

extension SimulatedRoom {
    /// One stroke of fate.
    fileprivate mutating func happen(_ random: inout SeededGenerator) {
        let place = Int(random.next() % UInt64(pads.count))
        switch random.next() % 10 {
        case 0: pads[place].isUp.toggle()
        case 1, 2: pads[place].address.port &+= 1
        case 3, 4: join(place)
        case 5: restartHost()
        case 6: pads[place].link.goodbye(.paused, now: pads[place].clock.device(now))
        case 7: pads[place].link.resume(now: pads[place].clock.device(now))
        case 8: pads[place].link.goodbye(.left, now: pads[place].clock.device(now))
        default: hostSleepsUntil = now + .milliseconds(Int(random.next() % 1_500))
        }
    }

    /// Whether the host's idea of a controller's clock holds the truth, if it has one.
    fileprivate func clockHoldsTruth(of place: Int) -> Bool {
        guard let report = host.report(of: pads[place].guest), let mapping = report.clock,
            let uncertainty = mapping.uncertaintyNanoseconds
        else { return true }
        let mapped = mapping.hostTime(of: pads[place].clock.device(now))
        return abs((mapped - now).wholeNanoseconds) <= uncertainty
    }
}
