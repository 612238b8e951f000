import InputMerge
import Testing
import WireProtocol

/// What people did who made no gesture, as it was recorded: the repository's own recordings, so that this runs everywhere.
@Suite("Recorded negatives")
struct RecordedNegativeTests {
    /// Walkers with a phone in hand or on the arm, two minutes.
    @Test("Two minutes of recorded steps are neither jumps, falls, shakes, flicks, swings, twists nor taps")
    func steps() throws {
        let table = try Table("events/steps.csv")
        var (events, minutes) = ([GestureEvent](), 0.0)
        var start = 0
        for row in 1...table.rows.count {
            let isOver = row == table.rows.count || table[row, "t_ms"] < table[row - 1, "t_ms"]
            guard isOver else { continue }
            events += play(table, start..<row)
            minutes += (table[row - 1, "t_ms"] - table[start, "t_ms"]) / 60_000
            start = row
        }
        #expect(minutes > 1.5)
        let wrong = events.filter {
            $0.phase == .began && ![.rhythm, .tilt, .holdStill, .keepCalmJump].contains($0.gesture)
        }
        #expect(wrong.isEmpty, "\(wrong.map { $0.gesture.rawValue })")
        #expect(events.contains { $0.gesture == .rhythm })
    }

    @Test("Half a minute of balancing with an iPhone is no jump, fall, shake or tap, and nothing that was taught")
    func balancing() throws {
        let table = try Table("coremotion/ios_balance.csv")
        var room = Classroom(gestures: [.jump, .freeFall, .shake, .flick, .swing, .tap])
        room.teach("circle", .circle)
        room.teach("square", .square)
        room.bench.events = []
        room.shapings = []
        let began = room.hand.time + 1_000
        let samples = table.rows.indices.map { row in
            Sample(
                sampledAt: DeviceTime(nanoseconds: Int64((began + table[row, "t_s"] * 1_000) * 1e6)),
                measures: [.acceleration, .rotationRate],
                acceleration: SIMD3<Float>(-(table.vector(row, "grav") + table.vector(row, "user")) * standardGravity),
                rotationRate: SIMD3<Float>(table.vector(row, "rot")))
        }
        room.see(samples)
        #expect(samples.count > 2_500)
        #expect(room.bench.events.filter { $0.phase == .began }.map(\.gesture.rawValue) == [])
        #expect(room.shapings.filter { $0.phase == .began }.count <= 2)
    }

    /// One recording, accelerometer alone, through the whole merge.
    private func play(_ table: Table, _ rows: Range<Int>) -> [GestureEvent] {
        var bench = Bench(declaration: StreamDeclaration(measures: .acceleration))
        let samples = rows.map { row in
            Sample(
                sampledAt: DeviceTime(nanoseconds: Int64(table[row, "t_ms"] * 1e6)), measures: .acceleration,
                acceleration: SIMD3<Float>(table.vector(row, "a")))
        }
        bench.send(samples)
        return bench.events
    }
}
