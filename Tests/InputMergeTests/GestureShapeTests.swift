import Testing

@testable import InputMerge

@Suite("What makes a motion a gesture")
struct GestureShapeTests {
    private let unscaled = SIMD4<Float>(repeating: 1)

    /// A second of motion, by what is measured at each share of it.
    private func trace(
        force: (Double) -> SIMD3<Double> = { _ in .zero }, rate: (Double) -> SIMD3<Double> = { _ in .zero }
    ) throws -> MotionTrace {
        try #require(
            MotionTrace(
                (0..<MotionTrace.length).map { step in
                    let share = Double(step) / Double(MotionTrace.length - 1)
                    return MotionTrace.Moment(
                        time: share, force: SIMD3<Float>(SIMD3(0, 0, 1) + force(share)),
                        rotationRate: SIMD3<Float>(rate(share)))
                }))
    }

    /// A push there and back, so strong.
    private func push(_ strength: Double) throws -> MotionTrace {
        try trace { share in SIMD3(strength * (share < 0.5 ? share : 1 - share), 0, 0) }
    }

    @Test("A steady turn is the doubled sine of half its angle from the middle, about its axis")
    func turn() throws {
        let sums = GestureShape.energies(of: try trace(rate: { _ in SIMD3(0, 0, 3) }), up: SIMD3(0, 0, 1))
        let turned = (0..<MotionTrace.length).reduce(0.0) { sum, step in
            let angle = 3 * (Double(step) / Double(MotionTrace.length - 1) - 0.5)
            let sine = Quaternion(rotationVector: SIMD3(0, 0, angle)).z
            return sum + 4 * sine * sine
        }
        #expect(abs(Double(sums.z) - turned) < 1e-3 * turned)
        #expect(abs(sums.y - 9 * 64) < 0.1)
        #expect(sums.x < 1e-6 && sums.w < 1e-6)
    }

    @Test("Jerk is how the force changes from moment to moment, and none where it does not")
    func jerk() throws {
        // 6.3 g in 63 steps are a tenth of a g in each; both ends are smoothed.
        let rising = GestureShape.energies(of: try trace { SIMD3(6.3 * $0, 0, 0) }, up: .zero)
        #expect((55 * 0.01...64 * 0.01).contains(rising.w), "\(rising.w)")
        #expect(GestureShape.energies(of: try trace { _ in SIMD3(3, 1, 2) }, up: .zero).w < 1e-9)
    }

    @Test("A shape has an energy of 1 however wild the motion was, and says how wild that was")
    func loudness() throws {
        let shapes = try [0.5, 1.5].map { GestureShape(try push($0), up: .zero, scale: unscaled) }
        let (calm, wild) = (shapes[0], shapes[1])
        #expect(abs(calm.energy - 1) < 1e-4 && abs(wild.energy - 1) < 1e-4)
        #expect(abs(wild.loudness / calm.loudness - 9) < 1e-3)
        let still = GestureShape(try trace(), up: .zero, scale: unscaled)
        #expect((still.energy, still.loudness) == (0, 0))
    }

    @Test("A hand may be a fifth stronger or weaker and mean the same; beyond that it is less and less alike")
    func whim() throws {
        let book = GestureBook([TaughtGesture("push", examples: [try push(1), try push(1), try push(1)])])
        func distance(_ strength: Double) throws -> Double {
            book.recognise(try push(strength)).map { $0.unlikeness * book.limit } ?? .infinity
        }
        for strength in [0.85, 1, 1.2] {
            let found = try distance(strength)
            #expect(found < 0.02, "\(strength): \(found)")
        }
        // N² = 1 - 1/P with P = (g + 1/g) / 2: the shapes are the same.
        for strength in [1.4, 1 / 1.4] {
            let g = 1.4 / 1.22
            let wanted = (1 - 2 / (g + 1 / g)).squareRoot()
            let found = try distance(strength)
            #expect(abs(found - wanted) < 0.02, "\(strength): \(found), not \(wanted)")
        }
        let (far, still) = (try push(20), try trace())
        #expect(book.nearestKind(to: far) == "push" && book.recognise(far) == nil)
        #expect(book.recognise(still) == nil, "who lies still makes no gesture")
    }

    @Test("One gesture alone has the limit of what is usual, and a looser hand a wider one, up to where others are")
    func limits() throws {
        /// Pushes whose peaks lie so far from the middle.
        func pushes(_ shifts: [Double], _ axis: SIMD3<Double>) throws -> [MotionTrace] {
            try shifts.map { shift in
                try trace { share in
                    let peak = 0.5 + shift
                    return (share < peak ? share / peak : (1 - share) / (1 - peak)) * axis
                }
            }
        }
        let (x, y) = (SIMD3<Double>(2, 0, 0), SIMD3<Double>(0, 2, 0))
        let alone = GestureBook([TaughtGesture("x", examples: try pushes([0], x))])
        // 0.73 · (0.45² · 0.9³)^⅕, by logarithms.
        #expect(abs(alone.limit - 0.4979) < 1e-4, "\(alone.limit)")
        let limits = try [[0, 0.01, -0.01], [0, 0.3, -0.3]].map { shifts in
            let (one, other) = (try pushes(shifts, x), try pushes(shifts, y))
            return GestureBook([TaughtGesture("x", examples: one), TaughtGesture("y", examples: other)]).limit
        }
        #expect(limits[0] < limits[1] && limits[1] < 0.73, "\(limits)")
        let strict = GestureBook([TaughtGesture("x", examples: try pushes([0], x))], sensitivity: 0.5)
        let lenient = GestureBook([TaughtGesture("x", examples: try pushes([0], x))], sensitivity: 2)
        #expect(strict.limit < alone.limit && alone.limit < lenient.limit)
    }
}
