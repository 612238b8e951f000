/// One performance of a gesture, from rest to rest, and a third of a second of either: how the device was held and turned,
/// at 64 moments evenly spaced.
///
/// This is what is kept of a taught gesture; everything else follows from it.
public struct MotionTrace: Hashable, Sendable, Codable {
    /// Moments in a trace.
    public static let length = 64

    /// From the first moment to the last, in s.
    public let duration: Double
    /// Specific force in g, in the device's axes.
    package let force: [Float]
    /// In rad/s, in the device's axes.
    package let rotationRate: [Float]

    /// A moment of motion as it was recorded.
    public struct Moment: Sendable {
        /// In s, rising.
        public var time: Double
        /// Specific force in g: face up at rest it is (0, 0, 1).
        public var force: SIMD3<Float>
        /// In rad/s.
        public var rotationRate: SIMD3<Float>

        /// One reading of a recording; units and axes are a `Sample`'s, but for the force, which is in g.
        public init(time: Double, force: SIMD3<Float>, rotationRate: SIMD3<Float>) {
            self.time = time
            self.force = force
            self.rotationRate = rotationRate
        }
    }

    /// What was written down elsewhere; whether it is whole is for ``isUsable`` to say.
    package init(duration: Double, force: [Float], rotationRate: [Float]) {
        self.duration = duration
        self.force = force
        self.rotationRate = rotationRate
    }

    /// Resamples on straight lines; `nil` for fewer than four moments, or no time between them.
    public init?(_ moments: some RandomAccessCollection<Moment>) {
        guard moments.count >= 4, let first = moments.first, let last = moments.last else { return nil }
        let duration = last.time - first.time
        guard duration > 0, duration < 3_600 else { return nil }
        self.duration = duration
        var (force, rate): ([Float], [Float]) = ([], [])
        force.reserveCapacity(3 * Self.length)
        rate.reserveCapacity(3 * Self.length)
        Self.resample(moments, count: Self.length) { _, f, w in
            force += [f.x, f.y, f.z]
            rate += [w.x, w.y, w.z]
        }
        self.force = force
        rotationRate = rate
    }

    /// Hands over force and rate at moments that are evenly spaced from the first to the last.
    ///
    /// - Precondition: there are moments, and `count` is above 1.
    static func resample<Moments: RandomAccessCollection<Moment>>(
        _ moments: Moments, count: Int, _ body: (Int, SIMD3<Float>, SIMD3<Float>) -> Void
    ) {
        let (start, end) = (moments[moments.startIndex].time, moments[moments.index(before: moments.endIndex)].time)
        var before = moments.startIndex
        let last = moments.index(before: moments.endIndex)
        for step in 0..<count {
            let time = start + (end - start) * Double(step) / Double(count - 1)
            var after = before < last ? moments.index(after: before) : last
            while after < last, moments[after].time < time {
                before = after
                after = moments.index(after: before)
            }
            let (a, b) = (moments[before], moments[after])
            let share = Float(b.time > a.time ? min(max((time - a.time) / (b.time - a.time), 0), 1) : 0)
            body(
                step, a.force + share * (b.force - a.force),
                a.rotationRate + share * (b.rotationRate - a.rotationRate))
        }
    }

    /// Whether it is whole, as what was read from a file may not be.
    public var isUsable: Bool {
        force.count == 3 * Self.length && rotationRate.count == 3 * Self.length && duration > 0 && duration < 3_600
            && (force + rotationRate).allSatisfy { abs($0) < 1e4 }
    }

    func force(at step: Int) -> SIMD3<Float> { SIMD3(force[3 * step], force[3 * step + 1], force[3 * step + 2]) }

    func rotationRate(at step: Int) -> SIMD3<Float> {
        SIMD3(rotationRate[3 * step], rotationRate[3 * step + 1], rotationRate[3 * step + 2])
    }

    /// Where up was on the whole, in the device's axes and in g; short when the force shows no posture.
    var meanForce: SIMD3<Float> {
        var sum = SIMD3<Float>.zero
        for step in 0..<Self.length { sum += force(at: step) }
        return sum / Float(Self.length)
    }
}
