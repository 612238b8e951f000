import WireProtocol

/// Asks of a recording's numbers whether they can be in the units that its header declares.
///
/// Whoever holds a sensor mostly rests: the median force is gravity. No hand turns faster than a gyroscope of a phone
/// can tell (± 2,000 °/s), so rates beyond it are degrees.
struct UnitCheck: Sendable {
    private let medianForce: Double
    private let fastestTurn: Double

    init(_ samples: [Sample]) {
        let forces = samples.map { SIMD3<Double>($0.acceleration) }
            .map { ($0 * $0).sum().squareRoot() }.sorted()
        medianForce = forces.isEmpty ? standardGravity : forces[forces.count / 2]
        fastestTurn = samples.reduce(0) { max($0, Double($1.rotationRate.abs.max())) }
    }

    /// - Throws: `wrongUnits`.
    func verify(isCoreMotion: Bool, location: String) throws(RecordingError) {
        guard let problem = problem(isCoreMotion: isCoreMotion) else { return }
        throw RecordingError(.wrongUnits, at: "\(location):1", problem)
    }

    private func problem(isCoreMotion: Bool) -> String? {
        if (0.5...2).contains(medianForce) {
            return "the median acceleration is \(rounded(medianForce)) m/s², but gravity alone is 9.8: if it is in g, "
                + "name the columns ax_g,ay_g,az_g; if gravity was taken out, put it back"
        }
        if medianForce > 4 * standardGravity {
            return "the median acceleration is \(rounded(medianForce / standardGravity)) g: "
                + (isCoreMotion ? "gravity and user acceleration must be in g" : "name m/s² columns ax,ay,az")
        }
        if fastestTurn > 60 {
            return "something turns by \(rounded(fastestTurn)) rad/s: if it is in °/s, "
                + "name the columns gx_dps,gy_dps,gz_dps"
        }
        return nil
    }

    private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
