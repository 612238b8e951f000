import WireProtocol

/// What a fast accelerometer has felt of late, beside a slower sensor of the same device: knocks, which the slower one
/// cannot show as they were.
///
/// A knock is what is left of the acceleration above some 50 Hz (below 400 Hz sampled: 20 Hz), by a high-pass of second
/// order (Butterworth). Allocates once, when it is made; of each few milliseconds the sharpest moment is kept.
struct KnockTrail: Sendable {
    /// A sharp moment.
    struct Knock: Hashable, Sendable {
        var at: DeviceTime
        /// In g.
        var strength = 0.0
    }

    /// At least so many samples a second, and so wide a range in m/s², or a sensor shows no impact as it was.
    static let slowest = 200.0
    static let narrowest = 8 * standardGravity
    private static let capacity = 1_024
    /// Of each so many ns the sharpest: 5 s in all.
    private static let spacing: Int64 = 5_000_000

    private var filter: HighPass
    private var knocks = [Knock](repeating: Knock(at: DeviceTime(nanoseconds: 0)), count: capacity)
    /// How many were ever kept; the newest lies before it.
    private var count = 0
    /// Everything until then was felt; `nil` before the first sample.
    private(set) var knownUntil: DeviceTime?

    /// - Returns: `nil` for a stream that is slow, narrow, or shows more than acceleration: that one speaks for itself.
    init?(_ declaration: StreamDeclaration) {
        guard declaration.measures.contains(.acceleration),
            declaration.measures.isDisjoint(with: [.rotationRate, .attitude]), Self.isFit(declaration)
        else { return nil }
        filter = HighPass(
            cutoff: declaration.nominalRate < 400 ? 20 : 50, interval: 1 / declaration.nominalRate)
    }

    /// Whether a stream of this rate and range shows impacts as they were.
    static func isFit(_ declaration: StreamDeclaration) -> Bool {
        declaration.nominalRate >= slowest && declaration.accelerationRange >= narrowest
    }

    /// - Parameters:
    ///   - acceleration: in g, gravity included.
    ///   - followsHole: something is missing before it.
    mutating func add(_ acceleration: SIMD3<Double>, at time: DeviceTime, followsHole: Bool) {
        if followsHole || knownUntil.map({ time < $0 }) ?? false { (filter.state, count) = (nil, 0) }
        let knock = Knock(at: time, strength: filter.take(acceleration).length)
        knownUntil = time
        let newest = (count + Self.capacity - 1) % Self.capacity
        if count > 0, time.nanoseconds.saturatingSubtract(knocks[newest].at.nanoseconds) < Self.spacing {
            if knock.strength > knocks[newest].strength { knocks[newest].strength = knock.strength }
            return
        }
        knocks[count % Self.capacity] = knock
        count += 1
    }

    /// The sharpest moment within so much of this one, to 5 ms; `nil` where nothing was felt about then.
    func sharpest(within span: Duration, of moment: DeviceTime) -> Knock? {
        var (sharpest, place): (Knock?, Int) = (nil, count - 1)
        while place >= max(0, count - Self.capacity) {
            let knock = knocks[place % Self.capacity]
            if knock.at < moment - span { break }
            if knock.at <= moment + span, knock.strength > sharpest?.strength ?? 0 { sharpest = knock }
            place -= 1
        }
        return sharpest
    }
}

/// A high-pass of second order (Butterworth) for three axes; it begins settled on its first value.
struct HighPass: Sendable {
    private let (b, a1, a2): (Double, Double, Double)
    /// What two steps before left; `nil` before the first value.
    var state: (SIMD3<Double>, SIMD3<Double>)?

    /// - Parameters:
    ///   - cutoff: in Hz.
    ///   - interval: between two values, in s.
    init(cutoff: Double, interval: Double) {
        let c = Elementary.tangent(.pi * cutoff * interval)
        let scale = 1 + 2.0.squareRoot() * c + c * c
        (b, a1, a2) = (1 / scale, 2 * (c * c - 1) / scale, (1 - 2.0.squareRoot() * c + c * c) / scale)
    }

    /// b, -2b, b over 1, a1, a2, in the transposed form.
    mutating func take(_ x: SIMD3<Double>) -> SIMD3<Double> {
        let (s0, s1) = state ?? (-b * x, b * x)
        let y = b * x + s0
        state = (s1 - 2 * b * x - a1 * y, b * x - a2 * y)
        return y
    }
}
