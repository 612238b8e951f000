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
        for recording in recordings(table) {
            events += play(table, recording)
            minutes += (table[recording.upperBound - 1, "t_ms"] - table[recording.lowerBound, "t_ms"]) / 60_000
        }
        #expect(minutes > 1.5)
        let wrong = events.filter {
            $0.phase == .began && ![.rhythm, .tilt, .holdStill, .keepCalmJump].contains($0.gesture)
        }
        #expect(wrong.isEmpty, "\(wrong.map { $0.gesture.rawValue })")
        #expect(events.contains { $0.gesture == .rhythm })
    }

    @Test("Eleven dropped phones fall, and do not jump as they bounce")
    func bounces() throws {
        let table = try Table("events/phone_freefall.csv")
        let events = recordings(table).prefix(11).flatMap { play(table, $0) }.filter { $0.phase == .began }
        #expect(events.count { $0.gesture == .freeFall } >= 11)
        #expect(events.count { $0.gesture == .jump } == 0)
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

    /// The times of each begin anew.
    private func recordings(_ table: Table) -> [Range<Int>] {
        let starts = [0] + table.rows.indices.dropFirst().filter { table[$0, "t_ms"] < table[$0 - 1, "t_ms"] }
        return zip(starts, starts.dropFirst() + [table.rows.count]).map { $0..<$1 }
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
