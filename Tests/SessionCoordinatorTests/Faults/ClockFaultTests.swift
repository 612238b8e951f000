import ControllerSession
import InputMerge
import LinkEmulation
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Faults: a controller's clock is wrong: P5")
struct ClockFaultTests {
    /// Ways there and back; the clocks stand years apart besides, and run up to 200 ppm fast or slow.
    private static let ways = [
        ("delay=5ms", "delay=120ms"), ("delay=120ms", "delay=5ms"), ("delay=1ms", "delay=1ms"),
        ("delay=40±40ms,loss=20%", "delay=10±10ms,loss=5%"),
        ("delay=80ms,reorder=30%", "burst=0.01:0.25,delay=30±20ms"),
    ]

    private func makeRoom(_ way: Int, seed: UInt64, drift: Double?, step: Int64 = 1) throws -> SimulatedRoom {
        let merging = MergeConfiguration(gestures: [])
        var room = SimulatedRoom(1, seed: seed, clockStep: step, merging: merging)
        room.pads[0].up.conditions = try NetworkConditions(parsing: Self.ways[way].0)
        room.pads[0].down.conditions = try NetworkConditions(parsing: Self.ways[way].1)
        if let drift { room.pads[0].clock.drift = drift }
        return room
    }

    /// How far the host's idea of the controller's clock lies beyond what it admits, in nanoseconds; negative or 0 when
    /// the truth lies inside, `nil` while it admits to know nothing.
    private func excess(_ mapping: ClockMapping?, _ room: SimulatedRoom) -> Int64? {
        guard let mapping, let uncertainty = mapping.uncertaintyNanoseconds(at: room.now) else { return nil }
        let error = mapping.hostTime(of: room.pads[0].clock.device(room.now)) - room.now
        return abs(error.wholeNanoseconds) - uncertainty
    }

    @Test(
        "The truth lies inside offset ± uncertainty at every moment of every run, and time never runs backwards",
        arguments: 0..<5, Soak.seeds(2))
    func truthInside(way: Int, seed: UInt64) throws {
        let drifts = [-0.0002, -0.0001, 0.0001, 0.0002]
        try expectTruthInside(makeRoom(way, seed: seed, drift: drifts[Int(seed) % 4]), "seed \(seed), way \(way)")
    }

    @Test(
        "So it does of a clock that moves in steps, as browsers' do: of a millisecond, or of a sixtieth of a second",
        arguments: 0..<5, [1_000_000, 16_666_667] as [Int64])
    func steps(way: Int, step: Int64) throws {
        try expectTruthInside(makeRoom(way, seed: 7, drift: 0.0001, step: step), "\(step) ns, way \(way)")
    }

    private func expectTruthInside(_ empty: SimulatedRoom, _ which: String) {
        var room = empty
        room.joinAll()
        var (latest, known) = (HostTime(nanoseconds: .min), 0)
        for _ in 0..<250 {
            room.run(for: .milliseconds(20))
            for mapping in [room.host.sink.clocks[0], room.host.report(of: room.pads[0].guest)?.clock] {
                guard let excess = excess(mapping, room) else { continue }
                known += 1
                #expect(excess <= 0, "\(which), \(room.now): \(excess) ns outside")
            }
            if let motion = room.host.sink.merge?.motion(of: 1) {
                #expect(motion.occurredAt >= latest, "\(which)")
                #expect(motion.occurredAt <= room.now, "\(which)")
                latest = motion.occurredAt
            }
        }
        #expect(known > 350, "\(which)")
    }

    @Test("A clock that drifts by 200 ppm either way makes no queue of it", arguments: [-0.0002, 0.0002])
    func driftIsNoQueue(drift: Double) throws {
        var room = try makeRoom(2, seed: 1, drift: drift)
        room.joinAll()
        var worst: Int64 = 0
        for _ in 0..<30 {
            room.run(for: .seconds(1))
            worst = max(worst, room.host.report(of: room.pads[0].guest)?.queueing ?? 0)
        }
        #expect(worst < 500_000 && room.host.playerStates == [.joined], "\(worst) ns")
    }

    @Test(
        "When the device slept, and its clock leapt, the truth lies inside again with the next answer",
        arguments: [1, 60, 86_400, 31_557_600] as [Int64], Soak.seeds(1))
    func leap(seconds: Int64, seed: UInt64) throws {
        var room = try makeRoom(3, seed: seed, drift: nil)
        room.joinAll()
        room.run(for: .seconds(4))
        room.pads[0].clock.offset += seconds * 1_000_000_000
        var latest = HostTime(nanoseconds: .min)
        for step in 0..<300 {
            room.run(for: .milliseconds(20))
            if step > 200, let excess = excess(room.host.report(of: room.pads[0].guest)?.clock, room) {
                #expect(excess <= 0, "seed \(seed), \(seconds) s: \(excess) ns outside")
            }
            if let motion = room.host.sink.merge?.motion(of: 1) {
                #expect(motion.occurredAt >= latest && motion.occurredAt <= room.now, "seed \(seed), \(seconds) s")
                latest = motion.occurredAt
            }
        }
        #expect(room.host.report(of: room.pads[0].guest)?.clock?.uncertaintyNanoseconds != nil, "seed \(seed)")
        #expect(room.host.playerStates == [.joined], "seed \(seed)")
    }
}
