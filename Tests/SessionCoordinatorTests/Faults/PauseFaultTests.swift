import Foundation
import InputMerge
import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Faults: the host stands still, starves, or has a clock that is set")
struct PauseFaultTests {
    @Test(
        "What waited in the socket is booked to the last datagram, and nobody loses a seat: H3",
        arguments: [0.5, 3, 30] as [Double], Soak.seeds(1))
    func pause(seconds: Double, seed: UInt64) throws {
        var room = SimulatedRoom(3, try NetworkConditions(parsing: "loss=2%,delay=8±5ms,dup=2%"), seed: seed)
        room.joinAll()
        room.run(for: .seconds(1))
        room.hostSleepsUntil = room.now + .milliseconds(Int64(seconds * 1_000))
        room.run(for: .milliseconds(Int64(seconds * 1_000) + 500))
        #expect(room.differences == [], "seed \(seed)")
        room.run(for: .seconds(1))
        room.drain()
        #expect(room.differences == [], "seed \(seed), after the end")
        #expect(!room.host.playerStates.contains(.lost) && !room.host.playerStates.contains(.left), "seed \(seed)")
        let reports = room.host.coordinator.reports(now: room.now)
        #expect(reports.map(\.seat) == [1, 2, 3] && reports.allSatisfy { $0.seatState == .active }, "seed \(seed)")
        for place in room.pads.indices where seconds < 10 { #expect(room.lostSamples(of: place) == 0, "seed \(seed)") }
    }

    @Test("Of what waited for the host to wake, exactly what had come more than a second before is late: H3")
    func lateAfterPause() throws {
        let conditions = try NetworkConditions(parsing: "delay=8ms")
        var room = SimulatedRoom(1, conditions, seed: 3, merging: MergeConfiguration(gestures: []))
        room.joinAll()
        room.run(for: .seconds(1))
        let wakes = room.now + .seconds(3)
        room.hostSleepsUntil = wakes
        room.run(for: .seconds(4))
        var (late, waited) = (0, 0)
        for (taken, arrivedAt) in zip(room.host.sink.taken, room.host.sink.arrivedAt) {
            if taken.verdict == .late {
                late += 1
                #expect(arrivedAt < wakes - .seconds(1))
            } else {
                #expect(arrivedAt <= wakes - .seconds(3) || arrivedAt >= wakes - .seconds(1))
            }
            if arrivedAt > wakes - .seconds(3), arrivedAt < wakes - .seconds(1) { waited += 1 }
        }
        #expect(late == waited && (190...201).contains(late))
        let samples = try #require(room.host.report(of: room.pads[0].guest)?.samples)
        #expect(samples.late == UInt64(late) && samples.missing == 0)
    }

    @Test("What is late as the host stood still is said to be the host's doing for a minute, and nobody else's: H3")
    func blameAfterPause() throws {
        let conditions = try NetworkConditions(parsing: "delay=8ms")
        var room = SimulatedRoom(1, conditions, seed: 3, merging: MergeConfiguration(gestures: []))
        room.joinAll()
        room.run(for: .seconds(6))
        room.hostSleepsUntil = room.now + .seconds(3)
        room.run(for: .seconds(9))
        let recent = try #require(room.host.report(of: room.pads[0].guest)?.recentSamples)
        #expect((190...201).contains(recent.missedByHost) && recent.late == 0 && recent.old == 0, "\(recent)")
        room.run(for: .seconds(62))
        let past = try #require(room.host.report(of: room.pads[0].guest)?.recentSamples)
        #expect(past.missedByHost == 0 && past.late == 0, "\(past)")
    }

    @Test("A host that gets the processor only now and then keeps its books exact: H13", arguments: Soak.seeds(3))
    func starved(seed: UInt64) throws {
        var room = SimulatedRoom(3, try NetworkConditions(parsing: "loss=3%,delay=10±8ms,dup=3%"), seed: seed)
        var random = SeededGenerator(seed: seed)
        room.joinAll()
        for _ in 0..<40 {
            room.hostSleepsUntil = room.now + .milliseconds(Int64(random.next() % 180))
            room.run(for: .milliseconds(Int64(random.next() % 200)))
        }
        room.run(for: .milliseconds(200))
        #expect(room.differences == [], "seed \(seed)")
        room.drain()
        #expect(room.differences == [], "seed \(seed), after the end")
        var order = SampleOrder()
        #expect(order.problems(room.host.sink) == [], "seed \(seed)")
        for place in room.pads.indices { #expect(room.lostSamples(of: place) == 0, "seed \(seed)") }
    }

    @Test(
        "When the host's cable is cut all return to their own seats within 2 s of its healing: N11",
        arguments: [2, 9, 25])
    func hostCable(seconds: Int) throws {
        var room = SimulatedRoom(6, try NetworkConditions(parsing: "delay=5ms"), seed: UInt64(seconds))
        room.joinAll()
        room.run(for: .seconds(1))
        let before = room.host.coordinator.reports(now: room.now).map(\.controller)
        for place in room.pads.indices { room.pads[place].isUp = false }
        room.isControlUp = false
        room.run(for: .seconds(seconds))
        #expect(room.host.coordinator.reports(now: room.now).allSatisfy { $0.link == .silent })
        for place in room.pads.indices { room.pads[place].isUp = true }
        room.isControlUp = true
        room.run(for: .seconds(2))
        let reports = room.host.coordinator.reports(now: room.now)
        #expect(reports.map(\.controller) == before && reports.map(\.seat) == Array(1...6))
        #expect(reports.allSatisfy { $0.seatState == .active && $0.link == .good && $0.silentFor < 600_000_000 })
        #expect(!room.host.playerStates.contains(.left))
        #expect(room.differences == [])
    }

    @Test(
        "Whatever a host's clock shows when it starts, it decides the same: H4",
        arguments: [-3_599, 7_200, 86_400, 31_557_600] as [Int64])
    func startingTime(seconds: Int64) throws {
        func life(_ shift: Int64) throws -> [String] {
            let start = HostTime.ms(0) + .seconds(shift)
            var room = HostedRoom(RoomConfiguration(seats: 2, policy: .open), now: start)
            var first = try #require(Pad(room.invite(Guest(1))?.seat))
            room.invite(Guest(2))
            for number: UInt32 in 0..<300 where number % 7 != 3 {
                room.pass(to: start + .milliseconds(10 * Int64(number)))
                room.receive(first.samples(number..<number + 1, floor: number), from: first.address)
            }
            room.stand(until: start + .seconds(9))
            room.pass(to: start + .seconds(80))
            let fed = room.outgoing.map { "\($0.at - start) \($0.bytes.count)" }
            let told = room.occurrences.map { "\($0.at - start) \($0.what)" }
            return fed + told + room.departed.map { "\($0.datagrams) \($0.samples) \($0.jitter)" }
        }
        let (usual, shifted) = (try life(0), try life(seconds))
        #expect(usual == shifted && usual.count > 20)
    }

    @Test(
        "No core can know the time of day: none reads a clock, or imports what could: H4",
        arguments: ["Protocol", "SessionCoordinator", "ControllerSession", "InputMerge", "LinkEmulation"])
    func noClock(module: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/\(module)").standardized.resolvingSymlinksInPath()
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > 5)
        let words = [
            "import Foundation", "import NIO", "import Dispatch", "ContinuousClock", "SuspendingClock",
            "clock_gettime", "Date()", "SystemRandomNumberGenerator", ".random(in:",
        ]
        for file in files {
            let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
                !$0.drop { $0 == " " }.hasPrefix("//")
            }
            for word in words {
                #expect(!code.contains { $0.contains(word) }, "\(file.lastPathComponent) has \(word)")
            }
        }
    }
}
